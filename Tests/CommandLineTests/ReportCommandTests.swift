import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import runic

@Suite struct ReportCommandTests {
  private func begin(_ devices: [String] = ["laptop"]) throws -> RecordsFixture {
    let fixture = try RecordsFixture(devices)
    fixture.record(requests: ReportRequests.some)
    return fixture
  }

  private func report(_ fixture: RecordsFixture, _ line: String = "", zone: String = "UTC") -> CommandRun {
    fixture.run("report \(line) --timezone \(zone)")
  }

  // MARK: - JSON

  @Test func jsonIsOneObjectWithWhatTheDesignNames() throws {
    let json = report(try begin(), "daily --json").object
    #expect(json["timezone"] == "UTC")
    #expect(json["prices"]?["asOf"] == "2026-11")
    #expect(json["quotas"] == [])
    let rows = json["rows"]?.arrayValue ?? []
    #expect(rows.map { $0["period"] } == ["2026-09-04", "2026-09-05", "2026-09-06"])
    #expect(rows.map { $0["costUSD"] } == [0.005, 0.01, 0.5])
    #expect(rows.map { $0["unpricedTokens"] } == [0, 30, 0])
    #expect(rows.map { $0["totalTokens"] } == [1000, 2030, 4])
    #expect(rows.map { $0["costSource"] } == ["table", "table", "logged"])
    #expect(json["totals"]?["costUSD"] == 0.515)
    #expect(json["totals"]?["costSource"] == "mixed")
    #expect(json["unpriced"] == [["model": "mystery", "provider": "openai", "tokens": 30]])
    for key in ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"]
      as [JSONString]
    {
      #expect(json["totals"]?[key]?.intValue != nil, "\(key)")
    }
  }

  @Test(
    arguments: [
      ("weekly", "period", ["2026-W36"]), ("monthly", "period", ["2026-09"]),
      ("provider", "provider", ["anthropic", "openai"]),
      ("model", "model", ["claude-haiku-5-5", "claude-opus-4-8", "mystery"]),
      ("session", "session", [nil, "s1"]), ("account", "account", [nil]),
      ("blocks", "period", ["2026-09-04T22:00:00Z", "2026-09-05T10:00:00Z", "2026-09-06T01:00:00Z"]),
    ] as [(String, JSONString, [String?])])
  func rowsNameWhatTheyAreAbout(grouping: String, key: JSONString, names: [String?]) throws {
    let rows = report(try begin(), "\(grouping) --json").object["rows"]?.arrayValue ?? []
    #expect(rows.map { $0[key]?.textValue } == names)
    #expect(rows.allSatisfy { $0[key] != nil })
  }

  @Test func aRowOfUnknownCostIsNull() throws {
    let rows = report(try begin(), "model --json").object["rows"]?.arrayValue ?? []
    #expect(rows.last?["costUSD"] == .null)
  }

  @Test func everyDeviceSeesTheTotalsOfAllAndWhoUsedWhat() throws {
    let fixture = try RecordsFixture(["laptop", "desk"])
    fixture.record(requests: ReportRequests.some)
    fixture.record(requests: [ReportRequests.request("2026-09-05T10:00:00Z", tokens: 7)], on: "desk")
    // The same log on both machines adds nothing.
    fixture.record(requests: [ReportRequests.some[0]], on: "desk")
    try fixture.sync()
    for device in fixture.devices {
      let json = fixture.run("report device --json --timezone UTC", on: device).object
      let rows = json["rows"]?.arrayValue ?? []
      #expect(rows.map { $0["deviceName"] } == ["laptop", "desk"], "\(device)")
      #expect(rows.map { $0["totalTokens"] } == [3034, 7], "\(device)")
    }
    let desk = fixture.run("report --device desk --json --timezone UTC").object
    #expect(desk["totals"]?["totalTokens"] == 7)
  }

  @Test func devicesOfAnImportKeepTheirNames() throws {
    let fixture = try RecordsFixture(["laptop", "desk"])
    fixture.record(requests: ReportRequests.some)
    fixture.record(requests: [ReportRequests.request("2026-09-05T10:00:00Z", tokens: 7)], on: "desk")
    fixture.run("record usage --provider codex --used 1 --limit 2", on: "desk")
    try fixture.sync()
    try fixture.addStranger("copy")
    #expect(fixture.run("import -", on: "copy", input: fixture.run("export").out).status == .done)
    func json(_ line: String) -> JSONValue {
      .object(fixture.run("report \(line) --json --timezone UTC", on: "copy").object.objectValue ?? [:])
    }
    let rows = json("device")["rows"]?.arrayValue ?? []
    #expect(rows.map { $0["deviceName"] } == ["laptop", "desk"])
    #expect(rows.compactMap { $0["device"]?.textValue?.utf8.count } == [32, 32])
    #expect(json("daily")["quotas"]?.arrayValue?.map { $0["deviceName"] } == ["desk"])
    let screen = fixture.run("report device --timezone UTC", on: "copy").out
    #expect(screen.contains("\nlaptop  ") && screen.contains("\ndesk  "))
    let csv = fixture.run("report device --csv --timezone UTC", on: "copy").out
    #expect(csv.contains(",laptop,4,") && csv.contains(",desk,1,"))
    for name in ["desk", String(rows.last?["device"]?.textValue?.prefix(8) ?? "")] {
      #expect(json("--device \(name)")["totals"]?["totalTokens"] == 7, "\(name)")
    }
    #expect(fixture.run("report --device nobody", on: "copy").status == .failed)
    #expect(fixture.run("report --html - --timezone UTC", on: "copy").out.contains("desk</th>"))
  }

  @Test func breakdownGivesEachRowItsModels() throws {
    let rows = report(try begin(), "daily --breakdown --json").object["rows"]?.arrayValue ?? []
    #expect(rows[1]["models"]?.arrayValue?.map { $0["model"] } == ["claude-opus-4-8", "mystery"])
    let table = report(try begin(), "daily --breakdown").out
    #expect(table.contains("\n  mystery"))
  }

  // MARK: - Ranges and zones

  @Test(arguments: [
    ("--since 2026-09-05", 2034), ("--until 2026-09-05", 3030),
    ("--since 2026-09-05 --until 2026-09-05", 2030),
    ("--since 2026-09-05T10:00:00Z --until 2026-09-05T11:00:00Z", 2000),
    ("--since 2026-09-05T10:00:00.001Z", 34),
    ("--provider claude", 3004), ("--provider codex", 30), ("--provider claude --provider openai", 3034),
  ])
  func rangesAndProvidersAreSums(flags: String, tokens: Int64) throws {
    #expect(report(try begin(), "\(flags) --json").object["totals"]?["totalTokens"] == .integer(tokens))
  }

  @Test(arguments: ["Mars/Base", "../UTC", "/etc/localtime", "utc.", ""])
  func anUnknownZoneIsAnError(zone: String) throws {
    let run = try begin().run(["report", "--timezone", zone])
    #expect(run.status == .usage && run.out.isEmpty && run.err.contains("time zone"))
  }

  @Test func aRangeBackwardsIsAnError() throws {
    #expect(report(try begin(), "--since 2026-09-05 --until 2026-09-01").status == .usage)
  }

  @Test func anUnknownDeviceIsAnError() throws {
    #expect(report(try begin(), "--device nobody").status == .failed)
  }

  // MARK: - Tables

  @Test(arguments: [20, 40, 60, 80, 120])
  func noLineIsWiderThanTheTerminal(columns: Int) throws {
    let fixture = try begin()
    fixture.run("record usage --provider claude --used 92 --limit 100 --account somebody@example.org")
    for grouping in ReportGrouping.allCases {
      let run = fixture.runOnTerminal(
        ["report", grouping.rawValue, "--breakdown", "--timezone", "UTC"], columns: columns)
      #expect(run.status == .done)
      let widest = run.out.split(separator: "\n").map { TextWidth.columns(String($0)) }.max() ?? 0
      // Below 40 columns numbers are shown rather than cut.
      if columns >= 40 { #expect(widest <= columns, "\(grouping) at \(columns): \(run.out)") }
    }
  }

  @Test func fortyColumnsShowDayTokensAndCost() throws {
    let lines = try begin().runOnTerminal(["report", "--timezone", "UTC"], columns: 40).out.split(
      separator: "\n")
    #expect(lines[0] == "DAY         TOKENS     COST")
    #expect(lines.contains("2026-09-05    2.0k   $0.01+"))
  }

  @Test func modelsOfOneNameAndDevicesOfOneNameAreToldApart() throws {
    let fixture = try RecordsFixture(["laptop", "desk"])
    fixture.run("push")
    fixture.run("pull", on: "desk")
    fixture.run("device rename laptop", on: "desk")
    fixture.record(requests: [
      ReportRequests.request("2026-09-05T10:00:00Z", provider: "xai", model: "m"),
      ReportRequests.request("2026-09-05T10:00:00Z", model: "only"),
    ])
    fixture.record(requests: [ReportRequests.request("2026-09-05T11:00:00Z", model: "m")], on: "desk")
    for device in ["laptop", "desk", "laptop"] { fixture.run("sync", on: device) }
    let ids = fixture.run("device list --json").rows.compactMap { $0["device"]?.textValue }
    #expect(ids.count == 2)
    let names = [
      "model": ["m (anthropic)", "m (xai)", "only"],
      "daily --breakdown": ["m (anthropic)", "m (xai)", "only"],
      "device": ids.map { "laptop (\($0.prefix(8)))" },
    ]
    for (line, names) in names {
      let screen = report(fixture, line).out
      let page = report(fixture, "\(line) --html -").out
      for name in names {
        #expect(screen.contains("\(name)  "), "\(line)")
        #expect(page.contains("\(name)</"), "\(line)")
      }
    }
    #expect(report(fixture, "model").out.contains("\nonly  "))
    #expect(
      report(fixture, "device --json").object["rows"]?.arrayValue?.map { $0["deviceName"] } == [
        "laptop", "laptop",
      ])
  }

  /// The column of owners is gone there.
  @Test func narrowQuotasOfSeveralDevicesAreToldApart() throws {
    let fixture = try RecordsFixture(["laptop", "desk"])
    for device in ["laptop", "desk"] {
      fixture.run("record usage --provider codex --used 1 --limit 2", on: device)
    }
    fixture.run("record usage --provider claude --used 1 --limit 2 --secondary-used 1 --secondary-limit 2")
    for device in ["laptop", "desk", "laptop"] { fixture.run("sync", on: device) }
    let lines = fixture.runOnTerminal(["report", "--timezone", "UTC"], columns: 40).out.split(separator: "\n")
    let names = lines.filter { $0.contains("%") }.map { $0.split(separator: "  ")[0] }
    #expect(names == ["claude", "claude 2nd", "codex desk", "codex laptop"])
  }

  @Test func theDisplayFormatIsObeyed() throws {
    let fixture = try begin()
    #expect(fixture.run("report --timezone UTC").out.contains("CACHE WRITE"))
    fixture.run("record preferences displayFormat=compact")
    #expect(!fixture.run("report --timezone UTC").out.contains("CACHE WRITE"))
  }

  @Test func pricesAndWhatHasNoneAreNamed() throws {
    let out = report(try begin()).out
    #expect(out.contains("no price for 30 tokens of openai/mystery\n"))
    #expect(out.contains("prices as of 2026-11"))
    #expect(out.contains("$0.01+"))
    let mystery = report(try begin(), "model").out.split(separator: "\n").first { $0.hasPrefix("mystery") }
    #expect(mystery?.hasSuffix(" ?") == true)
  }

  @Test func theUsersPricesAreNamedAndAWrongFileIsAnError() throws {
    let fixture = try begin()
    let table = #"{"asOf":"2030-01","providers":{"openai":{"mystery":{"input":"1000000"}}}}"#
    let file = try OpenFile("/laptop/prices.json", .create(permissions: 0o600), in: fixture.fileSystem)
    try file.write(Array(table.utf8), at: 0)
    let json = report(fixture, "--json").object
    #expect(json["totals"]?["costUSD"] == 30.515)
    #expect(json["prices"]?["override"]?["asOf"] == "2030-01")
    #expect(report(fixture).out.contains("as of 2030-01"))
    try file.write(Array("{".utf8), at: Int64(table.utf8.count))
    let broken = report(fixture)
    #expect(broken.status == .failed && broken.err.contains(#"{"asOf":"#))
  }

  // MARK: - CSV

  @Test func csvHasALineForEachRowAndNoTotals() throws {
    let lines = report(try begin(), "--csv").out.split(separator: "\r\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("period,requests,inputTokens,"))
    #expect(lines[2] == "2026-09-05,2,2030,0,0,0,0,0,2030,0.01,table,30")
    let models = report(try begin(), "--csv --breakdown").out.split(separator: "\r\n")
    #expect(models.count == 5 && models[3].hasPrefix("2026-09-05,openai,mystery,1,30,"))
    #expect(models[3].hasSuffix(",,,30"))
  }

  @Test(arguments: [
    ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("=1+1", "\"'=1+1\""),
    ("@SUM(A1)", "\"'@SUM(A1)\""), ("-2", "\"'-2\""), ("+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\""),
    ("a\r\nb", "a\\r\\nb"), ("\t=1", "\\t=1"), ("\u{202E}x", "\\u202ex"), ("", ""),
    // Marks that make one character with what stands before them.
    ("a,\u{301}b", "\"a,\u{301}b\""), ("q\"\u{301},z", "\"q\"\"\u{301},z\""),
    ("=\u{338}1", "\"'=\u{338}1\""), ("it'\u{301}s", "\"it'\u{301}s\""),
  ])
  func csvFieldsAreTextsAndNoFormulas(text: String, field: String) {
    #expect(Array(ReportCSV.field(text).utf8) == Array(field.utf8))
  }

  @Test func aHostileNameStaysAField() throws {
    let fixture = try RecordsFixture()
    fixture.record(requests: [
      ReportRequests.request("2026-09-05T10:00:00Z", model: "=HYPERLINK(\"x\",\"y\")\n1,2")
    ])
    let lines = report(fixture, "model --csv").out.split(separator: "\r\n")
    #expect(lines.count == 2)
    #expect(lines[1].hasPrefix(#"anthropic,"'=HYPERLINK(""x"",""y"")\n1,2",1,"#))
  }

  // MARK: - Beside the sums

  @Test func quotasStandBesideTheSumsAndAreNotAdded() throws {
    let fixture = try begin()
    fixture.run(
      "record usage --provider claude --used 50 --limit 100 --cost 3 --account a@b --at 2026-09-06T10:00:00Z")
    fixture.run(
      "record usage --provider claude --used 60 --limit 100 --cost 4 --account a@b --at 2026-09-06T11:00:00Z")
    let json = report(fixture, "--json").object
    let quotas = json["quotas"]?.arrayValue ?? []
    #expect(quotas.map { $0["used"] } == [60] && quotas.map { $0["costUSD"] } == [4])
    #expect(
      quotas[0]["providerID"] == "claude" && quotas[0]["window"] == "primary" && quotas[0]["ratio"] == 0.6)
    #expect(quotas[0]["age"]?.intValue.map { $0 >= 0 } == true)
    #expect(json["totals"]?["costUSD"] == 0.515)
    #expect(report(fixture).out.contains("claude"))
    #expect(report(fixture, "--provider openai --json").object["quotas"] == [])
  }

  /// One window is over, one is not, and of the third nobody knows.
  @Test func aQuotaWhoseWindowIsOverSaysSo() throws {
    let fixture = try RecordsFixture()
    func time(_ minutes: Int64) -> String {
      Timestamp(seconds: fixture.now / 1000 + minutes * 60)?.text ?? ""
    }
    let (over, open) = (time(-5), time(60))
    fixture.run(
      "record usage -",
      input: #"{"providerID":"codex","primaryUsed":99,"primaryLimit":100,"primaryResetsAt":"\#(over)","#
        + #""secondaryUsed":20,"secondaryLimit":100,"secondaryResetsAt":"\#(open)","updatedAt":"\#(time(-23))"}"#
    )
    fixture.run("record usage --provider gemini --used 1 --limit 4")
    fixture.run("record alert --provider codex --channel stdout")
    let quotas = report(fixture, "--json").object["quotas"]?.arrayValue ?? []
    #expect(quotas.map { $0["hasEnded"] } == [true, false, false])
    #expect(quotas.map { $0["resetsAt"] } == [.string(JSONString(over)), .string(JSONString(open)), .null])
    let alerts = fixture.run("alerts check --json").object["alerts"]?.arrayValue ?? []
    #expect(
      alerts.map { $0["hasEnded"] } == [true, false] && alerts.map { $0["level"] } == ["fine", "fine"])
    #expect(alerts.first?["resetsAt"] == .string(JSONString(over)))
    for columns in [40, 80] {
      let lines = fixture.runOnTerminal(["report", "--timezone", "UTC"], columns: columns).out
        .split(separator: "\n").filter { $0.contains("%") }
      #expect(lines.map { $0.hasSuffix(" min, ended") } == [true, false, false], "\(lines)")
      #expect(lines.allSatisfy { TextWidth.columns(String($0)) <= columns })
    }
    let page = fixture.run("report --html - --timezone UTC").out
    #expect(page.ranges(of: " ago, ended</td>").count == 1)
  }

  @Test func aDevicesQuotaIsTheNewestOfItsOwnReadings() throws {
    let fixture = try begin(["laptop", "desktop"])
    fixture.run("record usage --provider claude --used 50 --limit 100 --account a@b", on: "desktop")
    fixture.wait()
    fixture.run("record usage --provider claude --used 60 --limit 100 --account a@b")
    try fixture.sync()
    for (flags, used) in [("", 60), ("--device desktop", 50), ("--device laptop", 60)]
      as [(String, JSONValue)]
    {
      let quotas = report(fixture, "\(flags) --json").object["quotas"]?.arrayValue ?? []
      #expect(quotas.map { $0["used"] } == [used], "\(flags)")
    }
  }

  @Test func withoutRequestsThereAreNoRows() throws {
    let fixture = try RecordsFixture()
    let json = report(fixture, "--json").object
    #expect(json["rows"] == [] && json["totals"]?["costUSD"] == 0)
    #expect(report(fixture).status == .done)
    #expect(report(fixture, "--html /p.html").status == .done)
  }
}
