import CanonicalJSON
import ObjectStore
import Testing
import TestSupport

@testable import RunicCore

/// What is remembered of syncs, and of conflicts.
@Suite struct SyncHistoryTests {
  private func sync(_ time: Int64, seconds: Double = 1, remote: String = "r", failure: String? = nil)
    -> SyncHistory.Sync
  {
    var sync = SyncHistory.Sync(time: time, remote: remote, operation: "sync", duration: seconds)
    sync.sent = SyncHistory.Traffic(changes: 1, files: 2, bytes: 3)
    sync.retries = 4
    sync.failure = failure
    return sync
  }

  @Test func itIsBoundedAndCountsOn() {
    var history = SyncHistory()
    for time in 0..<1000 { history.note(sync(Int64(time))) }
    #expect(history.syncs.count == SyncHistory.limit)
    #expect(history.syncs.last?.time == 999)
    #expect(history.statistics.totalSyncs == 1000)
    let places = (0..<1000).map { number in
      ConflictPlace(
        record: RecordName(family: .keys, kind: "k", id: [UInt8(number % 256)]), key: JSONString("\(number)"))
    }
    history.note(open: places, now: 5) { _ in nil }
    #expect(history.conflicts.count == SyncHistory.limit)
    #expect(JSONValue.object(history.json).canonicalBytes.count < 128 << 10)
  }

  @Test(arguments: [
    (10, 5.1, 0, true), (10, 5.0, 0, false), (9, 60, 0, false), (30, 5.1, 5, true),
  ])
  func aRemoteIsSlowByItsLastTen(_ count: Int, _ seconds: Double, _ failures: Int, _ isSlow: Bool) {
    var history = SyncHistory()
    for time in 0..<20 { history.note(sync(Int64(time), seconds: 90, remote: "other")) }
    for time in 0..<count { history.note(sync(Int64(time), seconds: seconds)) }
    for time in 0..<failures { history.note(sync(Int64(time), seconds: 0, failure: "unreachable")) }
    #expect((history.slowness(of: "r") != nil) == isSlow)
    #expect(history.slowness(of: "nobody") == nil)
  }

  @Test func itReadsWhatItWrote() throws {
    var history = SyncHistory()
    history.note(sync(1_790_000_000_000))
    history.note(sync(1_790_000_000_001, failure: "busy"))
    let place = ConflictPlace(record: RecordName(family: .keys, kind: "k", id: [0x61]), key: "x")
    history.note(open: [place, ConflictPlace(record: place.record, key: nil)], now: 7) { _ in nil }
    history.note(open: [], now: 8) { _ in ConflictSettlement(way: .resolved, deviceName: "B", time: 9) }
    let json = try JSONValue.parse(JSONValue.object(history.json).canonicalBytes)
    #expect(try SyncHistory(json: #require(json.objectValue)) == history)
  }

  @Test(arguments: [
    "", "{}", "{\"format\":1}", "[]", "{\"format\":1,\"statistics\":{\"total\":-1},\"syncs\":[1]}",
  ])
  func aBrokenFileIsNone(_ text: String) throws {
    let disk = MemoryFileSystem()
    let a = try Workbench(disk).begin("a")
    try disk.setContents(a.layout.history, Array(text.utf8))
    #expect(a.readHistory() == SyncHistory())
  }

  @Test func aConflictIsNotedWithWhoSettledIt() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    bench.clock.milliseconds += 10
    try a.prefer(["theme": "red"])
    try b.prefer(["theme": "blue"])
    for device in [a, b, a] {
      _ = try device.pull("shared")
      _ = try device.push("shared")
    }
    var met = try a.history().conflicts
    #expect(met.map(\.place.key) == ["theme"])
    #expect(met.first?.settlement == nil)
    bench.clock.milliseconds += 10
    let time = bench.clock.milliseconds
    try b.write {
      _ = try $0.resolve(kind: .preferences, id: Array("user-preferences".utf8), key: "theme", as: .ours)
    }
    for device in [b, a] {
      _ = try device.push("shared")
      _ = try device.pull("shared")
    }
    bench.clock.milliseconds += 10
    met = try a.history().conflicts
    #expect(
      met.map(\.settlement) == [ConflictSettlement(way: .resolved, deviceName: "b", time: time)])
    // The same key again is another conflict.
    #expect(try a.history().conflicts.count == 1)
  }

  @Test func aSlowRemoteStandsInTheStatus() throws {
    let a = try Workbench().begin("a")
    for time in 0..<10 { a.note(sync(Int64(time), seconds: 7, remote: "shared")) }
    #expect(try a.status().warnings == [.slow(remote: "shared", seconds: 7)])
  }
}
