import RunicCore

/// Points in time as people write them.
enum Instant {
  /// Reads a time.
  ///
  /// - `2026-09-05T12:00:00Z`, RFC 3339, as `Timestamp` reads it;
  /// - `2026-09-05`, the beginning of that day in the zone;
  /// - `90s`, `30m`, `24h`, `7d`, `2w`: so long before `now`; and `now`, in milliseconds since 1970.
  ///
  /// Nil for anything else, for days that the calendar does not have, and outside the years 1 to 9999.
  ///
  /// - Parameter zone: looked for only where a day is named.
  static func parse(_ text: String, now: Int64, in zone: () throws -> ZoneRules) rethrows -> Timestamp? {
    if text == "now" { return Timestamp(milliseconds: now) }
    if let day = CivilDate(text)?.daysSince1970 {
      // The first day of the year 1 begins in the year before in the east.
      return Timestamp(seconds: try zone().startOfDay(day)) ?? Timestamp(seconds: day * 86_400)
    }
    return Timestamp(text) ?? relative(Array(text.utf8), now: now)
  }

  private static let day: Int64 = 86_400_000

  /// Milliseconds.
  private static let units: [UInt8: Int64] = [
    UInt8(ascii: "s"): 1000, UInt8(ascii: "m"): 60_000, UInt8(ascii: "h"): 3_600_000, UInt8(ascii: "d"): day,
    UInt8(ascii: "w"): 7 * day,
  ]

  /// A count of digits alone and a unit.
  private static func relative(_ text: [UInt8], now: Int64) -> Timestamp? {
    let digits = text.dropLast()
    guard let unit = text.last.flatMap({ units[$0] }),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let count = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let (length, overflow) = count.multipliedReportingOverflow(by: unit)
    let (time, overflowsToo) = now.subtractingReportingOverflow(length)
    return overflow || overflowsToo ? nil : Timestamp(milliseconds: time)
  }
}
