/// An amount of dollars that is not negative, exact to 10^-12 of a dollar.
///
/// A price is in dollars for a million tokens with at most six digits after the point, so the price of one token is
/// a whole number of picodollars, and sums of prices never drift. What does not fit stops at the greatest amount.
public struct Money: Hashable, Sendable {
  static let unit: UInt64 = 1_000_000_000_000

  public private(set) var dollars: UInt64
  /// Below 10^12.
  public private(set) var picodollars: UInt64

  public static let zero = Money(dollars: 0, picodollars: 0)
  static let greatest = Money(dollars: .max, picodollars: unit - 1)

  private init(dollars: UInt64, picodollars: UInt64) {
    (self.dollars, self.picodollars) = (dollars, picodollars)
  }

  /// So many tokens at a rate in picodollars.
  init(tokens: UInt64, rate: UInt64) {
    let product = tokens.multipliedFullWidth(by: rate)
    guard product.high < Self.unit else {
      self = .greatest
      return
    }
    let (quotient, remainder) =
      product.high == 0
      ? product.low.quotientAndRemainder(dividingBy: Self.unit) : Self.unit.dividingFullWidth(product)
    self.init(dollars: quotient, picodollars: remainder)
  }

  public var isZero: Bool { dollars == 0 && picodollars == 0 }

  public static func += (sum: inout Money, other: Money) {
    var picodollars = sum.picodollars &+ other.picodollars
    let carry: UInt64 = picodollars >= unit ? 1 : 0
    picodollars &-= carry &* unit
    let (dollars, overflow) = sum.dollars.addingReportingOverflow(other.dollars)
    let (carried, overflowsToo) = dollars.addingReportingOverflow(carry)
    sum = overflow || overflowsToo ? .greatest : Money(dollars: carried, picodollars: picodollars)
  }

  public static func + (a: Money, b: Money) -> Money {
    var sum = a
    sum += b
    return sum
  }

}

extension Money: Comparable {
  public static func < (a: Money, b: Money) -> Bool {
    (a.dollars, a.picodollars) < (b.dollars, b.picodollars)
  }
}

// MARK: - Text

extension Money {
  /// Reads a decimal number as JSON writes it: digits, a fraction, an exponent. What is finer than 10^-12 is rounded,
  /// a half up. Nil for a negative number and for anything else.
  ///
  /// - Complexity: O(length).
  public init?(decimal text: some Collection<UInt8>) {
    var reader = DecimalDigits()
    guard reader.read(text), let money = reader.money else { return nil }
    self = money
  }

  public init?(decimal text: String) { self.init(decimal: Array(text.utf8)) }

  /// Digits and a point, all that are needed and no more: `0.0125`, `3`.
  public var exactText: String {
    guard picodollars > 0 else { return String(dollars) }
    var digits = picodollars.padded(12)
    while digits.last == "0" { digits.removeLast() }
    return "\(dollars).\(digits)"
  }

  /// With so many digits after the point (1 to 12), rounded, a half up.
  public func text(places: Int) -> String {
    let places = max(1, min(12, places))
    let step = (places..<12).reduce(into: UInt64(1)) { step, _ in step &*= 10 }
    var (whole, part) = (dollars, (picodollars &+ step / 2) / step)
    if part == Self.unit / step {
      (whole, part) = (whole == .max ? whole : whole &+ 1, 0)
    }
    return "\(whole).\(part.padded(places))"
  }

  /// The nearest double.
  public var double: Double { Double(exactText) ?? 0 }

  fileprivate init(whole: UInt64, part: UInt64) {
    self = part < Self.unit ? Money(dollars: whole, picodollars: part) : .greatest
  }
}

/// The digits of a decimal number and where its point stands.
private struct DecimalDigits {
  /// Leading zeros left out.
  private var digits: [UInt8] = []
  /// How many of the digits stand before the point; below 0 where zeros follow it.
  private var point = 0

  /// Longer numbers than any record holds are no amounts.
  private static let limit = 400

  mutating func read(_ text: some Collection<UInt8>) -> Bool {
    guard text.count <= Self.limit else { return false }
    var rest = Array(text)[...]
    let whole = take(&rest)
    guard !whole.isEmpty else { return false }
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = take(&rest)
      guard !fraction.isEmpty else { return false }
    }
    guard let exponent = exponent(&rest), rest.isEmpty else { return false }
    let all = whole + fraction
    let zeros = all.prefix { $0 == UInt8(ascii: "0") }.count
    digits = all.dropFirst(zeros).map { $0 &- UInt8(ascii: "0") }
    point = whole.count - zeros + exponent
    return true
  }

  private func take(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let run = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest[run.endIndex...]
    return run
  }

  /// 0 where there is none; nil where one is begun and not written out.
  private func exponent(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") else { return 0 }
    rest.removeFirst()
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let run = take(&rest)
    guard !run.isEmpty, run.count <= 3 else { return nil }
    let value = run.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    return isNegative ? -value : value
  }

  /// Nil where it is too large.
  var money: Money? {
    guard let whole = number(0..<max(0, point)) else { return nil }
    let begin = point
    guard var part = number(begin..<begin + 12) else { return nil }
    if digit(begin + 12) >= 5 { part &+= 1 }
    if part == Money.unit { return whole == .max ? nil : Money(whole: whole &+ 1, part: 0) }
    return Money(whole: whole, part: part)
  }

  private func digit(_ place: Int) -> UInt8 { digits.indices.contains(place) ? digits[place] : 0 }

  private func number(_ places: Range<Int>) -> UInt64? {
    var value: UInt64 = 0
    for place in places {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = product.addingReportingOverflow(UInt64(digit(place)))
      if overflow || overflowsToo { return nil }
      value = sum
    }
    return value
  }
}
