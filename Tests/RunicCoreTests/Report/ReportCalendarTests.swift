import Testing

@testable import RunicCore

@Suite struct ReportCalendarTests {
  private func name(_ day: String, _ grouping: ReportGrouping) -> String {
    let calendar = ReportCalendar(grouping: grouping, zone: .utc)
    return calendar.name(
      of: calendar.period(ofDay: ReportSample.seconds("\(day)T00:00:00Z").flooredQuotient(86_400)))
  }

  @Test(arguments: [
    ("2026-09-05", "2026-W36"), ("2026-08-31", "2026-W36"), ("2026-09-06", "2026-W36"),
    ("2026-09-07", "2026-W37"),
    ("2025-12-28", "2025-W52"), ("2025-12-29", "2026-W01"), ("2026-01-01", "2026-W01"),
    ("2026-01-04", "2026-W01"),
    ("2026-12-31", "2026-W53"), ("2027-01-01", "2026-W53"), ("2027-01-03", "2026-W53"),
    ("2027-01-04", "2027-W01"),
    ("2024-12-30", "2025-W01"), ("2021-01-03", "2020-W53"), ("2023-01-01", "2022-W52"),
    ("1970-01-01", "1970-W01"),
    ("1969-12-28", "1969-W52"), ("0001-01-01", "0001-W01"),
  ])
  func weeksAreThoseOfISO8601(day: String, week: String) { #expect(name(day, .weekly) == week) }

  @Test(arguments: [
    ("2026-09-30", "2026-09"), ("2026-10-01", "2026-10"), ("2024-02-29", "2024-02"),
    ("1969-12-31", "1969-12"),
    ("2026-01-01", "2026-01"), ("2025-12-31", "2025-12"),
  ])
  func monthsAreThoseOfTheCalendar(day: String, month: String) { #expect(name(day, .monthly) == month) }

  @Test(arguments: ReportGrouping.allCases.filter { [.daily, .weekly, .monthly].contains($0) })
  func everyDayLiesInItsPeriod(grouping: ReportGrouping) {
    let calendar = ReportCalendar(grouping: grouping, zone: ReportSample.berlin)
    var previous: Int64?
    for day in Int64(19_000)..<21_500 {
      let period = calendar.period(ofDay: day)
      let (start, end) = (calendar.start(of: period), calendar.start(of: calendar.next(after: period)))
      #expect((start..<end).contains(calendar.zone.startOfDay(day)), "day \(day)")
      if let previous, previous != period { #expect(calendar.next(after: previous) == period, "day \(day)") }
      previous = period
    }
  }
}
