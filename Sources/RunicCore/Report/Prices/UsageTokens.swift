/// Tokens by class. The first four do not overlap; what overflows stops at the end of Int64.
public struct UsageTokens: Hashable, Sendable {
  /// Without what came from a cache.
  public var input: Int64 = 0
  /// Reasoning included.
  public var output: Int64 = 0
  public var cacheRead: Int64 = 0
  public var cacheWrite: Int64 = 0
  /// A part of `cacheWrite`: what is kept for an hour.
  public var cacheWrite1h: Int64 = 0
  /// A part of `output`.
  public var reasoning: Int64 = 0

  public init(
    input: Int64 = 0, output: Int64 = 0, cacheRead: Int64 = 0, cacheWrite: Int64 = 0, cacheWrite1h: Int64 = 0,
    reasoning: Int64 = 0
  ) {
    (self.input, self.output, self.cacheRead) = (input, output, cacheRead)
    (self.cacheWrite, self.cacheWrite1h, self.reasoning) = (cacheWrite, cacheWrite1h, reasoning)
  }

  public var total: Int64 { input.saturatingSum(output).saturatingSum(cacheRead).saturatingSum(cacheWrite) }
  /// What a threshold of the price table is compared with.
  var context: Int64 { input.saturatingSum(cacheRead).saturatingSum(cacheWrite) }

  static func += (sum: inout UsageTokens, other: UsageTokens) {
    sum.input = sum.input.saturatingSum(other.input)
    sum.output = sum.output.saturatingSum(other.output)
    sum.cacheRead = sum.cacheRead.saturatingSum(other.cacheRead)
    sum.cacheWrite = sum.cacheWrite.saturatingSum(other.cacheWrite)
    sum.cacheWrite1h = sum.cacheWrite1h.saturatingSum(other.cacheWrite1h)
    sum.reasoning = sum.reasoning.saturatingSum(other.reasoning)
  }
}

extension Int64 {
  /// The sum of two numbers that are not negative, at most the greatest number there is.
  @inline(__always)
  func saturatingSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
