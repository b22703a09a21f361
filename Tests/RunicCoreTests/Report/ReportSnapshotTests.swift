import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

@Suite struct ReportSnapshotTests {
  private static let now = ReportSample.seconds("2026-09-05T12:00:00Z") * 1000

  /// A repository at noon of a day.
  private func begin() throws -> (Workbench, Repository) {
    let bench = try Workbench()
    bench.clock.milliseconds = Self.now
    return (bench, try bench.begin("laptop"))
  }

  private func record(
    _ repository: Repository, _ request: SampleRequest, id: String, rank: Rank = [1, 0, 1],
    kind: Kind = .request
  ) throws {
    let payload = request.payload
    try repository.write { transaction in
      _ = try transaction.add(
        kind: kind, id: NaturalID(id: Array(id.utf8), rank: rank), payload: payload[...])
    }
  }

  private func total(_ repository: Repository) throws -> Int64 {
    try repository.read {
      try $0.report(ReportQuery(grouping: .daily, zone: .utc), now: Self.now).totals.totalTokens
    }
  }

  private func today(_ repository: Repository, now: Int64 = now, zone: ZoneRules = .utc) throws -> Int64 {
    try repository.read {
      try $0.recentUse(ReportQuery(grouping: .daily, zone: zone), now: now).today.totalTokens
    }
  }

  @Test func bothSumsSeeTheSameOfToday() throws {
    let (_, repository) = try begin()
    try record(repository, SampleRequest(time: "2026-09-05T00:00:00Z", tokens: ["inputTokens": 1]), id: "a")
    try record(repository, SampleRequest(time: "2026-09-04T23:59:59Z", tokens: ["inputTokens": 2]), id: "b")
    try record(repository, SampleRequest(time: "2026-08-01T00:00:00Z", tokens: ["inputTokens": 4]), id: "c")
    try record(repository, SampleRequest(time: "2026-09-05T23:59:59.9Z", tokens: ["inputTokens": 8]), id: "d")
    #expect(try total(repository) == 15)
    #expect(try today(repository) == 9)
    #expect(try today(repository, zone: ReportSample.zone("AAA-2")) == 3)
  }

  /// Noon in UTC, the time of a row about a day, is another day in the far east.
  @Test func aRowOfAnotherProgramIsOfTheDayThatItNames() throws {
    let (_, repository) = try begin()
    for (day, tokens) in [("04", 1), ("05", 2), ("06", 4), ("07", 8)] as [(String, Int64)] {
      let row = SampleRequest(
        time: "2026-09-\(day)T12:00:00Z", tokens: ["inputTokens": tokens],
        other: ["period": .string(JSONString("2026-09-\(day)")), "provenance": "ccusage/daily"])
      try record(repository, row, id: day)
    }
    #expect(try today(repository) == 2)
    #expect(try today(repository, zone: ReportSample.zone("NZST-12")) == 4)
    #expect(try today(repository, zone: ReportSample.zone("LINT-14")) == 4)
  }

  @Test func anOlderRecordIsNotKeptByTime() throws {
    let (_, repository) = try begin()
    try record(repository, SampleRequest(time: "2026-09-03T11:59:59Z"), id: "old")
    try record(repository, SampleRequest(time: "2026-09-03T12:00:00Z"), id: "new")
    var names: [[UInt8]] = []
    try repository.read { snapshot in
      try snapshot.index.table.scan(prefix: [IndexKey.recent]) { key, _ in
        if let (name, _) = IndexKey.recentName(Array(key), kind: "request") { names.append(name.id) }
        return true
      }
    }
    #expect(names == [Array("new".utf8)])
  }

  @Test func aGreaterRankOfAnotherTimeTakesTheRecordAlong() throws {
    let (_, repository) = try begin()
    try record(repository, SampleRequest(time: "2026-09-05T10:00:00Z", tokens: ["inputTokens": 5]), id: "a")
    try record(
      repository, SampleRequest(time: "2026-09-04T10:00:00Z", tokens: ["inputTokens": 7]), id: "a",
      rank: [1, 0, 2])
    #expect(try today(repository) == 0)
    #expect(try today(repository, now: Self.now - 86_400_000) == 7)
    #expect(try total(repository) == 7)
  }

  @Test func retractedOnesAreLeftOut() throws {
    let (_, repository) = try begin()
    try record(repository, SampleRequest(tokens: ["inputTokens": 1]), id: "a")
    try record(repository, SampleRequest(tokens: ["inputTokens": 2]), id: "b")
    try repository.write { transaction in
      _ = try transaction.patch(
        kind: .retractions(of: .request), id: Array("b".utf8), Patch(set: ["retracted": true]))
    }
    #expect(try total(repository) == 1)
    #expect(try today(repository) == 1)
  }

  @Test func aRebuiltIndexAndAnotherDeviceSeeTheSame() throws {
    let (bench, laptop) = try begin()
    for number in 0..<20 {
      try record(laptop, SampleRequest(tokens: ["inputTokens": 1 << number]), id: "anthropic/req_\(number)")
    }
    _ = try laptop.push("shared")
    let desk = try bench.join("desk", of: laptop)
    _ = try desk.pull("shared")
    let sum: Int64 = 1 << 20 - 1
    #expect(try [total(laptop), today(laptop), total(desk), today(desk)] == [sum, sum, sum, sum])
    for entry in try bench.fileSystem.list(laptop.layout.index) {
      try bench.fileSystem.remove("\(laptop.layout.index)/\(entry.name)")
    }
    #expect(try [total(laptop), today(laptop)] == [sum, sum])
  }

  @Test func theHeadersOfStatesAreSteppedOver() throws {
    let payload = SampleRequest().payload
    for name in [nil, Array("a name".utf8), [UInt8](repeating: 65, count: 300)] as [[UInt8]?] {
      for rank in [[], [1], [1, -5], [.max, .min, 3, 4]] as [[Int64]] {
        let writer = Writer(device: ReportSample.device(7), deviceName: name, time: -12_345_678_901)
        let state = HistoryState(
          rank: Rank(rank) ?? .zero, payload: payload[...],
          added: HistoryState.Added(writer: writer, stamp: Stamp(milliseconds: 5)))
        let bytes = state.encode()
        bytes.withUnsafeBytes { bytes in
          let scan = HistoryScan(bytes)
          #expect(scan?.payload.elementsEqual(payload) == true)
          #expect(scan?.device.allSatisfy { $0 == 7 } == true)
          for length in 0..<(bytes.count - payload.count) {
            #expect(HistoryScan(UnsafeRawBufferPointer(rebasing: bytes[..<length])) == nil)
          }
        }
      }
    }
  }

  @Test func theUsersPricesLieBesideTheConfiguration() throws {
    let (bench, repository) = try begin()
    #expect(try repository.priceTable().override == nil)
    let table = #"{"asOf":"2030-01","providers":{"anthropic":{"claude-opus-4-8":{"input":"1000000"}}}}"#
    let file = try OpenFile(repository.layout.prices, .create(permissions: 0o600), in: bench.fileSystem)
    try file.write(Array(table.utf8), at: 0)
    let prices = try repository.priceTable()
    #expect(prices.override?.asOf == "2030-01")
    let report = ReportSample.report([SampleRequest()]) { $0.prices = prices }
    #expect(report.totals.cost.exactText == "1000")
  }

  @Test func whatWasSaidIsKeptInAPrivateFile() throws {
    let (bench, repository) = try begin()
    let quota = QuotaStanding(
      provider: "claude", account: "a", device: repository.deviceID, window: .primary, used: 95, limit: 100,
      cost: nil, seconds: 0, resets: nil, hasEnded: false)
    let rule = AlertRule(provider: "claude", warning: 0.7, critical: 0.9, channels: [], isEnabled: true)
    let standings = AlertStanding.all(rules: [rule], quotas: [quota])
    #expect(try repository.announce(standings) { _ in false }.count == 1)
    // A check that is killed leaves no more behind than one that ends here.
    struct Killed: Error {}
    #expect(throws: Killed.self) { try repository.announce(standings) { _ in throw Killed() } }
    var meanwhile: [AlertStanding]?
    let said = try repository.announce(standings) { _ in
      meanwhile = try repository.announce(standings) { _ in true }
      return true
    }
    #expect(said.count == 1 && meanwhile?.isEmpty == true)
    #expect(try bench.fileSystem.status(repository.layout.alerts)?.permissions == 0o600)
    #expect(try repository.announce(standings) { _ in true }.isEmpty)
  }
}
