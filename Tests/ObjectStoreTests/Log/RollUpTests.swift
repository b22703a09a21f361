import ObjectStore
import TestSupport
import Testing

@Suite struct RollUpTests {
  /// All lists of up to so many sizes, each from 1 to so many.
  private static func lists(length: Int, greatest: Int64) -> [[Int64]] {
    var all: [[Int64]] = [[]]
    var longest = all
    for _ in 0..<length {
      longest = longest.flatMap { list in (1...greatest).map { list + [$0] } }
      all += longest
    }
    return all
  }

  private static func sums(_ groups: [Range<Int>], _ sizes: [Int64]) -> [Int64] {
    groups.map { sizes[$0].reduce(0, +) }
  }

  private static func keepOrder(_ groups: [Range<Int>], _ count: Int) -> Bool {
    groups.flatMap { $0 } == Array(0..<count) && groups.allSatisfy { !$0.isEmpty }
  }

  @Test func everySmallListIsKeptInOrderAndDoublesFromTheNewest() {
    for sizes in Self.lists(length: 5, greatest: 6) {
      let groups = RollUp.plan(sizes: sizes)
      guard Self.keepOrder(groups, sizes.count) else {
        Issue.record("\(sizes): \(groups)")
        return
      }
      let sums = Self.sums(groups, sizes)
      for (older, newer) in zip(sums, sums.dropFirst()) where older < 2 * newer {
        Issue.record("\(sizes): \(sums)")
        return
      }
    }
  }

  @Test(arguments: [Int64(4), 7, 12])
  func noGroupOutgrowsTheLimit(limit: Int64) {
    for sizes in Self.lists(length: 5, greatest: 4) {
      let groups = RollUp.plan(sizes: sizes, limit: limit)
      let sums = Self.sums(groups, sizes)
      let isWithin = zip(groups, sums).allSatisfy { $0.count == 1 || $1 <= limit }
      let isDone = zip(sums, sums.dropFirst()).allSatisfy { $0 >= 2 * $1 || $0 + $1 > limit }
      guard Self.keepOrder(groups, sizes.count), isWithin, isDone else {
        Issue.record("\(sizes): \(groups)")
        return
      }
    }
  }

  @Test(arguments: [Int64(0), 1, 3, 8])
  func noMoreOldBytesAreWrittenAgainThanTheBudget(budget: Int64) {
    for sizes in Self.lists(length: 5, greatest: 4) where !sizes.isEmpty {
      let groups = RollUp.plan(sizes: sizes, budget: budget)
      let spent = groups.reduce(Int64(0)) { sum, group in
        let old = group.upperBound == sizes.count ? group.dropLast() : group[...]
        return group.count > 1 ? sum + sizes[old].reduce(0, +) : sum
      }
      guard Self.keepOrder(groups, sizes.count), spent <= budget else {
        Issue.record("\(sizes): \(groups) spends \(spent)")
        return
      }
    }
  }

  @Test func aTightBudgetGoesToTheNewest() {
    let sizes: [Int64] = [4, 2, 1, 1]
    #expect(RollUp.plan(sizes: sizes, budget: 0) == [0..<1, 1..<2, 2..<3, 3..<4])
    #expect(RollUp.plan(sizes: sizes, budget: 2) == [0..<1, 1..<2, 2..<4])
    #expect(RollUp.plan(sizes: sizes, budget: 3) == [0..<1, 1..<4])
    #expect(RollUp.plan(sizes: sizes, budget: 7) == [0..<4])
  }

  @Test func sizesOfAnyLengthDoNotOverflow() {
    let sizes: [Int64] = [.max, .max, 1, .max]
    #expect(Self.keepOrder(RollUp.plan(sizes: sizes), 4))
    #expect(Self.keepOrder(RollUp.plan(sizes: sizes, limit: .max, budget: 5), 4))
  }

  @Test func whatIsDueIsWhatAPlanWithoutABudgetWouldDo() {
    for sizes in Self.lists(length: 5, greatest: 4) {
      let isDue = RollUp.plan(sizes: sizes).count < sizes.count
      guard RollUp.isDue(sizes: sizes) == isDue else {
        Issue.record("\(sizes)")
        return
      }
    }
  }

  /// Sizes that fall slowly were the worst case of a rule that looks at the next one only.
  @Test(arguments: ["equal", "rising", "falling", "random"])
  func aThousandCommitsMakeFewObjectsAndFewRewrites(shape: String) {
    var random = SeededRandom(seed: 3)
    var sizes: [Int64] = []
    var rewritten: Int64 = 0
    var total: Int64 = 0
    for number in 0..<1000 {
      let size: Int64 =
        switch shape {
        case "equal": 500
        case "rising": Int64(1000 + number)
        case "falling": Int64(3000 - number)
        default: .random(in: 100...5000, using: &random)
        }
      total += size
      let plan = RollUp.plan(sizes: sizes + [size])
      for group in plan where group.count > 1 { rewritten += (sizes + [size])[group.dropLast()].reduce(0, +) }
      sizes = Self.sums(plan, sizes + [size])
      #expect(sizes.count <= 14, "\(shape), commit \(number): \(sizes)")
    }
    #expect(rewritten <= 17 * total, "\(shape)")
  }
}
