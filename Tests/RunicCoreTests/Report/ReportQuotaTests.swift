import CanonicalJSON
import TestSupport
import Testing

@testable import RunicCore

/// One reading in the making.
private struct Reading {
  var provider = "claude"
  var used: Int64
  var secondary: Int64?
  var account: String?
  var time = "2026-09-05T12:00:00Z"
  var device: UInt8 = 1
  var resets: JSONValue?

  var payload: [UInt8] {
    var object: JSONObject = [
      "primaryLimit": 100, "primaryUsed": .integer(used), "providerID": .string(JSONString(provider)),
      "updatedAt": .string(JSONString(time)),
    ]
    if let secondary { object["secondaryUsed"] = .integer(secondary) }
    if let resets { object["primaryResetsAt"] = resets }
    if let account { object["accountEmail"] = .string(JSONString(account)) }
    return object.canonicalBytes
  }
}

@Suite struct ReportQuotaTests {
  private func standings(_ readings: [Reading], now: String = "2026-09-05T13:00:00Z") -> [QuotaStanding] {
    var board = QuotaBoard(now: ReportSample.seconds(now) * 1000)
    for reading in readings {
      reading.payload.withUnsafeBytes { payload in
        ReportSample.device(reading.device).withUnsafeBytes { board.add(payload: payload, device: $0) }
      }
    }
    return board.standings
  }

  private func used(_ readings: [Reading]) -> [Int64] { standings(readings).map(\.used) }

  @Test func oneAccountIsOneQuotaWhateverTheDevice() {
    let readings = [
      Reading(used: 10, account: "a", time: "2026-09-05T12:00:01Z", device: 2),
      Reading(used: 90, account: "a"),
    ]
    #expect(used(readings) == [10])
    #expect(used(readings.reversed()) == [10])
  }

  @Test func withoutAnAccountEachDeviceHasItsOwn() {
    #expect(
      used([Reading(used: 1), Reading(used: 2, device: 2), Reading(used: 3, account: "a")]) == [1, 2, 3])
  }

  @Test func fractionsOfASecondCount() {
    let readings = [
      Reading(used: 5, time: "2026-09-05T12:00:00.25Z"), Reading(used: 4, time: "2026-09-05T12:00:00.3Z"),
      Reading(used: 9, time: "2026-09-05T12:00:00Z"),
    ]
    for _ in 0..<3 { #expect(used(readings.shuffled()) == [4]) }
  }

  @Test func readingsOfOneInstantAreSettledAlikeInAnyOrder() {
    let readings = [Reading(used: 5), Reading(used: 7), Reading(used: 6)]
    #expect(used(readings) == [7] && used(readings.reversed()) == [7])
  }

  /// Without an end the window would stand for ever; with one it is over here.
  @Test func ofTwoAlikeTheOneThatNamesAnEndStands() {
    for resets in ["2026-09-05T12:30:00Z", "soon"] as [JSONValue] {
      let readings = [Reading(used: 5), Reading(used: 5, resets: resets), Reading(used: 5)]
      for order in [readings, readings.reversed()] {
        #expect(standings(order).map(\.hasEnded) == [resets != "soon"])
      }
    }
    let more = [Reading(used: 6), Reading(used: 5, resets: "2026-09-05T12:30:00Z")]
    #expect(used(more) == [6] && used(more.reversed()) == [6])
  }

  @Test func windowsAreKeptApart() {
    let readings = [
      Reading(used: 50, secondary: 20), Reading(used: 60, time: "2026-09-05T12:30:00Z"),
    ]
    let found = standings(readings)
    #expect(found.map(\.window) == [.primary, .secondary] && found.map(\.used) == [60, 20])
    #expect(found.map(\.ratio) == [0.6, nil])
  }

  @Test(arguments: [("2026-09-06T13:00:00Z", 9), ("2026-09-06T13:00:01Z", 1)] as [(String, Int64)])
  func aReadingMoreThanADayAheadIsNeverTheNewest(time: String, shown: Int64) {
    #expect(used([Reading(used: 1), Reading(used: 9, time: time)]) == [shown])
  }

  @Test func bothNamesOfAProviderAreOneQuota() {
    #expect(
      used([Reading(used: 1), Reading(provider: "anthropic", used: 2, time: "2026-09-05T12:30:00Z")]) == [2])
  }

  // MARK: - Alerts

  private func rule(
    _ provider: String = "claude", warning: Double = 0.75, critical: Double = 0.9, isEnabled: Bool = true
  ) -> AlertRule {
    AlertRule(
      provider: provider, warning: warning, critical: critical, channels: ["stdout"], isEnabled: isEnabled)
  }

  @Test(
    arguments: [
      (0, AlertLevel.fine), (74, .fine), (75, .warning), (89, .warning), (90, .critical), (200, .critical),
    ] as [(Int64, AlertLevel)])
  func theHighestThresholdReachedIsTheLevel(used: Int64, level: AlertLevel) {
    let standings = AlertStanding.all(rules: [rule()], quotas: standings([Reading(used: used)]))
    #expect(standings.map(\.level) == [level])
  }

  /// Nobody knows what is used of a window that began since.
  @Test(
    arguments: [
      (nil, .critical), ("2026-09-05T13:00:01Z", .critical), ("2026-09-05T13:00:00Z", .fine),
      ("soon", .critical),
      (3, .critical),
    ] as [(JSONValue?, AlertLevel)])
  func aWindowThatHasEndedIsNotJudged(resets: JSONValue?, level: AlertLevel) {
    let reading = Reading(used: 99, secondary: 99, resets: resets)
    let standings = AlertStanding.all(rules: [rule()], quotas: standings([reading]))
    #expect(standings.map(\.level) == [level])
  }

  /// So the next one's use is told even where it is no less than that of the last.
  @Test func whatIsSaidOfAWindowIsForgottenWhenItEnds() {
    let resets: JSONValue = "2026-09-05T12:30:00Z"
    var memory = AlertMemory()
    var heard: [Int] = []
    for (reading, now) in [
      (Reading(used: 95, resets: resets), "2026-09-05T12:10:00Z"),
      (Reading(used: 95, resets: resets), "2026-09-05T13:00:00Z"),
      (Reading(used: 96, time: "2026-09-05T14:00:00Z"), "2026-09-05T14:10:00Z"),
    ] {
      let standings = AlertStanding.all(rules: [rule()], quotas: standings([reading], now: now))
      let news = memory.take(standings)
      news.forEach { memory.noteSaid($0) }
      heard.append(news.count)
    }
    #expect(heard == [1, 0, 1])
  }

  @Test func onlyItsOwnProviderAndWhatHasALimitIsJudged() {
    let quotas = standings([Reading(used: 99, secondary: 99), Reading(provider: "codex", used: 99)])
    #expect(AlertStanding.all(rules: [rule("anthropic")], quotas: quotas).map(\.quota.provider) == ["claude"])
    #expect(AlertStanding.all(rules: [rule("openai")], quotas: quotas).map(\.quota.provider) == ["codex"])
    #expect(AlertStanding.all(rules: [rule("gemini"), rule(isEnabled: false)], quotas: quotas).isEmpty)
  }

  @Test func anAlertReadsWithItsDefaults() {
    let rule = AlertRule(["providerID": "claude"], id: [])
    #expect(
      rule
        == AlertRule(provider: "claude", warning: 0.75, critical: 0.9, channels: ["system"], isEnabled: true))
  }

  /// Readings one after the other, and what is said at each.
  @Test(
    arguments: [
      ([80, 85, 80], [.warning, nil, nil]), ([80, 95, 96, 80], [.warning, .critical, nil, nil]),
      ([95, 80, 95], [.critical, nil, nil]), ([80, 10, 80], [.warning, nil, .warning]),
      ([80, 74, 80], [.warning, nil, .warning]), ([199, 80], [.critical, .warning]), ([10], [nil]),
    ] as [([Int64], [AlertLevel?])])
  func aLevelIsSaidOnceForAWindow(readings: [Int64], said: [AlertLevel?]) throws {
    var memory = AlertMemory()
    var heard: [AlertLevel?] = []
    for used in readings {
      let standings = AlertStanding.all(rules: [rule()], quotas: standings([Reading(used: used)]))
      let news = memory.take(standings)
      heard.append(news.first?.level)
      news.forEach { memory.noteSaid($0) }
      memory = try #require(AlertMemory(json: memory.json))
    }
    #expect(heard == said)
  }

  @Test func eachWindowIsToldByItself() {
    var memory = AlertMemory()
    let first = AlertStanding.all(rules: [rule()], quotas: standings([Reading(used: 80, account: "a")]))
    #expect(memory.take(first).count == 1)
    first.forEach { memory.noteSaid($0) }
    let both = AlertStanding.all(
      rules: [rule()], quotas: standings([Reading(used: 80, account: "a"), Reading(used: 80, account: "b")]))
    #expect(memory.take(both).map(\.quota.account) == ["b"])
    #expect(memory.take(both).map(\.quota.account) == ["b"])
    both.forEach { memory.noteSaid($0) }
    #expect(memory.take(both).isEmpty)
  }

  /// Readings one after the other, of which only the first is said: the others stay new.
  @Test(
    arguments: [
      ([80, 95, 96], [.warning, .critical, .critical]), ([95, 40, 80], [.critical, nil, .warning]),
      ([99, 48, 80], [.critical, .warning, .warning]),
      ([80, 95, 80, 96], [.warning, .critical, nil, .critical]),
    ] as [([Int64], [AlertLevel?])])
  func whatWasNotSaidStaysNew(readings: [Int64], news: [AlertLevel?]) {
    var memory = AlertMemory()
    var heard: [AlertLevel?] = []
    let low = AlertRule(provider: "claude", warning: 0.45, critical: 0.9, channels: [], isEnabled: true)
    for used in readings {
      let standings = AlertStanding.all(rules: [low], quotas: standings([Reading(used: used)]))
      let new = memory.take(standings)
      heard.append(new.first?.level)
      if heard.count == 1 { new.forEach { memory.noteSaid($0) } }
    }
    #expect(heard == news)
  }
}
