import ObjectStore
import Testing

@testable import RunicCore

/// Histories small enough to work out on paper.
@Suite struct MergeHandWorkedTests {
  private func set(
    _ name: String, by device: UInt8 = 1, stamp: UInt64, generation: Int64 = 1, _ value: String?,
    over replaces: [String] = [], settles: [String] = [], in register: RegisterKey = key("a")
  ) -> MadeChange {
    let written = WrittenValue(value: value.map(bytes), replaces: replaces.map(digest))
    let write = RegisterWrite(
      kind: "k", id: [1], generation: generation, writes: [register: written], settles: settles.map(digest))
    return MadeChange(context: context(name, device: device, stamp: stamp), change: .set(write))
  }

  private func delete(
    _ name: String, by device: UInt8 = 1, stamp: UInt64, generation: Int64 = 1, settles: [String] = []
  ) -> MadeChange {
    let delete = RecordDelete(kind: "k", id: [1], generation: generation, settles: settles.map(digest))
    return MadeChange(context: context(name, device: device, stamp: stamp), change: .delete(delete))
  }

  /// The state after every order of the commits, which must all be the definition's.
  private func stateInEveryOrder(_ commits: [MadeChange]) -> KeyedState {
    let wanted = definition(of: commits)
    let arrived = Set(commits.map(\.context.hash))
    for order in permutations(commits.count) {
      var state = KeyedState()
      for (place, number) in order.enumerated() {
        let before = Set(order[..<place].map { commits[$0].context.hash })
        state.apply(commits[number].change, commits[number].context) { before.contains($0) }
      }
      #expect(state == wanted, "order \(order)")
      #expect(Set(state.awaited.keys).isDisjoint(with: arrived), "order \(order)")
    }
    return wanted
  }

  private func shown(_ state: KeyedState, _ register: RegisterKey = key("a")) -> String? {
    state.shownValue(register).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func replacedReplacementStillReplacesInAllSixOrders() {
    // C never saw A and its clock is far behind; A's is far ahead.
    let state = stateInEveryOrder([
      set("A", by: 1, stamp: 900, "first"),
      set("B", by: 2, stamp: 500, "second", over: ["A"]),
      set("C", by: 3, stamp: 1, "third", over: ["B"]),
    ])
    #expect(shown(state) == "third")
    #expect(state.conflicts.isEmpty)
    #expect(state.heads(of: key("a")).map { name($0.commit) } == ["C"])
  }

  @Test func editThatSawADeleteAndAConcurrentEditSettlesBoth() {
    let written = set("A", by: 1, stamp: 10, "one")
    let deleted = delete("B", by: 1, stamp: 20, settles: ["A"])
    let edited = set("C", by: 2, stamp: 30, "two", over: ["A"])
    let outlived = stateInEveryOrder([written, deleted, edited])
    #expect(shown(outlived) == "two")
    guard case .overruledDelete(let delete)? = outlived.conflicts.first, outlived.conflicts.count == 1 else {
      Issue.record("a delete that an edit outlives is listed: \(outlived.conflicts)")
      return
    }
    #expect(name(delete.commit) == "B")

    let settled = set("D", by: 3, stamp: 5, "three", over: ["C"], settles: ["B"])
    let state = stateInEveryOrder([written, deleted, edited, settled])
    #expect(shown(state) == "three")
    #expect(state.conflicts.isEmpty)
  }

  @Test func editConcurrentWithALaterDeleteIsHiddenUntilAnEditSawBoth() {
    let written = set("A", by: 1, stamp: 10, "one")
    let edited = set("B", by: 2, stamp: 20, "two", over: ["A"])
    let deleted = delete("C", by: 1, stamp: 30, settles: ["A"])
    let hidden = stateInEveryOrder([written, edited, deleted])
    #expect(hidden.isDeleted)
    #expect(hidden.latestDeletion.map { name($0.commit) } == "C")
    guard case .hiddenEdit(let commit, 1, let writes)? = hidden.conflicts.first else {
      Issue.record("the edit is listed: \(hidden.conflicts)")
      return
    }
    #expect(name(commit) == "B")
    #expect(writes.map(\.head.value) == [bytes("two")])

    let again = hidden.write([key("b"): bytes("new")], kind: "k", id: [1])
    #expect(again.generation == 2)
    #expect(again.settles == [digest("B"), digest("C")])
    let commits = [
      written, edited, deleted, MadeChange(context: context("D", stamp: 40), change: .set(again)),
    ]
    let state = stateInEveryOrder(commits)
    #expect(shown(state) == nil)
    #expect(shown(state, key("b")) == "new")
    #expect(state.conflicts.isEmpty)
  }

  @Test func deleteOfTheSameStampAsTheLatestWriteKeepsTheRecord() {
    let state = stateInEveryOrder([set("A", stamp: 10, "one"), delete("B", by: 2, stamp: 10)])
    #expect(shown(state) == "one")
    #expect(state.conflicts.count == 1)
  }

  @Test func supersededWriteStillKeepsItsGenerationAlive() {
    let state = stateInEveryOrder([
      set("A", stamp: 100, "far ahead"),
      set("B", by: 2, stamp: 5, "after it", over: ["A"]),
      delete("C", by: 3, stamp: 50),
    ])
    #expect(shown(state) == "after it")
  }

  @Test func deleteIsRaisedAboveEveryWriteThatItKnows() {
    var state = KeyedState()
    let far = set("A", by: 2, stamp: 1 << 60, "far ahead")
    state.apply(far.change, far.context)
    let delete = state.delete(kind: "k", id: [1], stamp: Stamp(rawValue: 7))
    #expect(delete.stamp == Stamp(rawValue: 1 << 60 + 1))
    #expect(
      stateInEveryOrder([far, MadeChange(context: context("B", stamp: 7), change: .delete(delete))]).isDeleted
    )
    #expect(KeyedState().delete(kind: "k", id: [1], stamp: Stamp(rawValue: 7)).stamp == nil)
  }

  @Test func clonesOfOneDeviceBothStandUntilAnEditSawBoth() {
    let common = set("A", by: 1, stamp: 10, "common")
    let one = set("B", by: 1, stamp: 11, "one", over: ["A"])
    let other = set("C", by: 1, stamp: 11, "other", over: ["A"])
    let parted = stateInEveryOrder([common, one, other])
    #expect(shown(parted) == "other")
    guard case .differing(key("a"), let head, let others)? = parted.conflicts.first else {
      Issue.record("the clones differ: \(parted.conflicts)")
      return
    }
    #expect(name(head.commit) == "C")
    #expect(others.map { name($0.commit) } == ["B"])

    let settled = parted.write([key("a"): bytes("settled")], kind: "k", id: [1])
    #expect(settled.writes[key("a")]?.replaces == [digest("B"), digest("C")])
    let commits = [common, one, other, MadeChange(context: context("D", stamp: 3), change: .set(settled))]
    let state = stateInEveryOrder(commits)
    #expect(shown(state) == "settled")
    #expect(state.conflicts.isEmpty)
  }

  /// Rows: values under one stamp, and what is shown of them.
  @Test(
    arguments: [
      (["b", "a", "ab"], "b"), ([nil, "a"], "a"), (["", nil], ""), ([nil, nil], nil), (["a", "a"], "a"),
      (["\u{E9}", "e\u{301}"], "\u{E9}"),
    ] as [([String?], String?)])
  func equalStampsShowTheGreatestBytes(_ values: [String?], _ wanted: String?) {
    let state = stateInEveryOrder(
      values.enumerated().map { set("\($0.offset)", by: UInt8($0.offset + 1), stamp: 5, $0.element) })
    #expect(state.shownValue(key("a")) == wanted.map(bytes))
    #expect(state.conflicts.isEmpty == (Set(values.map { $0.map(bytes) }).count == 1))
  }

  @Test func equalValuesCountAsOneHeadWithTheGreatestStampThenTheSmallestHash() {
    let state = stateInEveryOrder([
      set("D", by: 1, stamp: 5, "same"), set("C", by: 2, stamp: 9, "same"), set("B", by: 3, stamp: 9, "same"),
      set("A", by: 4, stamp: 1, "same"),
    ])
    #expect(state.conflicts.isEmpty)
    #expect(state.shownHead(of: key("a")).map { name($0.commit) } == "B")
    #expect(state.heads(of: key("a")).count == 4)

    let differing = stateInEveryOrder([
      set("D", by: 1, stamp: 5, "same"), set("C", by: 2, stamp: 4, "same"), set("E", by: 3, stamp: 9, "top"),
    ])
    guard case .differing(_, let shown, let others)? = differing.conflicts.first else {
      Issue.record("two values differ")
      return
    }
    #expect(name(shown.commit) == "E")
    #expect(others.map { name($0.commit) } == ["D"])
  }

  @Test func editsOfDifferentKeysBothSurvive() {
    let state = stateInEveryOrder([
      set("A", by: 1, stamp: 5, "1", in: key("a")), set("B", by: 2, stamp: 5, "2", in: key("b")),
    ])
    #expect(shown(state, key("a")) == "1")
    #expect(shown(state, key("b")) == "2")
    #expect(state.conflicts.isEmpty)
  }

  @Test func deletesThatAreSettledAndCoveredAreForgotten() {
    var commits: [MadeChange] = []
    var state = KeyedState()
    for round in 0..<20 {
      let stamp = UInt64(round) * 2 + 1
      let write = state.write([key("a"): bytes("v")], kind: "k", id: [1])
      commits.append(MadeChange(context: context("w\(round)", stamp: stamp), change: .set(write)))
      state.apply(write, commits[commits.count - 1].context)
      let delete = state.delete(kind: "k", id: [1], stamp: Stamp(rawValue: stamp + 1))
      commits.append(MadeChange(context: context("d\(round)", stamp: stamp + 1), change: .delete(delete)))
      state.apply(delete, commits[commits.count - 1].context)
    }
    #expect(state.deletions.count == 1)
    #expect(state == definition(of: commits))
    #expect(state == definition(of: commits.reversed()))
  }

  @Test func keysOverlayTheWholeAndUnsetOnesHideItsMembers() {
    let state = stateInEveryOrder([
      set("A", stamp: 1, "whole", in: .whole), set("B", stamp: 2, "2", in: key("b")),
      set("C", stamp: 3, nil, in: key("c")),
    ])
    let members = state.shown?.members { whole in
      #expect(whole == bytes("whole"))
      return [
        (bytes("c"), bytes("0")), (bytes("\u{FFFD}"), bytes("0")), (bytes("\u{1F600}"), bytes("0")),
        (bytes("b"), bytes("0")),
      ]
    }
    // RFC 8785 sorts by UTF-16: what needs surrogates stands before U+FFFD.
    #expect(members?.map(\.key) == [bytes("b"), bytes("\u{1F600}"), bytes("\u{FFFD}")])
    #expect(members?.first?.value == bytes("2"))
  }

  @Test func changeBroughtInBearsItsOriginAndIsRemembered() {
    let origin = Origin(device: device(9), deviceName: bytes("old"), time: 77, commit: digest("elsewhere"))
    let write = KeyedState().write(
      [key("a"): bytes("v")], kind: "k", id: [1], stamp: Stamp(rawValue: 3), origin: origin)
    var state = KeyedState()
    state.apply(write, context("A", device: 1, stamp: 500, time: 600))
    let head = state.shownHead(of: key("a"))
    #expect(head?.writer == Writer(device: device(9), deviceName: bytes("old"), time: 77))
    #expect(head?.committer == device(1))
    #expect(head?.stamp == Stamp(rawValue: 3))
    #expect(state.origins == [digest("elsewhere")])
  }

  @Test func endOfTheNumbersTrapsNothing() {
    let state = stateInEveryOrder([
      set("A", stamp: .max, generation: .max, "end"),
      delete("B", by: 2, stamp: .max, generation: .max),
      set("C", stamp: .max, generation: .min, "begin"),
    ])
    #expect(shown(state) == "end")
    #expect(state.delete(kind: "k", id: [1], stamp: .greatest).stamp == nil)
    let dead = stateInEveryOrder([
      set("A", stamp: 1, generation: .max, "end"), delete("B", by: 2, stamp: .max, generation: .max),
    ])
    #expect(dead.write([key("a"): bytes("v")], kind: "k", id: [1]).generation == .max)
  }
}
