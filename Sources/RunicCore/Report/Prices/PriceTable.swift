import CanonicalJSON

/// Prices by provider and model, with the date that they are of.
public struct PriceTable: Sendable {
  /// As the table says it: `2026-11`.
  public private(set) var asOf: String
  /// The user's own table that stands over the built-in one, where there is one.
  public private(set) var override: Override?
  private var providers: [[UInt8]: [[UInt8]: ModelPrice]]

  public struct Override: Hashable, Sendable {
    public let asOf: String
    public let path: String
  }

  init(asOf: String, providers: [[UInt8]: [[UInt8]: ModelPrice]]) {
    (self.asOf, self.providers) = (asOf, providers)
  }

  /// The price of a model: by its exact name, else by the name without a date of eight digits at its end. Bytes
  /// decide, never likeness.
  public func price(provider: [UInt8], model: [UInt8]) -> ModelPrice? {
    guard let models = providers[ProviderName.canonical(provider)] else { return nil }
    if let price = models[model] { return price }
    return Self.undated(model).flatMap { models[$0] }
  }

  private static func undated(_ model: [UInt8]) -> [UInt8]? {
    guard model.count > 9, model[model.count - 9] == UInt8(ascii: "-"),
      model.suffix(8).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Array(model.dropLast(9))
  }

  /// Lays another table over this one: each model that it names has its prices and no other.
  public func overridden(by table: PriceTable, path: String) -> PriceTable {
    var result = self
    for (provider, models) in table.providers {
      result.providers[ProviderName.canonical(provider), default: [:]].merge(models) { _, theirs in theirs }
    }
    result.override = Override(asOf: table.asOf, path: path)
    return result
  }
}

// MARK: - Files

/// What is wrong with a price file: the place, as keys from the outermost in.
public struct PriceFileError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    case json(JSONError)
    case missing
    /// An amount is a string of digits with a point, in dollars for a million tokens, of at most six digits after it.
    case badAmount
    case badThreshold
    case notAnObject
  }

  public let place: [String]
  public let reason: Reason

  public init(place: [String], reason: Reason) { (self.place, self.reason) = (place, reason) }
}

extension PriceTable {
  /// Reads `{"asOf":"2026-11","providers":{PROVIDER:{MODEL:{"input":"3","output":"15",…}}}}`.
  ///
  /// The classes are `input`, `output`, `cacheRead`, `cacheWrite5m` and `cacheWrite1h`; `above` holds a `threshold`
  /// and the classes that hold past it. Other members are left alone.
  public init(decoding bytes: [UInt8]) throws(PriceFileError) {
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue.parse(bytes) } catch {
      throw PriceFileError(place: [], reason: .json(error))
    }
    guard let asOf = json["asOf"]?.textValue else { throw PriceFileError(place: ["asOf"], reason: .missing) }
    guard let list = json["providers"]?.objectValue else {
      throw PriceFileError(place: ["providers"], reason: .missing)
    }
    self.init(asOf: asOf, providers: [:])
    for (provider, models) in list {
      guard let models = models.objectValue else {
        throw PriceFileError(place: [provider.string], reason: .notAnObject)
      }
      for (model, price) in models {
        let place = [provider.string, model.string]
        providers[ProviderName.canonical(provider.utf8), default: [:]][model.utf8] = try Self.price(
          price, place)
      }
    }
  }

  private static func price(_ json: JSONValue, _ place: [String]) throws(PriceFileError) -> ModelPrice {
    guard let object = json.objectValue else { throw PriceFileError(place: place, reason: .notAnObject) }
    let rates = try rates(object, place)
    guard let above = object["above"] else { return ModelPrice(rates: rates) }
    let inner = place + ["above"]
    guard let object = above.objectValue else { throw PriceFileError(place: inner, reason: .notAnObject) }
    guard let threshold = object["threshold"]?.intValue, threshold >= 0 else {
      throw PriceFileError(place: inner, reason: .badThreshold)
    }
    return ModelPrice(
      rates: rates, above: ModelPrice.Above(threshold: threshold, rates: try Self.rates(object, inner)))
  }

  private static func rates(_ object: JSONObject, _ place: [String]) throws(PriceFileError) -> TokenRates {
    func rate(_ name: JSONString) throws(PriceFileError) -> UInt64? {
      guard let value = object[name] else { return nil }
      guard let text = value.stringValue, let rate = Self.rate(text.utf8) else {
        throw PriceFileError(place: place + [name.string], reason: .badAmount)
      }
      return rate
    }
    return TokenRates(
      input: try rate("input"), output: try rate("output"), cacheRead: try rate("cacheRead"),
      cacheWrite: try rate("cacheWrite5m"), cacheWrite1h: try rate("cacheWrite1h"))
  }

  /// Picodollars for a token, from dollars for a million; nil where that is no whole number of them.
  static func rate(_ text: [UInt8]) -> UInt64? {
    guard let money = Money(decimal: text), money.picodollars % 1_000_000 == 0 else { return nil }
    let (whole, overflow) = money.dollars.multipliedReportingOverflow(by: 1_000_000)
    let (rate, overflowsToo) = whole.addingReportingOverflow(money.picodollars / 1_000_000)
    return overflow || overflowsToo ? nil : rate
  }
}
