import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Three devices, each with a strategy of its own, end with one state and stop writing.
@Suite struct MishapStrategyTests {
  private static let all = MergeStrategy.allCases
  private static let mixes: [[MergeStrategy]] = all.flatMap { a in
    all.flatMap { b in all.map { c in [a, b, c] } }
  }

  @Test(arguments: mixes)
  func devicesOfAnyStrategiesComeToRest(_ strategies: [MergeStrategy]) throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark", "size": 0])
    _ = try a.write { transaction in
      try transaction.patch(kind: .alert, id: Array("claude".utf8), Patch(set: ["enabled": true]))
    }
    _ = try a.push("shared")
    let devices = [a, try bench.join("b", of: a), try bench.join("c", of: a)]
    for device in devices { _ = try device.pull("shared") }
    for (index, device) in devices.enumerated() {
      try device.prefer([
        "theme": .string(JSONString(device.deviceName)), "size": .integer(Int64(index / 2 + 1)),
      ])
      bench.clock.milliseconds += 1
    }
    try devices[0].write { try $0.delete(kind: .alert, id: Array("claude".utf8)) }
    _ = try devices[1].write { transaction in
      try transaction.patch(kind: .alert, id: Array("claude".utf8), Patch(set: ["enabled": false]))
    }
    var rounds = 0
    var before: [String: [UInt8]] = [:]
    repeat {
      before = try bench.disk.tree(bench.path("shared"))
      for (device, strategy) in zip(devices, strategies) {
        _ = try device.pull("shared", strategy: strategy)
        _ = try device.push("shared")
      }
      rounds += 1
    } while try bench.shared() != before && rounds < 12
    #expect(rounds < 8, "they answer each other")
    let state = try a.state()
    for device in devices { #expect(try device.state() == state) }
    if Set(strategies) == [.preferLocal] || Set(strategies) == [.preferRemote] {
      #expect(try a.preferences?.map(\.key).count == 2)
    }
    if Set(strategies).isSubset(of: [.lastWriterWins, .manual]) {
      #expect(try a.preferences == ["size": 2, "theme": "c"])
      #expect(try a.status().conflicts > 0)
    }
  }

  @Test(arguments: [(MergeStrategy.preferLocal, "mine"), (.preferRemote, "yours")])
  func aStrategyThatIsChosenLaterSettlesWhatIsOpen(_ strategy: MergeStrategy, _ expected: String) throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
    _ = try a.push("shared")
    let (b, c) = (try bench.join("b", of: a), try bench.join("c", of: a))
    for device in [b, c] { _ = try device.pull("shared") }
    try a.prefer(["theme": "mine"])
    try b.prefer(["theme": "yours"])
    _ = try b.push("shared")
    #expect(try a.pull("shared", strategy: .manual).conflicts == 1)
    _ = try a.push("shared")
    // One that wrote none of the values settles nothing, and writes nothing.
    #expect(try c.pull("shared", strategy: .manual).conflicts == 1)
    let before = try bench.disk.tree(bench.path("c"))
    #expect(try c.pull("shared", strategy: strategy).conflictsResolved == 0)
    #expect(try bench.disk.tree(bench.path("c")) == before)

    let outcome = try a.pull("shared", strategy: strategy)
    #expect(outcome.conflictsResolved == 1)
    #expect(outcome.conflicts == 0)
    #expect(try a.preferences?["theme"] == .string(JSONString(expected)))
    let settled = try bench.disk.tree(bench.path("a"))
    #expect(try a.pull("shared", strategy: strategy).conflictsResolved == 0)
    #expect(try bench.disk.tree(bench.path("a")) == settled)
    _ = try a.push("shared")
    for device in [b, c] { #expect(try device.pull("shared").conflicts == 0) }
  }

  @Test func preferLocalKeepsWhatThisDeviceWroteAndPreferRemoteTakesTheOther() throws {
    for (strategy, expected) in [(MergeStrategy.preferLocal, "mine"), (.preferRemote, "yours")] {
      for mineIsLater in [false, true] {
        let bench = try Workbench()
        let a = try bench.begin("a")
        try a.prefer(["theme": "dark"])
        _ = try a.push("shared")
        let b = try bench.join("b", of: a)
        _ = try b.pull("shared")
        try (mineIsLater ? b : a).prefer(["theme": mineIsLater ? "yours" : "mine"])
        bench.clock.milliseconds += 1
        try (mineIsLater ? a : b).prefer(["theme": mineIsLater ? "mine" : "yours"])
        _ = try b.push("shared")
        let outcome = try a.pull("shared", strategy: strategy)
        #expect(outcome.conflictsResolved == 1)
        #expect(outcome.conflicts == 0)
        try bench.settle([a, b])
        for device in [a, b] {
          #expect(try device.preferences == ["theme": .string(JSONString(expected))])
          #expect(try device.status().conflicts == 0)
        }
      }
    }
  }
}
