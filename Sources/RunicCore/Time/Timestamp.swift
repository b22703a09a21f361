/// A point in time as RFC 3339 writes it: an instant, with the fraction of a second that it came with.
///
/// Two texts of one instant in two zones are one timestamp; what is stored is always in UTC.
public struct Timestamp: Hashable, Sendable {
  /// Seconds since 1970, UTC.
  public let seconds: Int64
  /// Up to nine digits after the point, as they came; empty for whole seconds.
  public let fraction: String

  public init?(seconds: Int64, fraction: String = "") {
    guard (Self.least...Self.greatest).contains(seconds), fraction.utf8.count <= 9,
      fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    self.seconds = seconds
    self.fraction = fraction
  }

  /// Milliseconds since 1970, three digits of fraction where they are not zero.
  public init?(milliseconds: Int64) {
    let (quotient, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let part = rest < 0 ? rest + 1000 : rest
    let digits = "000\(part)".suffix(3)
    self.init(seconds: rest < 0 ? quotient - 1 : quotient, fraction: part == 0 ? "" : String(digits))
  }

  /// Milliseconds since 1970, what is finer cut off.
  public var milliseconds: Int64 {
    seconds &* 1000 &+ (Int64(("\(fraction)000").prefix(3)) ?? 0)
  }

  /// The years 0001 to 9999.
  private static let least: Int64 = -62_135_596_800
  private static let greatest: Int64 = 253_402_300_799

  /// Reads RFC 3339, section 5.6: a full date and time with an offset. `T` and `Z` in either case, a space for
  /// `T`; a leap second counts as the second after it; at most nine digits of fraction.
  public init?(_ text: String) {
    var reader = DigitReader(text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.take("T") || reader.take("t") || reader.take(" "),
      let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
      let second = reader.number(2)
    else { return nil }
    let fraction = reader.take(".") ? reader.digits() : ""
    guard let fraction, let offset = reader.offset(), reader.isAtEnd,
      let days = CivilDate(year: year, month: month, day: day)?.daysSince1970, hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let seconds = days * 86400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offset)
    self.init(seconds: seconds, fraction: fraction)
  }

  /// RFC 3339 in UTC.
  public var text: String {
    let day = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
    let rest = Int(seconds - day * 86400)
    let date = CivilDate(daysSince1970: day)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    return "\(date.text)T\(clock)\(fraction.isEmpty ? "" : ".\(fraction)")Z"
  }
}

extension Timestamp: Comparable {
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.seconds != b.seconds ? a.seconds < b.seconds : a.padded < b.padded
  }

  private var padded: String { fraction + String(repeating: "0", count: 9 - fraction.utf8.count) }
}

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

  /// Counts in years that begin in March, so that the leap day comes last.
  public init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
  }

  public var daysSince1970: Int64 {
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear - era * 400
    let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// `2026-09-05`.
  public var text: String {
    let digits = "000\(year)".suffix(4)
    return "\(digits)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    default: 31
    }
  }
}

/// Walks over the digits and marks of a time.
private struct DigitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == mark.value else { return false }
    position += 1
    return true
  }

  mutating func number(_ count: Int) -> Int? {
    guard bytes.count - position >= count else { return nil }
    var value = 0
    for byte in bytes[position..<position + count] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    position += count
    return value
  }

  /// One to nine digits.
  mutating func digits() -> String? {
    let run = bytes[position...].prefix { (0x30...0x39).contains($0) }
    guard (1...9).contains(run.count) else { return nil }
    position += run.count
    return String(decoding: run, as: UTF8.self)
  }

  /// `Z`, or hours and minutes to add to UTC, in seconds.
  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let sign = take("+") ? 1 : take("-") ? -1 : 0
    guard sign != 0, let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
