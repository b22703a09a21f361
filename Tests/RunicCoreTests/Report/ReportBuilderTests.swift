import CanonicalJSON
import TestSupport
import Testing

@testable import RunicCore

/// One request, and what it costs.
struct ChargeCase: Sendable, CustomTestStringConvertible {
  let rule: String
  let request: SampleRequest
  var ignoresLogged = false
  /// Nil: unknown.
  let cost: String?
  var unpriced: Int64 = 0
  var source: UsageSum.Source?

  var testDescription: String { rule }

  static let all = [
    ChargeCase(
      rule: "the table prices what has no logged cost", request: SampleRequest(), cost: "0.005",
      source: .table),
    ChargeCase(
      rule: "a logged cost stands", request: SampleRequest(other: ["costUSD": 0.25]), cost: "0.25",
      source: .logged),
    ChargeCase(
      rule: "--prices computes every cost", request: SampleRequest(other: ["costUSD": 0.25]),
      ignoresLogged: true,
      cost: "0.005", source: .table),
    ChargeCase(
      rule: "a logged cost of 0 means unknown", request: SampleRequest(other: ["costUSD": 0]), cost: "0.005",
      source: .table),
    ChargeCase(
      rule: "a negative logged cost means unknown", request: SampleRequest(other: ["costUSD": -3]),
      cost: "0.005",
      source: .table),
    ChargeCase(
      rule: "a tiny logged cost is exact", request: SampleRequest(other: ["costUSD": 1e-7]),
      cost: "0.0000001",
      source: .logged),
    ChargeCase(
      rule: "an unknown model has no price", request: SampleRequest(model: "claude-opus-4-8x"), cost: nil,
      unpriced: 1000),
    ChargeCase(
      rule: "a known model of another provider has no price", request: SampleRequest(provider: "openai"),
      cost: nil,
      unpriced: 1000),
    ChargeCase(
      rule: "an unknown model with a logged cost has that",
      request: SampleRequest(model: "x", other: ["costUSD": 2]),
      cost: "2", source: .logged),
    ChargeCase(
      rule: "a date is taken off", request: SampleRequest(model: "claude-opus-4-8-20260101"), cost: "0.005",
      source: .table),
    ChargeCase(
      rule: "a tier has no price", request: SampleRequest(other: ["serviceTier": "priority"]), cost: nil,
      unpriced: 1000),
    ChargeCase(
      rule: "the standard tier has one", request: SampleRequest(other: ["serviceTier": "standard"]),
      cost: "0.005",
      source: .table),
    ChargeCase(
      rule: "a speed has no price", request: SampleRequest(other: ["speed": "fast"]), cost: nil,
      unpriced: 1000),
    ChargeCase(
      rule: "a tier with a logged cost has that",
      request: SampleRequest(other: ["serviceTier": "priority", "costUSD": 1]), cost: "1", source: .logged),
    ChargeCase(
      rule: "writes for an hour cost more",
      request: SampleRequest(tokens: ["cacheWriteTokens": 100, "cacheWrite1hTokens": 60]), cost: "0.00085",
      source: .table),
    ChargeCase(
      rule: "a threshold is passed by the context",
      request: SampleRequest(
        model: "claude-haiku-5-5", tokens: ["inputTokens": 60_000, "cacheReadTokens": 40_001]),
      cost: "0.03200005", source: .table),
    ChargeCase(
      rule: "reasoning is a part of output",
      request: SampleRequest(tokens: ["outputTokens": 100, "reasoningTokens": 90]), cost: "0.0025",
      source: .table),
    ChargeCase(
      rule: "a class without a price is unpriced",
      request: SampleRequest(provider: "gemini", model: "gemini-2.5-pro", tokens: ["cacheWriteTokens": 10]),
      cost: nil,
      unpriced: 10),
    ChargeCase(rule: "no tokens cost nothing", request: SampleRequest(model: "?", tokens: [:]), cost: "0"),
    ChargeCase(
      rule: "the tool's name of a provider serves", request: SampleRequest(provider: "claude"), cost: "0.005",
      source: .table),
  ]
}

@Suite struct ReportBuilderTests {
  @Test(arguments: ChargeCase.all)
  func everyRequestIsCharged(_ sample: ChargeCase) {
    let report = ReportSample.report([sample.request]) { $0.ignoresLoggedCosts = sample.ignoresLogged }
    #expect(report.totals.knownCost?.exactText == sample.cost)
    #expect(report.totals.unpricedTokens == sample.unpriced)
    #expect(report.totals.source == sample.source)
    #expect(report.unpriced.map(\.tokens) == (sample.unpriced > 0 ? [sample.unpriced] : []))
  }

  @Test func daysAreThoseOfTheZone() {
    let requests = [
      "2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z",
    ]
    .map { SampleRequest(time: $0) }
    #expect(ReportSample.report(requests).names == ["2026-03-28", "2026-03-29"])
    let berlin = ReportSample.report(requests, zone: ReportSample.berlin)
    #expect(berlin.names == ["2026-03-28", "2026-03-29", "2026-03-30"])
    #expect(berlin.rows.map(\.sum.requests) == [1, 2, 1])
  }

  @Test(arguments: [
    (ReportGrouping.weekly, ["2026-W35", "2026-W36"]), (.monthly, ["2026-08", "2026-09"]),
    (.provider, ["openai", "anthropic"]), (.model, ["openai/gpt-5.6-cyber", "anthropic/claude-opus-4-8"]),
    (.session, ["s1", "-"]), (.account, ["-", "me@x"]),
  ])
  func rowsAreWhatWasAskedFor(grouping: ReportGrouping, names: [String]) {
    let requests = [
      SampleRequest(time: "2026-08-30T23:59:59Z", other: ["accountEmail": "me@x"]),
      SampleRequest(
        provider: "codex", model: "gpt-5.6-cyber", time: "2026-09-01T00:00:00Z",
        tokens: ["outputTokens": 5000],
        other: ["sessionID": "s1"]),
    ]
    #expect(ReportSample.report(requests, by: grouping).names == names)
  }

  @Test func modelsBreakARowDown() {
    let requests = [
      SampleRequest(), SampleRequest(provider: "claude"),
      SampleRequest(model: "claude-haiku-5-5", tokens: ["inputTokens": 7]),
    ]
    let row = ReportSample.report(requests).rows.first
    #expect(row?.models.map(\.name.model) == ["claude-haiku-5-5", "claude-opus-4-8"])
    #expect(row?.models.map(\.sum.totalTokens) == [7, 2000])
    #expect(row?.sum.totalTokens == 2007)
  }

  @Test func rangesDevicesAndProvidersAreKeptApart() {
    let requests = [
      SampleRequest(time: "2026-09-04T23:59:59Z"), SampleRequest(time: "2026-09-05T00:00:00Z", device: 2),
      SampleRequest(provider: "openai", model: "gpt-5.6-cyber", time: "2026-09-05T23:59:59Z"),
      SampleRequest(time: "2026-09-06T00:00:00Z"),
    ]
    let day = ReportSample.seconds("2026-09-05T00:00:00Z")
    let inRange = ReportSample.report(requests) { $0.range = day..<day + 86_400 }
    #expect(inRange.totals.requests == 2)
    let ofDevice = ReportSample.report(requests, by: .device) { $0.devices = [ReportSample.device(2)] }
    #expect(ofDevice.names == [ReportSample.device(2).hex])
    for name in ["codex", "openai"] {
      #expect(ReportSample.report(requests) { $0.providers = [name] }.totals.requests == 1, "\(name)")
    }
  }

  @Test func theOrderOfArrivalMeansNothing() {
    let seed: UInt64 = 3
    var random = SeededRandom(seed: seed)
    var requests: [SampleRequest] = []
    for number in 0..<200 {
      var request = SampleRequest(time: "2026-09-0\(1 + number % 9)T\(10 + number % 14):00:00Z")
      request.model = ["claude-opus-4-8", "x", "claude-haiku-5-5"].randomElement(using: &random) ?? ""
      request.device = UInt8(1 + number % 3)
      request.tokens = ["inputTokens": Int64.random(in: 0..<200_000, using: &random)]
      if number % 7 == 0 { request.other["costUSD"] = 0.1 }
      if number % 11 == 0 { request.other = ["provenance": "ccusage/daily", "period": "2026-09-03"] }
      requests.append(request)
    }
    for grouping in ReportGrouping.allCases {
      let before = ReportSample.report(requests, by: grouping)
      requests.shuffle(using: &random)
      let after = ReportSample.report(requests, by: grouping)
      #expect(before.names == after.names && before.totals == after.totals, "seed \(seed), \(grouping)")
      #expect(before.rows.map(\.sum) == after.rows.map(\.sum), "seed \(seed), \(grouping)")
    }
  }

  @Test func countsStopAtTheEndOfInt64() {
    let report = ReportSample.report(
      [
        SampleRequest(tokens: ["inputTokens": .max, "outputTokens": .max]),
        SampleRequest(tokens: ["inputTokens": .max]),
      ])
    #expect(report.totals.totalTokens == .max && report.totals.tokens.input == .max)
  }

  @Test func aRecordWithoutATimeIsCountedAndLeftOut() {
    let report = ReportSample.report([SampleRequest(time: "soon"), SampleRequest()])
    #expect(report.unreadable == 1 && report.totals.requests == 1)
  }

  @Test func theCubeAddsUpToTheRows() {
    let requests = (0..<60).map { number in
      SampleRequest(
        model: number % 2 == 0 ? "x" : "claude-opus-4-8", time: "2026-09-0\(1 + number % 9)T23:30:00Z",
        device: UInt8(number % 4))
    }
    let report = ReportSample.report(requests, zone: ReportSample.berlin) { $0.keepsCube = true }
    var sum = UsageSum()
    for cell in report.cube { sum += cell.sum }
    #expect(sum == report.totals)
    #expect(Set(report.cube.map(\.device)).count == 4)
    #expect(Set(report.cube.map(\.day)).count == report.rows.count)
  }

  // MARK: - Blocks

  @Test(arguments: [
    (["10:59"], ["10:00"]), (["10:00", "14:59"], ["10:00"]), (["10:30", "15:00"], ["10:00", "15:00"]),
    (["10:59", "15:30", "20:00"], ["10:00", "15:00", "20:00"]),
    (["00:10", "04:50", "05:10", "09:59", "10:00"], ["00:00", "05:00", "10:00"]),
    (["01:00", "23:00"], ["01:00", "23:00"]),
  ])
  func blocksBeginOnTheHourAndLastFive(times: [String], starts: [String]) {
    let report = ReportSample.report(times.map { SampleRequest(time: "2026-09-05T\($0):00Z") }, by: .blocks)
    #expect(report.names == starts.map { "2026-09-05T\($0):00Z" })
    #expect(report.rows.allSatisfy { $0.block?.rate == nil })
  }

  @Test func thePresentBlockHasARate() throws {
    let requests = [
      SampleRequest(time: "2026-09-05T10:30:00Z"), SampleRequest(time: "2026-09-05T11:00:00Z"),
      SampleRequest(time: "2026-09-05T03:00:00Z"),
    ]
    let report = ReportSample.report(requests, by: .blocks, now: "2026-09-05T11:10:00Z")
    #expect(report.rows.map { $0.block?.rate == nil } == [true, false])
    let rate = try #require(report.rows.last?.block?.rate)
    #expect(rate.minutes == 40 && rate.minutesLeft == 230)
    #expect(rate.tokensPerMinute == 50 && rate.projectedTokens == 2000 + 230 * 50)
    #expect(rate.costPerHour.map { abs($0 - 0.015) < 1e-12 } == true)
  }

  /// Blocks are the account's: neither a range nor the choice of a device moves their borders.
  @Test func bordersOfBlocksDoNotHangOnWhatIsShown() throws {
    let requests = [
      SampleRequest(time: "2026-09-05T13:30:00Z", device: 2), SampleRequest(time: "2026-09-05T15:50:00Z"),
    ]
    let now = "2026-09-05T16:00:00Z"
    let whole = try #require(ReportSample.report(requests, by: .blocks, now: now).rows.first?.block)
    #expect(whole.rate?.minutesLeft == 120 && whole.rate?.projectedTokens == 2000 + 120 * 2000.0 / 150)
    let late = ReportSample.report(requests, by: .blocks, now: now) {
      $0.range = ReportSample.seconds("2026-09-05T15:00:00Z")..<$0.range.upperBound
    }
    #expect(late.names == ["2026-09-05T13:00:00Z"] && late.totals.requests == 1)
    // What is left out of the sums was used all the same.
    #expect(late.rows.first?.block == whole)
    let first = ReportSample.report(requests, by: .blocks, now: now) { $0.devices = [ReportSample.device(1)] }
    #expect(first.names == ["2026-09-05T13:00:00Z"] && first.totals.requests == 1)
    #expect(first.rows.first?.block?.end == whole.end)
    #expect(first.rows.first?.block?.rate?.projectedTokens == 1000 + 120 * 1000.0 / 10)
  }

  @Test func eachProviderAskedForHasItsOwnBlocks() {
    let requests = [
      SampleRequest(provider: "openai", model: "x", time: "2026-09-05T10:00:00Z"),
      SampleRequest(time: "2026-09-05T12:00:00Z"),
      SampleRequest(provider: "openai", model: "x", time: "2026-09-05T15:00:00Z"),
    ]
    let report = ReportSample.report(requests, by: .blocks) { $0.providers = ["claude"] }
    #expect(report.names == ["2026-09-05T12:00:00Z"])
  }

  // MARK: - Rows of other programs

  private static func coarse(
    _ table: String, _ period: String, time: String = "2026-09-05T00:00:00Z", device: UInt8 = 1,
    tokens: Int64 = 100, model: String = "claude-opus-4-8"
  ) -> SampleRequest {
    SampleRequest(
      model: model, time: time, device: device, tokens: ["inputTokens": tokens],
      other: ["period": .string(JSONString(period)), "provenance": .string(JSONString("ccusage/\(table)"))])
  }

  @Test(
    arguments: [
      ("daily", "2026-09-05", 1, true), ("daily", "2026-09-06", 0, true), ("daily", "2026-09-05", 0, false),
      ("monthly", "2026-09", 1, true), ("monthly", "2026-08", 0, true), ("weekly", "2026-08-31", 1, true),
      ("weekly", "2026-09-07", 0, true), ("session", "abc", 1, true), ("session", "abc", 0, false),
    ] as [(String, String, Int, Bool)])
  func aRowIsNeverAddedToRequestsOfItsDeviceAndDay(
    table: String, period: String, leftOut: Int, isSameDevice: Bool
  ) {
    let report = ReportSample.report(
      [SampleRequest(), Self.coarse(table, period, device: isSameDevice ? 1 : 2)])
    #expect(report.leftOutRows == leftOut)
    #expect(report.totals.totalTokens == (leftOut == 1 ? 1000 : 1100))
  }

  /// A row's time is noon in UTC, which in the far east is the next day.
  @Test(arguments: [
    ("daily", "2026-11-10", "2026-11-10T12:00:00Z"), ("weekly", "2026-11-09", "2026-11-09T12:00:00Z"),
    ("monthly", "2026-11", "2026-11-01T12:00:00Z"),
  ])
  func aRowLiesInARangeByItsFirstDay(table: String, period: String, time: String) throws {
    let zone = ReportSample.zone("NZST-12NZDT,M9.5.0,M4.1.0/3")
    let row = Self.coarse(table, period, time: time)
    let day = ReportSample.seconds(time) / 86_400
    for (offset, rows) in [(-1, 0), (0, 1), (1, 0)] as [(Int64, Int)] {
      let report = ReportSample.report([row], zone: zone) {
        $0.range = zone.startOfDay(day + offset)..<zone.startOfDay(day + offset + 1)
      }
      #expect(report.rows.count == rows, "\(offset) days later")
    }
  }

  @Test func requestsThatAFilterHidesStillCountAsThere() {
    let requests = [SampleRequest(provider: "openai", model: "x"), Self.coarse("daily", "2026-09-05")]
    let report = ReportSample.report(requests) { $0.providers = ["anthropic"] }
    #expect(report.leftOutRows == 1 && report.totals.requests == 0)
  }

  @Test func twoTablesOfOneDayAreOne() {
    let rows = [
      Self.coarse("monthly", "2026-09", tokens: 999), Self.coarse("daily", "2026-09-05", tokens: 1),
      Self.coarse("daily", "2026-09-05", tokens: 2, model: "other"),
      Self.coarse("daily", "2026-09-06", tokens: 4),
    ]
    let report = ReportSample.report(rows)
    #expect(report.totals.totalTokens == 7 && report.leftOutRows == 1)
    #expect(report.names == ["2026-09-05", "2026-09-06"].prefix(report.names.count).map { $0 })
  }

  @Test func aRowThatHasGrownIsCountedOnce() {
    let rows = [
      Self.coarse("daily", "2026-09-05", tokens: 10), Self.coarse("daily", "2026-09-05", tokens: 30),
      Self.coarse("daily", "2026-09-05", tokens: 20),
      Self.coarse("daily", "2026-09-05", tokens: 5, model: "other"),
      Self.coarse("daily", "2026-09-06", tokens: 100),
      Self.coarse("daily", "2026-09-05", device: 2, tokens: 1000),
      // A session's row moves with its last activity.
      Self.coarse("session", "abc", time: "2026-09-10T00:00:00Z", tokens: 10_000),
      Self.coarse("session", "abc", time: "2026-09-11T00:00:00Z", tokens: 40_000),
    ]
    for rows in [rows, rows.reversed()] {
      let report = ReportSample.report(rows)
      #expect(report.totals.totalTokens == 41_135)
      #expect(report.leftOutRows == 0)
    }
  }

  @Test(arguments: [(Int64(12), Int64(15)), (40, 40)])
  func aTableAsAWholeAndModelByModelIsOne(whole: Int64, sum: Int64) {
    let report = ReportSample.report([
      Self.coarse("daily", "2026-09-05", tokens: whole, model: ""),
      Self.coarse("daily", "2026-09-05", tokens: 10),
      Self.coarse("daily", "2026-09-05", tokens: 5, model: "other"),
    ])
    #expect(report.totals.totalTokens == sum)
  }

  @Test func aSumHasNoPriceWhereTheSizeOfARequestDecides() {
    var row = Self.coarse("daily", "2026-09-05", tokens: 1_000_000)
    row.model = "claude-haiku-5-5"
    #expect(ReportSample.report([row]).totals.knownCost == nil)
    row.model = "claude-opus-4-8"
    #expect(ReportSample.report([row]).totals.knownCost?.exactText == "5")
  }
}
