import RunicCore
import Testing

@testable import runic

@Suite struct InstantTests {
  private static let now: Int64 = 1_788_696_000_123

  @Test(
    arguments: [
      ("1970-01-01", 0), ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
      ("2000-02-29", 951_782_400_000), ("2026-09-05T12:00:00Z", 1_788_609_600_000),
      ("2026-09-05T14:00:00+02:00", 1_788_609_600_000), ("2026-09-05 07:30:00-04:30", 1_788_609_600_000),
      ("2026-09-05t12:00:00.5z", 1_788_609_600_500), ("2026-09-05T12:00:00.123999999Z", 1_788_609_600_123),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("0001-01-01", -62_135_596_800_000),
      ("9999-12-31T23:59:59Z", 253_402_300_799_000),
      ("now", now), ("90s", now - 90_000), ("30m", now - 1_800_000), ("24h", now - 86_400_000),
      ("7d", now - 604_800_000), ("2w", now - 1_209_600_000), ("0s", now),
    ] as [(String, Int64)])
  func aTimeIsRead(_ text: String, _ expected: Int64) {
    #expect(Instant.parse(text, now: Self.now, in: { .utc })?.milliseconds == expected)
  }

  /// Four hours behind UTC in summer.
  @Test func aDayBeginsInTheZoneAndNothingElseAsksForIt() throws {
    let finder = ZoneFinder(folder: nil, read: System.file)
    let zone = try #require(try finder.local(variable: "EST5EDT,M3.2.0,M11.1.0", localName: nil))
    #expect(Instant.parse("2026-09-05", now: 0, in: { zone })?.text == "2026-09-05T04:00:00Z")
    #expect(throws: CommandFailure.self) {
      try Instant.parse("2026-09-05", now: 0) { throw CommandFailure.failed("asked") }
    }
    for text in ["now", "0s", "2026-09-05T12:00:00Z"] {
      #expect(try Instant.parse(text, now: 0) { throw CommandFailure.failed("asked") } != nil)
    }
  }

  /// It begins in the year before, which has no text.
  @Test func theFirstDayOfAllIsOneInTheEastToo() throws {
    let finder = ZoneFinder(folder: nil, read: System.file)
    let zone = try #require(try finder.local(variable: "<+13>-13", localName: nil))
    #expect(Instant.parse("0001-01-01", now: 0, in: { zone })?.text == "0001-01-01T00:00:00Z")
  }

  @Test(arguments: [
    "", "d", "7", "7x", "-7d", "+7d", "7.5d", "7 d", "2026", "2026-9-5", "2026-13-01", "2026-00-01",
    "2026-02-29",
    "1900-02-29", "2026-04-31", "2026-09-05T", "2026-09-05T12:00:00", "2026-09-05T12:00Z",
    "2026-09-05T24:00:00Z",
    "2026-09-05T12:60:00Z", "2026-09-05T12:00:61Z", "2026-09-05T12:00:00.Z", "2026-09-05T12:00:00+0200",
    "2026-09-05T12:00:00+24:00", "2026-09-05T12:00:00Zx", "2026-09-05x", "99999999999w",
    "999999999999999999w",
    "yesterday", "２０２６-09-05",
    // As in a payload: nine digits of a fraction, and the years 1 to 9999.
    "2026-09-05T12:00:00.1234567890Z", "0000-01-01", "9999-12-31T23:59:59-00:01", "200000w",
  ])
  func whatIsNoTimeIsRefused(_ text: String) {
    #expect(Instant.parse(text, now: Self.now, in: { .utc }) == nil)
  }

  @Test func whatLiesBeyondAllTimesIsRefusedWithoutATrap() {
    #expect(Instant.parse("1s", now: .min, in: { .utc }) == nil)
    #expect(Instant.parse("now", now: .max, in: { .utc }) == nil)
    #expect(Instant.parse("9223372036854775807s", now: 0, in: { .utc }) == nil)
  }
}
