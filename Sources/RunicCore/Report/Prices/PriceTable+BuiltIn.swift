extension PriceTable {
  /// The table that runic brings along. A user's `prices.json` beside `config.json` stands over it.
  public static let builtIn = PriceTable(lines: builtInLines, asOf: builtInDate)

  /// Reads the lines that `scripts/make-prices` writes; a line that is none is left out, and a test says so.
  init(lines: String, asOf: String) {
    var providers: [[UInt8]: [[UInt8]: ModelPrice]] = [:]
    var provider: [UInt8] = []
    for line in lines.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.first == UInt8(ascii: "[") {
        provider = Array(line.dropFirst().dropLast())
        continue
      }
      let words = line.split(separator: UInt8(ascii: " ")).map(Array.init)
      guard let model = words.first else { continue }
      providers[provider, default: [:]][model] = Self.price(Array(words.dropFirst()))
    }
    self.init(asOf: asOf, providers: providers)
  }

  private static func price(_ words: [[UInt8]]) -> ModelPrice {
    let rates = rates(words[..<min(5, words.count)])
    guard words.count > 5, let threshold = Int64(String(decoding: words[5], as: UTF8.self)) else {
      return ModelPrice(rates: rates)
    }
    return ModelPrice(
      rates: rates, above: ModelPrice.Above(threshold: threshold, rates: self.rates(words[6...])))
  }

  private static func rates(_ words: ArraySlice<[UInt8]>) -> TokenRates {
    let amounts = words.map { Self.rate($0) } + [nil, nil, nil, nil, nil]
    return TokenRates(
      input: amounts[0], output: amounts[1], cacheRead: amounts[2], cacheWrite: amounts[3],
      cacheWrite1h: amounts[4])
  }
}
