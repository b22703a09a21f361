import ObjectStore
import Testing

@testable import RunicCore

/// Whatever another device may have written of a record, this one can still write it, and delete it or say that it
/// cannot: nothing that is stored goes without effect.
@Suite struct MergeRoomTests {
  private static let generations: [Int64] = [1, 2, .max - 1, .max]
  private static let stamps: [UInt64] = [1, .max - 1, .max]

  /// Every change at the ends of the numbers that a reader takes.
  private static let extremes: [Change] = generations.flatMap { generation in
    stamps.flatMap { stamp -> [Change] in
      let stamp = Stamp(rawValue: stamp)
      let write = RegisterWrite(
        kind: "k", id: [0x69], generation: generation,
        writes: [key("a"): WrittenValue(value: bytes("1"), replaces: [])], stamp: stamp)
      return [
        .set(write), .delete(RecordDelete(kind: "k", id: [0x69], generation: generation, stamp: stamp)),
      ]
    }
  }.filter { (try? decoded(encoded($0))) == [$0] }

  /// Two of them, from two devices.
  private static let pairs = extremes.flatMap { one in extremes.map { [one, $0] } }

  private func state(of changes: [Change]) -> KeyedState {
    var state = KeyedState()
    for (place, change) in changes.enumerated() {
      state.apply(change, context("theirs\(place)", device: UInt8(place + 2), stamp: .max - 1))
    }
    return state
  }

  @Test func aWriteShowsWhateverCameBefore() throws {
    #expect(Self.extremes.count > 12)
    for changes in Self.pairs {
      var state = state(of: changes)
      let write = state.write([key("a"): bytes("2")], kind: "k", id: [0x69])
      #expect(try decoded(encoded(.set(write))) == [.set(write)], "\(changes)")
      state.apply(write, context("ours", stamp: 7))
      #expect(state.shownValue(key("a")) == bytes("2"), "\(changes)")
    }
  }

  @Test func aDeleteTakesTheRecordAwayOrIsRefused() throws {
    var refused = 0
    for changes in Self.pairs {
      var state = state(of: changes)
      guard let shown = state.shownGeneration else { continue }
      let delete = state.delete(kind: "k", id: [0x69], stamp: Stamp(rawValue: 7))
      guard let text = try? encoded(.delete(delete)) else {
        refused += 1
        #expect(shown == .max, "\(changes)")
        continue
      }
      #expect(try decoded(text) == [.delete(delete)], "\(changes)")
      state.apply(delete, context("ours", stamp: 7))
      #expect(state.shown == nil, "\(changes)")
    }
    // Of the last generation alone there is no delete.
    #expect(refused > 0)
  }
}
