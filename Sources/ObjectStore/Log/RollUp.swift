/// Which objects are written again as one, so that a log has O(log commits) of them: a geometric roll-up.
///
/// An object takes the one before it along where that is not at least twice as large. Below the limit sizes then
/// double from the newest to the oldest, and what holds a byte grows by half each time it is written again:
/// O(log n) objects, O(log n) times.
public enum RollUp {
  /// The groups of neighbouring objects that become one object each, oldest first; every index is in one group.
  ///
  /// - Parameters:
  ///   - sizes: the inflated sizes, oldest first; the last is the new object's.
  ///   - limit: the greatest inflated size of an object.
  ///   - budget: how many bytes of old objects may be written again. Spent on the newest first.
  public static func plan(
    sizes: [Int64], limit: Int64 = Int64(Limits.objectBody), budget: Int64 = .max
  ) -> [Range<Int>] {
    var rest = budget
    var affordable: [Range<Int>] = []
    for group in ideal(sizes: sizes, limit: limit).reversed() {
      var begin = group.upperBound - 1
      let isNew = group.upperBound == sizes.count
      var spent = isNew ? 0 : sizes[begin]
      while begin > group.lowerBound, spent.addingReportingOverflow(sizes[begin - 1]).partialValue <= rest {
        begin -= 1
        spent += sizes[begin]
      }
      if begin < group.upperBound - 1 { rest -= spent }
      affordable.append(begin..<group.upperBound)
      affordable += (group.lowerBound..<begin).reversed().map { $0..<$0 + 1 }
    }
    return affordable.reversed()
  }

  /// Whether a roll-up was put off because it would have cost one `record` too much.
  public static func isDue(sizes: [Int64]) -> Bool {
    ideal(sizes: sizes, limit: Int64(Limits.objectBody)).count < sizes.count
  }

  private static func ideal(sizes: [Int64], limit: Int64) -> [Range<Int>] {
    var groups: [(range: Range<Int>, size: Int64)] = []
    for (index, size) in sizes.enumerated() {
      groups.append((index..<index + 1, size))
      while groups.count >= 2 {
        let (older, newer) = (groups[groups.count - 2], groups[groups.count - 1])
        guard older.size - newer.size < newer.size, older.size <= limit - newer.size else { break }
        groups.removeLast(2)
        groups.append((older.range.lowerBound..<newer.range.upperBound, older.size + newer.size))
      }
    }
    return groups.map(\.range)
  }
}
