/// What some requests come to.
public struct UsageSum: Hashable, Sendable {
  /// How many.
  public var requests: Int64 = 0
  /// Class by class.
  public var tokens = TokenCounts()
  /// The sum of `tokens.total` of each request.
  public var totalTokens: Int64 = 0
  /// Dollars, of what has a price.
  public var cost = Money.zero
  /// The part of `cost` that the logs state; the rest is from the price table.
  public var loggedCost = Money.zero
  /// Tokens of classes without a price.
  public var unpricedTokens: Int64 = 0
  /// Requests whose cost is known, if only in part.
  public var pricedRequests: Int64 = 0
  /// Seconds since 1970 of the earliest and the latest.
  public var first: Int64 = .max
  public var last: Int64 = .min

  public init() {}

  /// Nil where there are tokens and not one of them has a price: unknown is not 0.
  public var knownCost: Money? { pricedRequests == 0 && unpricedTokens > 0 ? nil : cost }

  /// Where the cost comes from.
  public enum Source: String, Sendable {
    case logged, table, mixed
  }

  public var source: Source? {
    guard !cost.isZero else { return nil }
    return loggedCost == cost ? .logged : loggedCost.isZero ? .table : .mixed
  }

  mutating func add(_ request: TokenCounts, at seconds: Int64, _ charge: Charge, isLogged: Bool) {
    requests &+= 1
    tokens += request
    let total = request.total
    totalTokens = totalTokens.clampedSum(total)
    cost += charge.cost
    if isLogged { loggedCost += charge.cost }
    unpricedTokens = unpricedTokens.clampedSum(charge.unpricedTokens)
    if charge.unpricedTokens < total || total == 0 { pricedRequests &+= 1 }
    first = Swift.min(first, seconds)
    last = Swift.max(last, seconds)
  }

  public static func += (sum: inout UsageSum, other: UsageSum) {
    sum.requests = sum.requests.clampedSum(other.requests)
    sum.tokens += other.tokens
    sum.totalTokens = sum.totalTokens.clampedSum(other.totalTokens)
    sum.cost += other.cost
    sum.loggedCost += other.loggedCost
    sum.unpricedTokens = sum.unpricedTokens.clampedSum(other.unpricedTokens)
    sum.pricedRequests = sum.pricedRequests.clampedSum(other.pricedRequests)
    sum.first = Swift.min(sum.first, other.first)
    sum.last = Swift.max(sum.last, other.last)
  }
}
