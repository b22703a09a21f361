/// Points in time as people write them; milliseconds since 1970, UTC.
enum Instant {
  private static let day: Int64 = 86_400_000

  /// Reads a time.
  ///
  /// - `2026-09-05T12:00:00Z`, RFC 3339: with any offset, `T` or a space, and a fraction, of which what is
  ///   finer than milliseconds is cut off;
  /// - `2026-09-05`, the beginning of that day in UTC;
  /// - `90s`, `30m`, `24h`, `7d`, `2w`: so long before `now`; and `now`.
  ///
  /// Nil for anything else, and for days that the calendar does not have.
  static func parse(_ text: String, now: Int64) -> Int64? {
    if text == "now" { return now }
    var reader = Reader(text)
    if let time = reader.date() {
      return reader.isAtEnd ? time : reader.timeOfDay(on: time)
    }
    return relative(Array(text.utf8)).flatMap { length in
      let (time, overflow) = now.subtractingReportingOverflow(length)
      return overflow ? nil : time
    }
  }

  /// RFC 3339 in UTC, with milliseconds where there are any. Years past 9999 have all their digits.
  static func format(_ milliseconds: Int64) -> String {
    let (days, rest) = floorDivided(milliseconds, by: day)
    let (year, month, dayOfMonth) = civil(fromDays: days)
    let seconds = rest / 1000
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
    let fraction = rest % 1000 == 0 ? "" : "." + padded(rest % 1000, 3)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(clock)\(fraction)Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number.magnitude)
    return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// A count and a unit, as milliseconds.
  private static func relative(_ bytes: [UInt8]) -> Int64? {
    guard let unit = bytes.last, bytes.count > 1, bytes.count <= 12 else { return nil }
    let units: [UInt8: Int64] = [
      UInt8(ascii: "s"): 1000, UInt8(ascii: "m"): 60_000, UInt8(ascii: "h"): 3_600_000,
      UInt8(ascii: "d"): day,
      UInt8(ascii: "w"): 7 * day,
    ]
    var reader = Reader(bytes.dropLast())
    guard let length = units[unit], let count = reader.number(bytes.count - 1) else { return nil }
    let (product, overflow) = count.multipliedReportingOverflow(by: length)
    return overflow ? nil : product
  }

  // MARK: - The calendar

  /// Days since 1970-01-01 of a day in the proleptic Gregorian calendar.
  ///
  /// Years are counted from March, so that the leap day is the last of its year, in eras of 400 years, which all
  /// have 146,097 days.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivided(shifted, by: 400)
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of `days`.
  static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivided(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = (monthFromMarch + 2) % 12 + 1
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  fileprivate static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private static func floorDivided(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64)
  {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// Takes the text of a time apart, byte by byte.
private struct Reader {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }
  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// `YYYY-MM-DD`, as milliseconds.
  mutating func date() -> Int64? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      (1...12).contains(month), day >= 1, day <= Instant.daysInMonth(month, year: year)
    else { return nil }
    return Instant.days(year: year, month: month, day: day) * 86_400_000
  }

  /// `THH:MM:SS[.fraction]` and an offset, to the end.
  mutating func timeOfDay(on date: Int64) -> Int64? {
    guard take("T") || take("t") || take(" "), let hour = number(2), take(":"), let minute = number(2),
      take(":"),
      let second = number(2), hour < 24, minute < 60, second <= 60, let fraction = fraction(),
      let offset = offset(), isAtEnd
    else { return nil }
    // The sixtieth second is a leap second: clocks that do not have it show the next one.
    return date + (hour * 3600 + minute * 60 + second - offset * 60) * 1000 + fraction
  }

  /// `Z` or `+HH:MM`, in minutes.
  private mutating func offset() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let isNegative = rest.first == UInt8(ascii: "-")
    guard take("+") || take("-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24,
      minutes < 60
    else { return nil }
    return (isNegative ? -1 : 1) * (hours * 60 + minutes)
  }

  /// Milliseconds; 0 where there is no point, nil where nothing follows it.
  private mutating func fraction() -> Int64? {
    guard take(".") else { return 0 }
    var digits: [Int64] = []
    while let digit = number(1) { digits.append(digit) }
    if digits.isEmpty { return nil }
    return (digits + [0, 0, 0]).prefix(3).reduce(0) { $0 * 10 + $1 }
  }

  /// A number of exactly so many digits, at most 18.
  mutating func number(_ count: Int) -> Int64? {
    guard rest.count >= count, (1...18).contains(count) else { return nil }
    var value: Int64 = 0
    for byte in rest.prefix(count) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    rest = rest.dropFirst(count)
    return value
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }
}
