import TestSupport
import Testing

@testable import RunicCore

/// An instant in a zone, and what the clocks there say.
struct OffsetCase: Sendable, CustomTestStringConvertible {
  let rule: String
  let time: String
  let offset: Int64

  var testDescription: String { "\(rule) at \(time)" }

  private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
  private static let newYork = "EST5EDT,M3.2.0,M11.1.0"
  private static let dublin = "IST-1GMT0,M10.5.0,M3.5.0/1"
  private static let lordHowe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"
  private static let santiago = "<-04>4<-03>,M9.1.6/24,M4.1.6/24"
  private static let greenland = "<-02>2<-01>,M3.5.0/-1,M10.5.0/0"

  static let all = [
    OffsetCase(rule: "UTC0", time: "2026-07-01T00:00:00Z", offset: 0),
    OffsetCase(rule: "<+0330>-3:30", time: "2026-07-01T00:00:00Z", offset: 12_600),
    OffsetCase(rule: berlin, time: "2026-03-29T00:59:59Z", offset: 3600),
    OffsetCase(rule: berlin, time: "2026-03-29T01:00:00Z", offset: 7200),
    OffsetCase(rule: berlin, time: "2026-10-25T00:59:59Z", offset: 7200),
    OffsetCase(rule: berlin, time: "2026-10-25T01:00:00Z", offset: 3600),
    OffsetCase(rule: berlin, time: "2026-01-01T00:00:00Z", offset: 3600),
    OffsetCase(rule: berlin, time: "2400-07-01T00:00:00Z", offset: 7200),
    OffsetCase(rule: newYork, time: "2026-03-08T06:59:59Z", offset: -18_000),
    OffsetCase(rule: newYork, time: "2026-03-08T07:00:00Z", offset: -14_400),
    OffsetCase(rule: newYork, time: "2026-11-01T06:00:00Z", offset: -18_000),
    OffsetCase(rule: dublin, time: "2026-07-01T00:00:00Z", offset: 3600),
    OffsetCase(rule: dublin, time: "2026-12-01T00:00:00Z", offset: 0),
    OffsetCase(rule: lordHowe, time: "2026-01-01T00:00:00Z", offset: 39_600),
    OffsetCase(rule: lordHowe, time: "2026-07-01T00:00:00Z", offset: 37_800),
    OffsetCase(rule: santiago, time: "2026-01-01T00:00:00Z", offset: -10_800),
    OffsetCase(rule: santiago, time: "2026-09-06T03:59:59Z", offset: -14_400),
    OffsetCase(rule: santiago, time: "2026-09-06T04:00:00Z", offset: -10_800),
    // Without days of change: those of the United States, as POSIX systems have it.
    OffsetCase(rule: "EST5EDT", time: "2026-03-08T06:59:59Z", offset: -18_000),
    OffsetCase(rule: "EST5EDT", time: "2026-03-08T07:00:00Z", offset: -14_400),
    OffsetCase(rule: "CET-1CEST", time: "2026-11-01T00:00:00Z", offset: 3600),
    OffsetCase(rule: "CST6CDT5", time: "2026-07-01T00:00:00Z", offset: -18_000),
    // Before midnight: 23:00 on the Saturday.
    OffsetCase(rule: greenland, time: "2026-03-29T00:59:59Z", offset: -7200),
    OffsetCase(rule: greenland, time: "2026-03-29T01:00:00Z", offset: -3600),
    // Days of the year: J60 is the first of March always, 60 is the 29th of February in leap years.
    OffsetCase(rule: "AAA0BBB,J60/0,J61/0", time: "2024-02-29T12:00:00Z", offset: 0),
    OffsetCase(rule: "AAA0BBB,J60/0,J61/0", time: "2024-03-01T12:00:00Z", offset: 3600),
    OffsetCase(rule: "AAA0BBB,59/0,60/0", time: "2024-02-29T12:00:00Z", offset: 3600),
    OffsetCase(rule: "AAA0BBB,59/0,60/0", time: "2023-03-01T12:00:00Z", offset: 3600),
  ]
}

@Suite struct ReportZoneTests {
  @Test(arguments: OffsetCase.all)
  func rulesGiveTheOffset(_ sample: OffsetCase) throws {
    let zone = try #require(ZoneRules(posix: sample.rule))
    let seconds = ReportSample.seconds(sample.time)
    #expect(zone.offset(at: seconds) == sample.offset)
    #expect(zone.span(at: seconds).range.contains(seconds))
  }

  @Test(arguments: [
    "", "C", "CE-1", "CET", "CET-1CEST,", "CET-1CE", "CET-25", "CET-1CEST,M3.5.0",
    "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/168",
    "CET-1CEST,M3.5.0,M10.5.0 ", "<CET-1", "CET-1CEST,J0,J5", "CET-1CEST,366,1", "CET-1:60", "CET--1",
  ])
  func whatIsNoRuleIsNone(text: String) { #expect(ZoneRules(posix: text) == nil) }

  @Test(arguments: [
    ("2026-03-28", 24), ("2026-03-29", 23), ("2026-03-30", 24), ("2026-10-25", 25), ("2026-10-26", 24),
  ])
  func daysOfAChangeHaveTheirOwnLength(day: String, hours: Int64) {
    let zone = ReportSample.berlin
    let number = ReportSample.seconds("\(day)T00:00:00Z") / 86_400
    #expect(zone.startOfDay(number + 1) - zone.startOfDay(number) == hours * 3600)
    #expect(zone.day(at: zone.startOfDay(number)) == number)
    #expect(zone.day(at: zone.startOfDay(number) - 1) == number - 1)
  }

  @Test func aDayWithoutAMidnightBeginsAfterTheGap() {
    // In Chile the clocks go from 24:00 of the Saturday to 01:00.
    let zone = ReportSample.zone("<-04>4<-03>,M9.1.6/24,M4.1.6/24")
    let sunday = ReportSample.seconds("2026-09-06T00:00:00Z") / 86_400
    #expect(zone.startOfDay(sunday) == ReportSample.seconds("2026-09-06T04:00:00Z"))
    #expect(zone.startOfDay(sunday + 1) - zone.startOfDay(sunday) == 23 * 3600)
  }

  /// In Newfoundland the clocks went back from 00:01 to 23:01 for some years: a day began twice.
  @Test func aDayThatBeginsTwiceBeginsTheFirstTime() {
    let zone = ReportSample.zone("NST3:30NDT,M4.1.0/0:01,M10.5.0/0:01")
    let sunday = ReportSample.seconds("2006-10-29T00:00:00Z") / 86_400
    #expect(zone.startOfDay(sunday) == ReportSample.seconds("2006-10-29T02:30:00Z"))
    #expect(zone.day(at: zone.startOfDay(sunday) + 60) == sunday - 1)
    for day in sunday - 400..<sunday + 400 {
      let start = zone.startOfDay(day)
      #expect(zone.day(at: start) == day && zone.day(at: start - 1) == day - 1, "day \(day)")
      #expect([60, 3600, 3660, 7200].allSatisfy { zone.day(at: start - $0) < day }, "day \(day)")
    }
  }

  @Test(arguments: ["NST3:30NDT,M4.1.0/0:01,M10.5.0/0:01", "<-04>4<-03>,M9.1.6/24,M4.1.6/24", "UTC0"])
  func theFarthestDaysHaveABeginning(rule: String) {
    let zone = ReportSample.zone(rule)
    for day in [-719_162, -1, 0, 2_932_896, 2_932_897] as [Int64] {
      #expect(zone.day(at: zone.startOfDay(day)) == day, "day \(day)")
    }
  }

  // MARK: - Files

  private static let file = ZoneFixture.file(
    transitions: [(-1000, 1), (1000, 0), (2000, 2)], offsets: [0, 3600, -7200],
    footer: "AAA2BBB,M3.5.0,M10.5.0")

  @Test func aFileGivesItsTransitionsThenItsFooter() throws {
    let zone = try ZoneRules(name: "Test/Zone", decoding: Self.file)
    #expect(
      [-2000, -1000, 999, 1000, 1999, 2000].map(zone.offset) == [0, 3600, 3600, 0, 0, -7200])
    #expect(zone.offset(at: ReportSample.seconds("2026-07-01T00:00:00Z")) == -3600)
    #expect(zone.span(at: 1500) == ZoneRules.Span(range: 1000..<2000, offset: 0))
  }

  @Test func withoutAFooterTheLastOffsetHolds() throws {
    for version in [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")] {
      let zone = try ZoneRules(
        name: "x",
        decoding: ZoneFixture.file(version: version, transitions: [(0, 1)], offsets: [0, 7200], footer: ""))
      #expect(zone.offset(at: 1 << 33) == 7200, "version \(version)")
      #expect(zone.offset(at: -1) == 0, "version \(version)")
    }
  }

  @Test func everyCutFileIsRefused() {
    for length in 0..<Self.file.count {
      #expect(throws: ZoneFileError.self, "length \(length)") {
        try ZoneRules(name: "x", decoding: Array(Self.file.prefix(length)))
      }
    }
    #expect(throws: ZoneFileError.malformed) { try ZoneRules(name: "x", decoding: Self.file + [0]) }
  }

  @Test func noByteOfAFileCanDoHarm() {
    for place in Self.file.indices {
      for flip in [1, 0x80, 0xFF] as [UInt8] {
        var file = Self.file
        file[place] ^= flip
        guard let zone = try? ZoneRules(name: "x", decoding: file) else { continue }
        for seconds in [-1 << 39, -1000, 0, 1500, 1_788_603_630, 1 << 39] as [Int64] {
          #expect(zone.span(at: seconds).range.contains(seconds), "byte \(place) ^ \(flip) at \(seconds)")
        }
      }
    }
  }

  @Test(arguments: [
    (ZoneFixture.file(transitions: [(5, 0), (5, 0)], offsets: [0], footer: ""), ZoneFileError.malformed),
    (ZoneFixture.file(transitions: [(5, 0), (4, 0)], offsets: [0], footer: ""), .malformed),
    (ZoneFixture.file(transitions: [(5, 1)], offsets: [0], footer: ""), .malformed),
    (ZoneFixture.file(transitions: [], offsets: [100_000], footer: ""), .malformed),
    (ZoneFixture.file(transitions: [], offsets: [], footer: ""), .malformed),
    (ZoneFixture.file(transitions: [], offsets: [0], footer: "nonsense"), .malformed),
    (ZoneFixture.file(transitions: [], offsets: [0], footer: "", leaps: 1), .countsLeapSeconds),
    (ZoneFixture.file(version: UInt8(ascii: "9"), transitions: [], offsets: [0], footer: ""), .notAZone),
    (Array("# tzdb list".utf8), .notAZone),
  ])
  func aWrongFileIsRefused(file: [UInt8], error: ZoneFileError) {
    #expect(throws: error) { try ZoneRules(name: "x", decoding: file) }
  }

  // MARK: - Finding

  private static var finder: ZoneFinder {
    ZoneFinder(folder: "/zones") { path in
      switch path {
      case "/zones/Europe/Here", "/etc/localtime", "/tmp/zone": file
      case "/zones/tzdata.zi", "/zones/README": Array("# text".utf8)
      case "/zones/right/Here": ZoneFixture.file(transitions: [], offsets: [0], footer: "", leaps: 2)
      default: nil
      }
    }
  }

  @Test func zonesAreFoundByName() throws {
    #expect(try Self.finder.zone(named: "Europe/Here")?.name == "Europe/Here")
    for name in [
      "Europe/There", "README", "../etc/localtime", "/tmp/zone", "", "Europe//Here", "Europe/", "tzdata.zi",
    ] {
      #expect(try Self.finder.zone(named: name) == nil, "\(name)")
    }
    #expect(throws: ZoneFileError.countsLeapSeconds) { try Self.finder.zone(named: "right/Here") }
    #expect(try Self.finder.zone(named: "UTC")?.offset(at: 0) == 0)
    #expect(ZoneFinder(folder: "") { _ in nil }.folder == ZoneFinder.defaultFolder)
  }

  @Test(
    arguments: [
      (nil, "/usr/share/zoneinfo/Europe/Here", "Europe/Here"), (nil, nil, "local"), ("", nil, "UTC"),
      (":Europe/Here", nil, "Europe/Here"), ("Europe/Here", nil, "Europe/Here"),
      ("/tmp/zone", nil, "/tmp/zone"),
      ("CET-1", nil, "CET-1"), ("Nowhere/At all", nil, nil), ("/no/file", nil, nil),
    ] as [(String?, String?, String?)])
  func theMachinesZoneIsFound(variable: String?, link: String?, name: String?) throws {
    #expect(try Self.finder.local(variable: variable, localName: link)?.name == name)
  }

  @Test func aMachineWithoutAZoneIsInUTC() throws {
    #expect(try ZoneFinder(folder: nil) { _ in nil }.local(variable: nil, localName: nil)?.name == "UTC")
  }
}
