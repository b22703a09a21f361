import ObjectStore
import Testing

@testable import RunicCore

/// Resolving by hand and by strategy.
@Suite struct MergeResolutionTests {
  /// Device 1 wrote "one" at stamp 5, device 2 wrote "two" at stamp 9, of key a; neither saw the other.
  private func parted() -> KeyedState {
    var state = KeyedState()
    for (number, value) in [(UInt8(1), "one"), (2, "two")] {
      let write = KeyedState().write([key("a"): bytes(value)], kind: "k", id: [1])
      state.apply(
        write, context(value, device: number, stamp: number == 1 ? 5 : 9, time: Int64(number) * 100))
    }
    return state
  }

  /// Rows: a strategy, the device that pulls, and the value that it settles on.
  @Test(
    arguments: [
      (.lastWriterWins, 1, nil), (.manual, 1, nil), (.preferLocal, 1, "one"), (.preferLocal, 2, "two"),
      (.preferRemote, 1, "two"), (.preferRemote, 2, "one"), (.preferLocal, 3, nil), (.preferRemote, 3, nil),
    ] as [(MergeStrategy, UInt8, String?)])
  func strategyResolvesOnlyForADeviceThatWroteAHead(
    _ strategy: MergeStrategy, _ number: UInt8, _ wanted: String?
  ) {
    let made = parted().resolutions(under: strategy, isOwn: { $0 == device(number) }, kind: "k", id: [1])
    guard let wanted else {
      #expect(made.isEmpty)
      return
    }
    #expect(made.count == 1)
    #expect(made.first?.writes[key("a")]?.value == bytes(wanted))
    #expect(made.first?.writes[key("a")]?.replaces == [digest("one"), digest("two")])
    #expect(made.first?.stamp == Stamp(rawValue: wanted == "one" ? 5 : 9))
    #expect(made.first?.origin?.time == (wanted == "one" ? 100 : 200))
    #expect(made.first?.isResolution == true)
  }

  /// A device that has a new id, as one whose backup was put back, wrote what it wrote under the one before.
  @Test(arguments: [(.preferLocal, "one"), (.preferRemote, "two")] as [(MergeStrategy, String)])
  func whatWasWrittenUnderAFormerIdIsOwn(_ strategy: MergeStrategy, _ wanted: String) {
    let made = parted().resolutions(
      under: strategy, isOwn: { [device(1), device(3)].contains($0) }, kind: "k", id: [1])
    #expect(made.map { $0.writes[key("a")]?.value } == [bytes(wanted)])
    let both = parted().resolutions(under: .preferRemote, isOwn: { _ in true }, kind: "k", id: [1])
    #expect(both.isEmpty)
  }

  @Test func headsThatAreAllResolutionsAreLeftToTheOrder() {
    var state = parted()
    for number: UInt8 in [1, 2] {
      let made = parted().resolutions(
        under: .preferLocal, isOwn: { $0 == device(number) }, kind: "k", id: [1])
      for write in made { state.apply(write, context("r\(number)", device: number, stamp: 20)) }
    }
    #expect(state.heads(of: key("a")).map { name($0.commit) } == ["r1", "r2"])
    #expect(state.shownValue(key("a")) == bytes("two"))
    for number: UInt8 in [1, 2] {
      let more = state.resolutions(
        under: .preferLocal, isOwn: { $0 == device(number) }, kind: "k", id: [1])
      #expect(more.isEmpty)
    }
  }

  @Test func equalValuesAreNoConflictAndAreLeftAlone() {
    var state = KeyedState()
    for number: UInt8 in [1, 2] {
      let write = KeyedState().write([key("a"): bytes("same")], kind: "k", id: [1])
      state.apply(write, context("c\(number)", device: number, stamp: UInt64(number)))
    }
    #expect(state.resolutions(under: .preferLocal, isOwn: { $0 == device(1) }, kind: "k", id: [1]).isEmpty)
  }

  @Test func resolvingToAHeadsValueKeepsItsStampAndANewValueDoesNot() {
    let state = parted()
    #expect(state.resolve(key("a"), to: bytes("one"), kind: "k", id: [1]).stamp == Stamp(rawValue: 5))
    let other = state.resolve(key("a"), to: bytes("three"), kind: "k", id: [1])
    #expect(other.stamp == nil && other.origin == nil)
    var settled = state
    settled.apply(other, context("r", stamp: 10))
    #expect(settled.conflicts.isEmpty)
    #expect(settled.shownValue(key("a")) == bytes("three"))
  }

  @Test func keepingARecordThatADeleteHidBringsItBack() {
    var state = KeyedState()
    state.apply(
      state.write([key("a"): bytes("one"), key("b"): nil], kind: "k", id: [1]), context("A", stamp: 1))
    let deletion = state.delete(kind: "k", id: [1], stamp: Stamp(rawValue: 30))
    state.apply(
      state.write([key("c"): bytes("two")], kind: "k", id: [1]), context("B", device: 2, stamp: 20))
    state.apply(deletion, context("C", stamp: 30))
    #expect(state.isDeleted && state.conflicts.count == 1)

    var kept = state
    kept.apply(state.keep(kind: "k", id: [1]), context("D", stamp: 31))
    #expect(kept.shown?.registers.map(\.key) == [bytes("a"), bytes("c")])
    #expect(kept.conflicts.isEmpty)

    var gone = state
    let again = state.delete(kind: "k", id: [1], stamp: Stamp(rawValue: 31))
    gone.apply(again, context("D", stamp: 31))
    #expect(gone.isDeleted && gone.conflicts.isEmpty)
  }

  @Test func keepingARecordThatOutlivedADeleteOnlySettles() {
    var state = KeyedState()
    state.apply(state.write([key("a"): bytes("one")], kind: "k", id: [1]), context("A", stamp: 1))
    let deletion = state.delete(kind: "k", id: [1], stamp: Stamp(rawValue: 5))
    state.apply(
      state.write([key("a"): bytes("two")], kind: "k", id: [1]), context("B", device: 2, stamp: 20))
    state.apply(deletion, context("C", stamp: 5))
    #expect(state.conflicts.count == 1)
    let keep = state.keep(kind: "k", id: [1])
    #expect(keep.writes.isEmpty && keep.settles == [digest("C")])
    state.apply(keep, context("D", stamp: 21))
    #expect(state.conflicts.isEmpty)
    #expect(state.shownValue(key("a")) == bytes("two"))
  }

  @Test func editOfAnOldBaseLeavesWhatCameInBetweenVisible() {
    let state = parted()
    let edit = state.write(
      [key("a"): bytes("file")], kind: "k", id: [1], replacing: [key("a"): [digest("one")]])
    var after = state
    after.apply(edit, context("edit", stamp: 20))
    guard case .differing(_, let shown, let others)? = after.conflicts.first else {
      Issue.record("the other write stays visible")
      return
    }
    #expect(shown.value == bytes("file"))
    #expect(others.map(\.value) == [bytes("two")])
  }
}
