/// Five hours of use, counted from the full hour (of UTC) of the first request in them: how the subscriptions of some
/// providers count.
public struct UsageBlock: Hashable, Sendable {
  public static let hours: Int64 = 5

  /// Seconds since 1970.
  public let start: Int64
  public let end: Int64
  /// Of the block that the present lies in.
  public let rate: Rate?

  /// How fast the present block is being used.
  public struct Rate: Hashable, Sendable {
    /// From its first request to now, at least one.
    public let minutes: Int64
    public let tokensPerMinute: Double
    /// In dollars; nil where no cost is known.
    public let costPerHour: Double?
    public let minutesLeft: Int64
    /// What the block comes to if it goes on like this.
    public let projectedTokens: Double
    public let projectedCost: Double?
  }

  /// Puts hours with use into blocks: the first hour that lies in none begins the next. As blocks begin on the hour, a
  /// request five hours after the last one always lies in another block.
  ///
  /// - Parameter hours: since 1970, ascending.
  /// - Returns: the hour that the block of each begins with.
  static func starts(of hours: [Int64]) -> [Int64] {
    var start = Int64.min
    return hours.map { hour in
      if start == .min || hour >= start + Self.hours { start = hour }
      return start
    }
  }

  init(startHour: Int64, sum: UsageSum, now: Int64) {
    start = startHour * 3600
    end = start + Self.hours * 3600
    rate = (start..<end).contains(now) ? Rate(sum, end: end, now: now) : nil
  }
}

extension UsageBlock.Rate {
  fileprivate init(_ sum: UsageSum, end: Int64, now: Int64) {
    let minutes = max(1, (now - min(sum.first, now)) / 60)
    let left = max(0, (end - now) / 60)
    let perMinute = Double(sum.totalTokens) / Double(minutes)
    let costPerMinute = sum.knownCost.map { $0.double / Double(minutes) }
    self.init(
      minutes: minutes, tokensPerMinute: perMinute, costPerHour: costPerMinute.map { $0 * 60 },
      minutesLeft: left, projectedTokens: Double(sum.totalTokens) + perMinute * Double(left),
      projectedCost: costPerMinute.map { ($0 * Double(left)) + (sum.knownCost?.double ?? 0) })
  }
}
