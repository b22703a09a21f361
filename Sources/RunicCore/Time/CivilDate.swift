/// A day of the proleptic Gregorian calendar.
public struct CivilDate: Hashable, Sendable {
  public let year: Int
  public let month: Int
  public let day: Int

  /// Years 1 to 9999; nil for a day that does not exist.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.length(ofMonth: month, year: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads `2026-09-05`.
  public init?(_ text: String) {
    var reader = DigitReader(text)
    guard let date = reader.date(), reader.isAtEnd else { return nil }
    self = date
  }

  /// A day of any year, by its number.
  public init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
  }

  public var daysSince1970: Int64 { Self.number(year: Int64(year), month: Int64(month), day: Int64(day)) }

  /// `2026-09-05`; a year past 9999 has all its digits, one before 0 a sign.
  public var text: String { "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))" }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: isLeap(Int64(year)) ? 29 : 28
    default: 31
    }
  }
}

// MARK: - By number

extension CivilDate {
  /// Days since 1970-01-01, of a day of any year; whether it exists is not looked at, and nothing traps.
  ///
  /// Years count from March, so that the leap day is their last; 400 of them have 146,097 days.
  static func number(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year &- 1 : year
    let era = shifted.flooredQuotient(400)
    let yearOfEra = shifted &- era &* 400
    let fromMarch = month > 2 ? month &- 3 : month &+ 9
    let dayOfYear = (153 &* fromMarch &+ 2) / 5 &+ day &- 1
    return era &* 146_097 &+ yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear &- 719_468
  }

  static func isLeap(_ year: Int64) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  /// Of a day by its number; Sunday 0. The first day of 1970 was a Thursday.
  static func weekday(_ day: Int64) -> Int64 {
    let rest = (day &+ 4) % 7
    return rest < 0 ? rest &+ 7 : rest
  }
}
