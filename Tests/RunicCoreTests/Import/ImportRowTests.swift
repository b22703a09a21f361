import CanonicalJSON
import ObjectStore
import Testing
import TestSupport

@testable import RunicCore

// Rows of ccusage beside the logs that they sum up, which another device may have recorded first.

private let log = ".claude/projects/-work-x/s1.jsonl"
private let rows =
  #"{"daily":[{"date":"2026-09-05","inputTokens":100,"outputTokens":1000,"cacheCreationTokens":0,"cacheReadTokens":0}]}"#

/// What one device does in a case.
enum RowStep: Sendable {
  /// Collects from the log.
  case logs
  /// Takes in the rows.
  case rows
  case sync
}

@Suite struct ImportRowTests {
  /// Two devices that hold one log, of 100 tokens; the first has recorded and pushed it. What the second one does.
  @Test(arguments: [
    [RowStep.logs, .rows, .sync], [.rows, .logs, .sync], [.logs, .sync, .rows], [.rows, .sync, .logs],
    [.sync, .logs, .rows], [.sync, .rows, .logs], [.sync, .rows, .sync, .logs],
  ]) func aRowIsNeverAddedToRequestsThatAnotherDeviceRecordedFirst(_ steps: [RowStep]) throws {
    let bench = try ImportBench([log: lines(ClaudeFixture(id: "m1").line), "rows.json": rows])
    let first = bench.repository
    let second = try bench.bench.join("b", of: first)
    try bench.collect()
    _ = try first.push("shared")
    bench.bench.clock.milliseconds += 60_000
    for step in steps {
      switch step {
      case .logs: try bench.collect(into: second)
      case .rows: try bench.collect(into: second) { $0.files = [bench.absolute("rows.json")] }
      case .sync: try Self.sync(first, second)
      }
    }
    try Self.sync(first, second)
    for device in [first, second] {
      let report = try Self.report(device)
      #expect(report.totals.totalTokens == 100 && report.leftOutRows == 1)
    }
    // A second import of the rows changes nothing of that.
    try bench.collect(into: second) { $0.files = [bench.absolute("rows.json")] }
    #expect(try Self.report(second).totals.totalTokens == 100)
  }

  /// A machine whose logs are gone says with its rows what nobody else knows.
  @Test func aRowIsAddedToRequestsOfOtherMachines() throws {
    let bench = try ImportBench([log: lines(ClaudeFixture(id: "m1").line), "rows.json": rows])
    let other = try bench.bench.join("b", of: bench.repository)
    try bench.collect()
    try bench.collect(into: other) { $0.files = [bench.absolute("rows.json")] }
    // Its logs of other days do not matter.
    try bench.write(log, lines(ClaudeFixture(id: "m2", time: "2026-09-07T12:00:00Z").line))
    try bench.collect(into: other)
    try Self.sync(bench.repository, other)
    for device in [bench.repository, other] {
      let report = try Self.report(device)
      #expect(report.totals.totalTokens == 1300 && report.leftOutRows == 0)
    }
  }

  /// The tools tell days as the machine's clock does; half past midnight there is the day before in UTC.
  @Test func daysAreThoseOfTheMachine() throws {
    let line = ClaudeFixture(id: "m1", time: "2026-09-04T22:30:00Z").line
    for (zone, total) in [(ReportSample.berlin, 100), (ZoneRules.utc, 1200)] as [(ZoneRules, Int64)] {
      let bench = try ImportBench([log: lines(line), "rows.json": rows])
      let second = try bench.bench.join("b", of: bench.repository)
      bench.zone = zone
      try bench.collect()
      bench.bench.clock.milliseconds += 60_000
      try bench.collect(into: second)
      try bench.collect(into: second) { $0.files = [bench.absolute("rows.json")] }
      try Self.sync(bench.repository, second)
      #expect(try Self.report(second).totals.totalTokens == total)
    }
  }

  /// Days that were told under another zone are not added to those of today's.
  @Test func daysOfTwoZonesDoNotAddUp() throws {
    let line = ClaudeFixture(id: "m1", time: "2026-09-04T22:30:00Z").line
    for (zones, total) in [
      ([ReportSample.berlin, .utc], 1200), ([.utc, ReportSample.berlin], 100),
    ] as [([ZoneRules], Int64)] {
      let bench = try ImportBench([log: lines(line), "rows.json": rows])
      let second = try bench.bench.join("b", of: bench.repository)
      try bench.collect()
      bench.bench.clock.milliseconds += 60_000
      for zone in zones {
        bench.zone = zone
        try bench.collect(into: second)
      }
      try bench.collect(into: second) { $0.files = [bench.absolute("rows.json")] }
      try Self.sync(bench.repository, second)
      #expect(try Self.report(second).totals.totalTokens == total)
      // With nothing new, and under the same zone, no log is read again.
      #expect(try bench.collect(into: second).readFiles == 0)
    }
  }

  /// The mark is no second writing of a row that is new.
  @Test func aRowIsStoredWithItsMarkAtOnce() throws {
    let bench = try ImportBench([log: lines(ClaudeFixture(id: "m1").line), "rows.json": rows])
    try bench.collect()
    let options = { (options: inout CollectOptions) in options.files = [bench.absolute("rows.json")] }
    #expect(try bench.collect(options).requests == .init(new: 1))
    #expect(try bench.payloads("request").filter { $0["repeatsLogs"]?.boolValue == true }.count == 1)
    #expect(try bench.collect(options).requests == .init(known: 1))
    // Also where one run brings both.
    let other = try ImportBench([log: lines(ClaudeFixture(id: "m1").line), "rows.json": rows])
    let outcome = try other.collect {
      $0.files = [other.absolute("rows.json")]
      $0.importers = Importers.all
    }
    #expect(outcome.requests == .init(new: 2))
    #expect(try other.payloads("request").filter { $0["repeatsLogs"]?.boolValue == true }.count == 1)
  }

  /// A row whose name is too long for an id is found among the others too.
  @Test func aRowOfALongNameIsFoundToo() throws {
    let name = String(repeating: "-work", count: 50)
    let bench = try ImportBench([
      log: lines(ClaudeFixture(id: "m1").line),
      "rows.json":
        #"{"session":[{"sessionId":"\#(name)","lastActivity":"2026-09-05","inputTokens":1,"outputTokens":2}]}"#,
    ])
    let second = try bench.bench.join("b", of: bench.repository)
    try bench.collect()
    bench.bench.clock.milliseconds += 60_000
    try bench.collect(into: second) { $0.files = [bench.absolute("rows.json")] }
    try Self.sync(bench.repository, second)
    #expect(try Self.report(second).totals.totalTokens == 103)
    #expect(try bench.collect(into: second).requests == .init(updated: 1, known: 1))
    #expect(try Self.report(second).totals.totalTokens == 100)
  }

  /// Also where the machine lost what it knew of its logs.
  @Test func whatAMachineReadOfItsLogsIsFoundOutAgain() throws {
    let bench = try ImportBench([log: lines(ClaudeFixture(id: "m1").line), "rows.json": rows])
    let second = try bench.bench.join("b", of: bench.repository)
    try bench.collect()
    try Self.sync(bench.repository, second)
    try bench.collect(into: second)
    try bench.fileSystem.remove("\(second.layout.root)/imports")
    try bench.collect(into: second) { $0.files = [bench.absolute("rows.json")] }
    try bench.collect(into: second)
    #expect(try Self.report(second).totals.totalTokens == 100)
  }

  private static func sync(_ first: Repository, _ second: Repository) throws {
    for device in [first, second, first] {
      _ = try device.pull("shared")
      _ = try device.push("shared")
    }
  }

  private static func report(_ device: Repository) throws -> Report {
    try device.read { try $0.report(ReportQuery(grouping: .daily, zone: .utc), now: 1_790_000_000_000) }
  }
}
