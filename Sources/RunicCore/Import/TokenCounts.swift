/// The token classes of a request. They do not overlap, but for the two that are parts of another one.
public struct TokenCounts: Hashable, Sendable {
  /// Without cache.
  public var input: Int64 = 0
  /// Reasoning included.
  public var output: Int64 = 0
  public var cacheRead: Int64 = 0
  public var cacheWrite: Int64 = 0
  /// The part of `cacheWrite` that is kept for an hour.
  public var cacheWrite1h: Int64 = 0
  /// The part of `output` that is reasoning.
  public var reasoning: Int64 = 0

  public init() {}

  /// Stops at the end of Int64.
  public var total: Int64 { [input, output, cacheRead, cacheWrite].reduce(0) { $0.clampedSum($1) } }
}

extension Int64 {
  /// The sum, or the end of Int64 that it lies beyond.
  func clampedSum(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, at least 0.
  func clampedDifference(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (self > other ? .max : 0) : Swift.max(0, difference)
  }
}
