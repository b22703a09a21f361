/// Picodollars for one token of each class; nil where the table has no price.
public struct TokenRates: Hashable, Sendable {
  public var input: UInt64?
  public var output: UInt64?
  public var cacheRead: UInt64?
  /// Kept for five minutes.
  public var cacheWrite: UInt64?
  /// Kept for an hour.
  public var cacheWrite1h: UInt64?

  public init(
    input: UInt64? = nil, output: UInt64? = nil, cacheRead: UInt64? = nil, cacheWrite: UInt64? = nil,
    cacheWrite1h: UInt64? = nil
  ) {
    (self.input, self.output, self.cacheRead) = (input, output, cacheRead)
    (self.cacheWrite, self.cacheWrite1h) = (cacheWrite, cacheWrite1h)
  }
}

/// What one request costs, as far as there are prices.
struct Charge: Hashable, Sendable {
  var cost: Money = .zero
  /// Tokens of the classes without a price.
  var unpricedTokens: Int64 = 0
}

/// The prices of one model.
public struct ModelPrice: Hashable, Sendable {
  /// The rates of a request whose context is larger than `threshold` tokens, for all of it.
  public struct Above: Hashable, Sendable {
    /// In tokens of the context: input, and what was read from and written to a cache.
    public let threshold: Int64
    /// A class that this does not name has no price there.
    public let rates: TokenRates

    public init(threshold: Int64, rates: TokenRates) {
      (self.threshold, self.rates) = (threshold, rates)
    }
  }

  /// In picodollars for a token, as far as `above` does not hold.
  public let rates: TokenRates
  public let above: Above?

  public init(rates: TokenRates, above: Above? = nil) { (self.rates, self.above) = (rates, above) }

  /// Prices one request. A class without a price has no cost and is counted: never a neighbour's price.
  func charge(for tokens: TokenCounts) -> Charge {
    var rates = rates
    if let above, tokens.context > above.threshold { rates = above.rates }
    let longWrites = min(max(0, tokens.cacheWrite1h), max(0, tokens.cacheWrite))
    var charge = Charge()
    charge.add(tokens.input, at: rates.input)
    charge.add(tokens.output, at: rates.output)
    charge.add(tokens.cacheRead, at: rates.cacheRead)
    charge.add(tokens.cacheWrite &- longWrites, at: rates.cacheWrite)
    charge.add(longWrites, at: rates.cacheWrite1h)
    return charge
  }
}

extension Charge {
  fileprivate mutating func add(_ tokens: Int64, at rate: UInt64?) {
    guard tokens > 0 else { return }
    if let rate {
      cost += Money(tokens: UInt64(tokens), rate: rate)
    } else {
      unpricedTokens = unpricedTokens.clampedSum(tokens)
    }
  }
}
