import CanonicalJSON
import ObjectStore
import RunicCore
import Testing
import TestSupport

/// A source that hands over whole payloads, on two devices with one shared folder.
@Suite struct SyncLedgerTests {
  private let record = RecordName(family: .keys, kind: "preferences", id: Array("user-preferences".utf8))

  private func shown(_ repository: Repository) throws -> JSONObject? {
    try repository.read { try $0.record(record)?.object }
  }

  private func settle(_ devices: [Repository]) throws {
    for _ in 0..<2 {
      for device in devices {
        _ = try device.pull("shared")
        _ = try device.push("shared")
      }
    }
  }

  @Test func keysThatDifferFromTheBaseAreEdits() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.capture(["theme": "dark", "size": 1], from: "file", into: record)
    #expect(try shown(a) == ["theme": "dark", "size": 1])
    try a.capture(["theme": "light", "size": 1], from: "file", into: record)
    #expect(try shown(a) == ["theme": "light", "size": 1])
    try a.capture(["theme": "light"], from: "file", into: record)
    #expect(try shown(a) == ["theme": "light"])
    #expect(try a.read { try $0.conflicts() }.isEmpty)
  }

  @Test func theSamePayloadAgainStoresNothing() throws {
    let memory = MemoryFileSystem()
    let bench = try Workbench(memory)
    let a = try bench.begin("a")
    try a.capture(["theme": "dark"], from: "file", into: record)
    let before = try memory.tree()
    let again = try a.capture(["theme": "dark"], from: "file", into: record)
    #expect(again.writes.isEmpty)
    #expect(try memory.tree() == before)
  }

  @Test func anEditOfTheSourceDoesNotHideWhatCameInBetween() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.capture(["theme": "dark", "size": 1], from: "file", into: record)
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    bench.clock.milliseconds += 10
    try b.prefer(["theme": "blue"])
    _ = try b.push("shared")
    _ = try a.pull("shared")
    // The source still holds what it held, and then changes the same key.
    bench.clock.milliseconds += 10
    try a.capture(["theme": "green", "size": 1], from: "file", into: record)
    #expect(try shown(a)?["theme"] == "green")
    let conflicts = try a.read { try $0.conflicts() }
    #expect(conflicts.map(\.key) == ["theme"])
    #expect(conflicts.first?.others.map(\.deviceName) == ["b"])
    try settle([a, b])
    #expect(try shown(b)?["theme"] == "green")
  }

  @Test func anEditAfterAHandOverReplacesWhatWasHandedOver() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.capture(["theme": "dark"], from: "file", into: record)
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try b.prefer(["theme": "blue"])
    _ = try b.push("shared")
    _ = try a.pull("shared")
    try a.handOver(try #require(try shown(a)), to: "file", of: record)
    try a.capture(["theme": "green"], from: "file", into: record)
    #expect(try a.read { try $0.conflicts() }.isEmpty)
    #expect(try shown(a) == ["theme": "green"])
  }

  @Test func withoutABaseADifferingKeyWaitsUntilASideIsPicked() throws {
    let memory = MemoryFileSystem()
    let bench = try Workbench(memory)
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
    let first = try a.capture(["theme": "light", "new": 1], from: "file", into: record)
    #expect(first.waiting == ["theme"])
    #expect(try shown(a) == ["theme": "dark", "new": 1])
    let second = try a.capture(
      ["theme": "light", "new": 1], from: "file", into: record, choice: .preferLocal)
    #expect(second.waiting.isEmpty)
    #expect(try shown(a)?["theme"] == "light")
  }

  @Test func aLostLedgerInventsNoEditAndNoDeletion() throws {
    let memory = MemoryFileSystem()
    let bench = try Workbench(memory)
    let a = try bench.begin("a")
    try a.capture(["theme": "dark", "size": 1], from: "file", into: record)
    try memory.remove(bench.path("a/ledger"))
    let captured = try a.capture(["theme": "light"], from: "file", into: record)
    #expect(captured.writes.isEmpty)
    #expect(captured.waiting == ["theme"])
    #expect(try shown(a) == ["theme": "dark", "size": 1])
  }

  @Test func aTombstoneIsAnEditToo() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.capture(["theme": "dark", "size": 1], from: "file", into: record)
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    bench.clock.milliseconds += 10
    try b.prefer(["size": 2])
    _ = try b.push("shared")
    bench.clock.milliseconds += 10
    try a.capture(["theme": "dark"], from: "file", into: record)
    try settle([a, b])
    for device in [a, b] {
      let conflicts = try device.read { try $0.conflicts() }
      #expect(conflicts.map(\.key) == ["size"])
      #expect(try shown(device) == ["theme": "dark"])
    }
  }
}
