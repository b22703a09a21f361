import RunicCore
import Testing

/// A text that is a time, and how it is written in UTC.
struct TimeCase: Sendable, CustomTestStringConvertible {
  let text: String
  let utc: String
  let milliseconds: Int64

  init(_ text: String, _ utc: String, _ milliseconds: Int64) {
    (self.text, self.utc, self.milliseconds) = (text, utc, milliseconds)
  }

  var testDescription: String { text }

  static let all = [
    TimeCase("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 0),
    TimeCase("2026-09-05T10:20:30Z", "2026-09-05T10:20:30Z", 1_788_603_630_000),
    TimeCase("2026-09-05t10:20:30z", "2026-09-05T10:20:30Z", 1_788_603_630_000),
    TimeCase("2026-09-05 10:20:30+00:00", "2026-09-05T10:20:30Z", 1_788_603_630_000),
    TimeCase("2026-09-05T10:20:30-00:00", "2026-09-05T10:20:30Z", 1_788_603_630_000),
    TimeCase("2026-09-05T12:20:30+02:00", "2026-09-05T10:20:30Z", 1_788_603_630_000),
    TimeCase("2026-09-04T22:50:30-11:30", "2026-09-05T10:20:30Z", 1_788_603_630_000),
    TimeCase("2026-09-05T10:20:30.5Z", "2026-09-05T10:20:30.5Z", 1_788_603_630_500),
    TimeCase("2026-09-05T10:20:30.500Z", "2026-09-05T10:20:30.500Z", 1_788_603_630_500),
    TimeCase("2026-09-05T10:20:30.123456789Z", "2026-09-05T10:20:30.123456789Z", 1_788_603_630_123),
    TimeCase("2026-09-05T10:20:30.000000001Z", "2026-09-05T10:20:30.000000001Z", 1_788_603_630_000),
    // The leap day, the turn of a year and leap seconds.
    TimeCase("2024-02-29T23:59:59+00:00", "2024-02-29T23:59:59Z", 1_709_251_199_000),
    TimeCase("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z", 951_782_400_000),
    TimeCase("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z", 1_767_223_800_000),
    TimeCase("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", 1_483_228_800_000),
    // Before 1970 the fraction still counts forwards.
    TimeCase("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z", -500),
    TimeCase("1900-03-01T00:00:00Z", "1900-03-01T00:00:00Z", -2_203_891_200_000),
    TimeCase("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", -62_135_596_800_000),
    TimeCase("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", 253_402_300_799_000),
  ]
}

@Suite struct TimestampTests {
  @Test(arguments: TimeCase.all)
  func aTimeIsTheSameInstantInUTC(_ row: TimeCase) throws {
    let time = try #require(Timestamp(row.text))
    #expect(time.text == row.utc)
    #expect(time.milliseconds == row.milliseconds)
    #expect(Timestamp(time.text) == time)
  }

  @Test(arguments: [
    "", "2026-09-05", "2026-09-05T10:20Z", "2026-09-05T10:20:30", "2026-9-05T10:20:30Z",
    "2026-13-05T10:20:30Z", "2026-00-05T10:20:30Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z", "2026-09-00T00:00:00Z", "2026-09-05T24:00:00Z", "2026-09-05T10:60:00Z",
    "2026-09-05T10:20:61Z", "2026-09-05T10:20:30.Z", "2026-09-05T10:20:30.1234567890Z",
    "2026-09-05T10:20:30+24:00", "2026-09-05T10:20:30+02:60", "2026-09-05T10:20:30+0200",
    "2026-09-05T10:20:30Zx", " 2026-09-05T10:20:30Z", "2026-09-05T10:20:30 Z", "+026-09-05T10:20:30Z",
    "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    "2026-09-05T10:20:30,5Z",
    "２026-09-05T10:20:30Z",
  ])
  func whatIsNoTimeIsRefused(_ text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (-1000, "1969-12-31T23:59:59Z"), (1_788_603_630_120, "2026-09-05T10:20:30.120Z"),
  ])
  func millisecondsBecomeText(_ row: (Int64, String)) throws {
    let time = try #require(Timestamp(milliseconds: row.0))
    #expect(time.text == row.1)
    #expect(time.milliseconds == row.0)
  }

  @Test(arguments: [Int64.min, Int64.max, 253_402_300_800_000, -62_135_596_800_001])
  func millisecondsBeyondTheCalendarAreRefused(_ milliseconds: Int64) {
    #expect(Timestamp(milliseconds: milliseconds) == nil)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00Z"), (1_788_609_600_007, "2026-09-05T12:00:00.007Z"),
      (281_474_976_710_655, "10889-08-02T05:31:50.655Z"), (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
      (.max, "292278994-08-17T07:12:55.807Z"), (.min, "-292275055-05-16T16:47:04.192Z"),
    ] as [(Int64, String)])
  func anyInstantIsWritten(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp.text(milliseconds: milliseconds) == text)
  }

  @Test(arguments: ["1a", "１", "-1", " ", "0123456789"])
  func aFractionIsUpToNineDigits(_ fraction: String) {
    #expect(Timestamp(seconds: 0, fraction: fraction) == nil)
  }

  @Test func fractionsCompareAsNumbers() throws {
    let ascending = ["30.0Z", "30.09Z", "30.1Z", "30.10Z", "30.9Z", "31Z"].map { "2026-09-05T10:20:\($0)" }
    let times = try ascending.map { try #require(Timestamp($0)) }
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(!(later < earlier)) }
    #expect(times[0] < times[1])
    #expect(times[4] < times[5])
  }

  @Test func everyDayOfFourHundredYearsComesBack() throws {
    for days in Int64(-146_097)..<146_097 {
      let date = CivilDate(daysSince1970: days)
      let again = try #require(CivilDate(year: date.year, month: date.month, day: date.day))
      guard again.daysSince1970 == days, CivilDate(date.text) == date else {
        Issue.record("day \(days) is \(date.text) and comes back as \(again.daysSince1970)")
        return
      }
    }
  }
}
