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
    let (seconds, fraction) = Self.parts(milliseconds)
    self.init(seconds: seconds, fraction: fraction)
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
    guard let date = reader.date(), reader.take("T") || reader.take("t") || reader.take(" "),
      let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
      let second = reader.number(2)
    else { return nil }
    let fraction = reader.take(".") ? reader.digits() : ""
    guard let fraction, let offset = reader.offset(), reader.isAtEnd, hour < 24, minute < 60, second <= 60
    else { return nil }
    let seconds = date.daysSince1970 * 86400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offset)
    self.init(seconds: seconds, fraction: fraction)
  }

  /// RFC 3339 in UTC.
  public var text: String { Self.text(seconds: seconds, fraction: fraction) }
}

// MARK: - Any instant

extension Timestamp {
  /// RFC 3339 in UTC, of any instant in milliseconds since 1970: stamps, which others make, may lie past the year
  /// 9999, which has all its digits then.
  public static func text(milliseconds: Int64) -> String {
    let (seconds, fraction) = parts(milliseconds)
    return text(seconds: seconds, fraction: fraction)
  }

  private static func parts(_ milliseconds: Int64) -> (seconds: Int64, fraction: String) {
    let seconds = milliseconds.flooredQuotient(1000)
    let rest = milliseconds &- seconds &* 1000
    return (seconds, rest == 0 ? "" : rest.padded(3))
  }

  private static func text(seconds: Int64, fraction: String) -> String {
    let day = seconds.flooredQuotient(86_400)
    let rest = Int(seconds - day * 86_400)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    return "\(CivilDate(daysSince1970: day).text)T\(clock)\(fraction.isEmpty ? "" : ".\(fraction)")Z"
  }
}

extension Timestamp: Comparable {
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.seconds != b.seconds ? a.seconds < b.seconds : a.padded < b.padded
  }

  private var padded: String { fraction + String(repeating: "0", count: 9 - fraction.utf8.count) }
}
