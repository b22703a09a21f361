/// The rank of an `add`: up to four integers, compared in order, a missing one being 0.
public struct Rank: Hashable, Comparable, Sendable, ExpressibleByArrayLiteral {
  public static let maximumCount = 4

  private let first: Int64
  private let second: Int64
  private let third: Int64
  private let fourth: Int64

  public static let zero = Rank(0, 0, 0, 0)

  private init(_ first: Int64, _ second: Int64, _ third: Int64, _ fourth: Int64) {
    (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
  }

  /// Nil where there are more than four.
  public init?(_ values: some Collection<Int64>) {
    guard values.count <= Self.maximumCount else { return nil }
    var all = values.makeIterator()
    self.init(all.next() ?? 0, all.next() ?? 0, all.next() ?? 0, all.next() ?? 0)
  }

  /// A rank written out in code; what stands beyond the fourth place is not looked at.
  public init(arrayLiteral elements: Int64...) {
    self = Rank(elements.prefix(Self.maximumCount)) ?? .zero
  }

  /// The integers without trailing zeros, the only form in which a rank is stored.
  public var values: [Int64] {
    var all = [first, second, third, fourth]
    while all.last == 0 { all.removeLast() }
    return all
  }

  public static func < (a: Rank, b: Rank) -> Bool {
    (a.first, a.second, a.third, a.fourth) < (b.first, b.second, b.third, b.fourth)
  }
}
