/// Days, weeks and months by number, and what they are called.
public struct ReportCalendar: Sendable {
  public let grouping: ReportGrouping
  public let zone: ZoneRules

  public init(grouping: ReportGrouping, zone: ZoneRules) { (self.grouping, self.zone) = (grouping, zone) }

  /// The number of the period that a day (counted from 1970-01-01) lies in: of its day, of its week's Monday, or the
  /// months since the year 0.
  public func period(ofDay day: Int64) -> Int64 {
    switch grouping {
    case .weekly: Self.monday(of: day)
    case .monthly: Self.month(of: day)
    default: day
    }
  }

  /// The period after another.
  public func next(after period: Int64) -> Int64 { grouping == .weekly ? period + 7 : period + 1 }

  /// `2026-09-05`, `2026-W36` or `2026-09`.
  public func name(of period: Int64) -> String {
    switch grouping {
    case .weekly: Self.weekName(monday: period)
    case .monthly: String(CivilDate(daysSince1970: firstDay(of: period)).text.dropLast(3))
    default: CivilDate(daysSince1970: period).text
    }
  }

  public func firstDay(of period: Int64) -> Int64 {
    guard grouping == .monthly else { return period }
    return CivilDate.number(
      year: period.flooredQuotient(12), month: period - period.flooredQuotient(12) * 12 + 1, day: 1)
  }

  /// Seconds since 1970 at which the period begins in the zone.
  public func start(of period: Int64) -> Int64 { zone.startOfDay(firstDay(of: period)) }

  private static func monday(of day: Int64) -> Int64 { day - (CivilDate.weekday(day) + 6) % 7 }

  private static func month(of day: Int64) -> Int64 {
    let date = CivilDate(daysSince1970: day)
    return Int64(date.year) * 12 + Int64(date.month) - 1
  }

  /// ISO 8601: a week belongs to the year that its Thursday lies in.
  private static func weekName(monday: Int64) -> String {
    let year = CivilDate(daysSince1970: monday + 3).year
    let newYear = CivilDate.number(year: Int64(year), month: 1, day: 1)
    let week = (monday + 3 - newYear) / 7 + 1
    return "\(year.padded(4))-W\(week.padded(2))"
  }
}
