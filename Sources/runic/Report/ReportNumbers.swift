import RunicCore

/// Numbers as people read them in reports.
enum ReportNumbers {
  /// `1,234,567`
  static func grouped(_ number: Int64) -> String { grouped(String(number)) }

  private static func grouped(_ digits: String) -> String {
    var result = ""
    for (place, digit) in digits.reversed().enumerated() {
      if place > 0, place.isMultiple(of: 3), digit != "-" { result.append(",") }
      result.append(digit)
    }
    return String(result.reversed())
  }

  /// `1.2M`: at most three digits and a letter.
  static func short(_ number: Int64) -> String { short(Double(number)) }

  /// The same of what may lie beyond Int64: a mark of a chart, a projection.
  static func short(_ number: Double) -> String {
    var (value, units) = (number, ["", "k", "M", "G", "T", "P", "E"][...])
    while abs(value) >= 999.5, units.count > 1 {
      value /= 1000
      units = units.dropFirst()
    }
    let unit = units.first ?? ""
    if unit.isEmpty || abs(value) >= 9.95 { return whole(value) + unit }
    return "\(tenths(value))\(unit)"
  }

  private static func whole(_ value: Double) -> String {
    Int64(exactly: value.rounded()).map { String($0) } ?? "?"
  }

  /// Rounded to one digit after the point.
  static func tenths(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "?" }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }

  /// `$1,234.56`, with more digits where there are but parts of a cent.
  static func dollars(_ money: Money) -> String {
    let isTiny = !money.isZero && money.dollars == 0 && money.picodollars < 10_000_000_000
    let text = money.text(places: isTiny ? 4 : 2)
    let whole = text.prefix { $0 != "." }
    return "$" + grouped(String(whole)) + text.dropFirst(whole.count)
  }

  static func dollars(_ value: Double) -> String {
    guard value.isFinite, value >= 0, value < 1e12 else { return "?" }
    let cents = Int64((value * 100).rounded())
    return "$\(grouped(cents / 100)).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }

  /// The cost of some requests: with a mark where some tokens have no price, `?` where none has.
  static func cost(_ sum: UsageSum) -> String {
    guard let cost = sum.knownCost else { return "?" }
    return dollars(cost) + (sum.unpricedTokens > 0 ? "+" : "")
  }

  /// `92%`
  static func percent(_ ratio: Double) -> String {
    guard ratio.isFinite, abs(ratio) < 1e9 else { return "?" }
    return "\(Int64((ratio * 100).rounded()))%"
  }

  /// A time span, as coarse as it is long: `5 min`, `3 h`, `2 d`. From the future it is `now`.
  static func age(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "now"
    case ..<3600: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}
