import CanonicalJSON
import ObjectStore
import Testing
import TestSupport

@testable import RunicCore

@Suite struct TwoDevicesTests {
  @Test func recordsOfBothArriveOnBoth() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 10)
    try a.prefer(["theme": "dark"])
    let pushed = try a.push("shared")
    #expect(pushed.pushedCount == 2)
    let b = try bench.join("b", of: a)
    let first = try b.pull("shared")
    #expect(first.fetchedCount == 2)
    #expect(try b.preferences == ["theme": "dark"])
    try b.use("codex", 7)
    _ = try b.push("shared")
    #expect(try a.pull("shared").fetchedCount == 1)
    #expect(try a.usageCount == 2)
    #expect(try b.usageCount == 2)
  }

  /// What one device may not write, two may bring together.
  @Test func aRecordThatAMergeMadeTooLargeCanBeMadeSmaller() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
    _ = try a.push("shared")
    let long = JSONValue.string(JSONString(String(repeating: "x", count: 700_000)))
    let others = try ["b", "c"].map { try bench.join($0, of: a) }
    for device in others { _ = try device.pull("shared") }
    for (number, device) in others.enumerated() {
      try device.prefer(["long\(number)": long])
      _ = try device.push("shared")
    }
    try a.prefer(["long": long])
    _ = try a.pull("shared")
    #expect(try a.preferences?.count == 4)
    for set: [String: JSONValue] in [["theme": "light"], ["theme": .string("longer than dark")]] {
      #expect(throws: RunicError.self) { try a.prefer(set) }
    }
    #expect(throws: RunicError.self) {
      try a.prefer(["new": long, "more": long], unset: ["long", "long0", "long1"])
    }
    try a.prefer(["theme": "red"], unset: ["long"])
    try a.prefer(["theme": "light"], unset: ["long0"])
    #expect(try a.preferences?.count == 2)
    try a.prefer(["new": 1])
  }

  /// What is said of a commit that never touches the record stays with it where it came first, and only there.
  @Test(arguments: [false, true])
  func whatOtherRecordsCommitsAreSaidToSettleMakesNoIndexWrong(_ isSaidFirst: Bool) throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    let novice = try bench.join("c", of: a)
    try a.use("claude", 1)
    let said = try #require(try a.read { $0.index.logs[a.deviceID]?.newest?.hash })
    let name = RecordName(family: .keys, kind: "preferences", id: bytes("other"))
    let written = WrittenValue(value: bytes("1"), replaces: [said])
    let write = RegisterWrite(
      kind: name.kind, id: name.id, generation: 1, writes: [key("x"): written], settles: [said])
    _ = try b.write { try $0.append(to: name) { _, _ in .set(write) } }
    for device in isSaidFirst ? [b, a] : [a, b] {
      _ = try device.push("shared")
      _ = try novice.pull("shared")
    }
    let state = try #require(try novice.read { try $0.index.keyed(name) })
    #expect(state.awaited.isEmpty != isSaidFirst)
    #expect(try novice.check().damage.isEmpty)
  }

  @Test func concurrentEditsOfOneKeyShowTheSameAndAreListedOnBoth() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark", "size": 1])
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try a.prefer(["theme": "light", "left": 1])
    bench.clock.milliseconds += 5
    try b.prefer(["theme": "blue", "right": 2])
    for _ in 0..<2 {
      for device in [a, b] {
        _ = try device.pull("shared")
        _ = try device.push("shared")
      }
    }
    let expected: JSONObject = ["left": 1, "right": 2, "size": 1, "theme": "blue"]
    #expect(try a.preferences == expected)
    #expect(try b.preferences == expected)
    for device in [a, b] {
      let conflicts = try device.read { try $0.conflicts() }
      #expect(conflicts.map(\.key) == ["theme"])
      #expect(conflicts.first?.others.map(\.deviceName) == ["a"])
    }
    try a.write {
      _ = try $0.resolve(kind: .preferences, id: Array("user-preferences".utf8), key: "theme", as: .ours)
    }
    _ = try a.push("shared")
    _ = try b.pull("shared")
    for device in [a, b] {
      #expect(try device.preferences?["theme"] == "light")
      #expect(try device.read { try $0.conflicts() }.isEmpty)
    }
  }

  /// A device that uses two remotes brings the one what came from the other, and counts only that: what the remote
  /// had of the log before is in a head that is long replaced here.
  @Test(arguments: [false, true]) func whatIsPassedOnIsCountedOnce(rollsUp: Bool) throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    for amount in 1...5 { try a.use("claude", Int64(amount)) }
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try bench.attach("other", to: b)
    #expect(try b.push("other").pushedCount == 5)
    for amount in 6...8 {
      try a.use("claude", Int64(amount))
      if rollsUp {
        // Afterwards no object ends where the head at the other remote ends.
        try a.write {
          $0.rollsUpEverything = true
          try $0.appendEmptyCommit()
        }
      }
      _ = try a.push("shared")
      #expect(try b.pull("shared").fetchedCount == 1)
      #expect(try b.push("other").pushedCount == 1)
    }
    #expect(try b.push("other").pushedCount == 0)
  }

  /// Of several devices they come in one order, whatever the order in memory.
  @Test func warningsOfSeveralDevicesAreSorted() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 1)
    _ = try a.push("shared")
    let old = try bench.shared()
    for name in ["b", "c", "d", "e", "f", "g"] {
      let device = try bench.join(name, of: a)
      try device.use(name, 1)
      _ = try device.push("shared")
    }
    _ = try a.pull("shared")
    try bench.replace("shared", by: old)
    let devices = try a.pull("shared").warnings.compactMap { warning in
      if case .rolledBack(let device, _, _, _, _) = warning { device } else { nil }
    }
    #expect(devices.count == 6)
    #expect(devices == devices.sorted())
  }

  /// What a device brings of its own log is counted from the head that the remote has, though a pull has read and
  /// dropped that head meanwhile.
  @Test func whatIsSentIsCountedOnce() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    for amount in 1...11 { try a.use("claude", Int64(amount)) }
    #expect(try a.push("shared").pushedCount == 11)
    for round in 1...4 {
      for amount in 1...4 { try a.use("codex", Int64(100 * round + amount)) }
      _ = try a.pull("shared")
      #expect(try a.push("shared").pushedCount == 4)
    }
  }
}
