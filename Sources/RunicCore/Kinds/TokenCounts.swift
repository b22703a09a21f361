/// The token classes of a request. They do not overlap, but for the two that are parts of another one; what overflows
/// stops at the end of Int64. All are numbers of tokens.
public struct TokenCounts: Hashable, Sendable {
  /// Without what came from a cache.
  public var input: Int64 = 0
  /// Reasoning included.
  public var output: Int64 = 0
  /// What came from a cache.
  public var cacheRead: Int64 = 0
  /// What was put into a cache.
  public var cacheWrite: Int64 = 0
  /// The part of `cacheWrite` that is kept for an hour.
  public var cacheWrite1h: Int64 = 0
  /// The part of `output` that is reasoning.
  public var reasoning: Int64 = 0

  public init(
    input: Int64 = 0, output: Int64 = 0, cacheRead: Int64 = 0, cacheWrite: Int64 = 0, cacheWrite1h: Int64 = 0,
    reasoning: Int64 = 0
  ) {
    (self.input, self.output, self.cacheRead) = (input, output, cacheRead)
    (self.cacheWrite, self.cacheWrite1h, self.reasoning) = (cacheWrite, cacheWrite1h, reasoning)
  }

  /// All tokens, each once.
  public var total: Int64 { input.clampedSum(output).clampedSum(cacheRead).clampedSum(cacheWrite) }
  /// What a threshold of the price table is compared with.
  var context: Int64 { input.clampedSum(cacheRead).clampedSum(cacheWrite) }

  static func += (sum: inout TokenCounts, other: TokenCounts) {
    sum.input = sum.input.clampedSum(other.input)
    sum.output = sum.output.clampedSum(other.output)
    sum.cacheRead = sum.cacheRead.clampedSum(other.cacheRead)
    sum.cacheWrite = sum.cacheWrite.clampedSum(other.cacheWrite)
    sum.cacheWrite1h = sum.cacheWrite1h.clampedSum(other.cacheWrite1h)
    sum.reasoning = sum.reasoning.clampedSum(other.reasoning)
  }
}

extension Int64 {
  /// The sum, or the end of Int64 that it lies beyond.
  @inline(__always)
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
