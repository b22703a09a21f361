import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

@Suite struct MergeHistoryTests {
  /// Every combination of a few ranks, payloads and adds.
  private static let pool: [HistoryState] = {
    let adds = [(Int64(5), UInt8(1), UInt64(1)), (5, 2, 1), (3, 2, 9), (5, 1, 2)]
    var pool: [HistoryState] = []
    for rank in [Rank.zero, [0, 1], [2, -7]] {
      for payload in ["{}", "{\"a\":1}"] {
        for (time, number, stamp) in adds {
          let writer = Writer(
            device: device(number), deviceName: number == 2 ? bytes("two") : nil, time: time)
          pool.append(
            HistoryState(
              rank: rank, payload: bytes(payload)[...],
              added: HistoryState.Added(writer: writer, stamp: Stamp(rawValue: stamp))))
        }
      }
    }
    return pool
  }()

  private func join(_ a: HistoryState, _ b: HistoryState) -> HistoryState {
    var joined = a
    joined.merge(b)
    return joined
  }

  @Test func mergeIsAJoin() {
    for a in Self.pool {
      #expect(join(a, a) == a)
      for b in Self.pool {
        #expect(join(a, b) == join(b, a))
        for c in Self.pool where join(join(a, b), c) != join(a, join(b, c)) {
          Issue.record("not associative: \(a) \(b) \(c)")
        }
      }
    }
  }

  /// Rows: rank and payload of two adds, and whether the second surpasses the first.
  @Test(
    arguments: [
      ([], "{}", [], "{}", false), ([1], "{}", [0, 9, 9, 9], "{\"z\":1}", false), ([0], "a", [], "b", true),
      ([-1], "b", [], "a", true), ([1, 2, 3, 4], "a", [1, 2, 3, 5], "a", true), ([], "ab", [], "b", true),
      ([], "b", [], "ab", false),
    ] as [([Int64], String, [Int64], String, Bool)])
  func greaterRankWinsThenGreaterBytes(
    _ rank: [Int64], _ payload: String, _ otherRank: [Int64], _ other: String, _ wanted: Bool
  ) throws {
    let add = HistoryAdd(kind: "h", id: [1], payload: bytes(payload)[...], rank: try #require(Rank(rank)))
    let state = HistoryState(add, context("A"))
    #expect(state.isSurpassed(by: bytes(other)[...], rank: try #require(Rank(otherRank))) == wanted)
  }

  @Test func incrementalMergeIsTheDefinitionWhateverTheOrderAndHoweverOften() {
    for seed in 0..<500 as Range<UInt64> {
      var generator = SeededRandom(seed: seed)
      let commits = (0..<Int.random(in: 1...8, using: &generator)).map { number in
        let origin = Origin(
          device: device(7), deviceName: nil, time: Int64.random(in: 0...3, using: &generator))
        let add = HistoryAdd(
          kind: "h", id: [1], payload: bytes("p\(Int.random(in: 0...1, using: &generator))")[...],
          rank: [Int64.random(in: 0...1, using: &generator)], origin: generator.chance(30) ? origin : nil)
        let context = context(
          "c\(number)", device: UInt8.random(in: 1...3, using: &generator),
          stamp: UInt64.random(in: 0...3, using: &generator), time: Int64.random(in: 0...3, using: &generator)
        )
        return MadeChange(context: context, change: .add(add))
      }
      let wanted = state(of: commits.map { (context: $0.context, changes: [$0.change]) })
      var merged: HistoryState?
      for commit in (commits + commits.prefix(3)).shuffled(using: &generator) {
        guard case .add(let add) = commit.change else { continue }
        let next = HistoryState(add, commit.context)
        merged = merged.map { join($0, next) } ?? next
      }
      #expect(
        merged.map { .history($0) } == wanted[RecordName(family: .history, kind: "h", id: [1])],
        "seed \(seed)")
    }
  }

  @Test func rankHoldsAtMostFourAndMissingOnesAreZero() {
    #expect(Rank([1, 2, 3, 4, 5]) == nil)
    #expect(Rank([1, 0, 0]) == Rank([1]))
    #expect(Rank([0, 0, 0, 0])?.values == [])
    #expect(Rank([0, 3, 0])?.values == [0, 3])
    #expect(Rank.zero < [0, 0, 0, 1] && [-1] < Rank.zero)
  }

  @Test func historyAndKeyedRecordOfOneNameAreTwoThings() {
    let add = HistoryAdd(kind: "x", id: [1], payload: bytes("{}")[...])
    let delete = RecordDelete(kind: "x", id: [1], generation: 0)
    let states = state(of: [(context: context("A"), changes: [.add(add), .delete(delete)])])
    #expect(states.count == 2)
    #expect(states[add.name] == .history(HistoryState(add, context("A"))))
  }
}
