import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Newer formats, devices that never come back, the loss of everything, and states that are settled.
@Suite struct MishapOtherTests {
  private let bench: Workbench
  private let a: Repository
  private let b: Repository

  init() throws {
    bench = try Workbench()
    a = try bench.begin("a")
    try a.use("claude", 1)
    try a.prefer(["theme": "dark"])
    _ = try a.push("shared")
    b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try b.use("codex", 2)
    _ = try b.push("shared")
    _ = try a.pull("shared")
  }

  // MARK: - Newer formats

  @Test func aHeadOfANewerFormatMakesItsLogPendingWithTheVersion() throws {
    let newest = try #require(try b.store.headNames().last { $0.device == b.deviceID })
    var file = try bench.disk.contents(b.store.path(.head(newest)))
    file[9] = 2
    let name = HeadName(device: newest.device, sequence: newest.sequence + 1, digest: SHA256.hash(file))
    try bench.disk.setContents(bench.path("shared/") + TreeName.head(name).path, file)
    for _ in 0..<2 {
      let outcome = try a.pull("shared")
      #expect(
        outcome.pending == [
          PendingLog(
            device: b.deviceID, deviceName: "b", have: newest.sequence, need: name.sequence, newerFormat: 2)
        ])
      #expect(outcome.warnings.isEmpty)
      #expect(try a.status().pending == outcome.pending)
    }
    #expect(try a.usageCount == 2)
    try a.use("claude", 3)
    _ = try a.push("shared")
    #expect(try bench.shared()[TreeName.head(name).path] == file)
  }

  @Test func aMarkerOfANewerFormatIsRefusedWithItsVersion() throws {
    let marker: JSONObject = ["format": 2, "whatever": true]
    try bench.disk.setContents(bench.path("shared/runic.json"), marker.canonicalBytes)
    #expect { try a.pull("shared") } throws: { error in
      guard case .newerFormat(_, 2)? = error as? RunicError else { return false }
      return true
    }
  }

  // MARK: - Devices that do not come back

  @Test func whatIsMissingOfARetiredDeviceIsNotWaitedFor() throws {
    try b.use("codex", 3)
    _ = try b.push("shared")
    let folder = bench.path("shared/devices/\(b.deviceID)")
    for entry in try bench.disk.list(folder) { try bench.disk.remove(folder + "/" + entry.name) }
    #expect(try a.pull("shared").pending.map(\.device) == [b.deviceID])
    #expect(try a.status().pending.count == 1)
    let state = try a.state()
    try a.retire(b.deviceID)
    #expect(try a.pull("shared").pending.isEmpty)
    #expect(try a.status().pending.isEmpty)
    #expect(try a.usageCount == 2)
    #expect(Set(try a.state().keys).isSuperset(of: state.keys))
    // What comes none the less is taken.
    _ = try b.push("shared", options: PushOptions(repair: true))
    _ = try a.pull("shared")
    #expect(try a.usageCount == 3)
  }

  // MARK: - Everything lost

  @Test func theFolderAndTheKeyBringEverythingBack() throws {
    let state = try a.state()
    let key = a.keys.newest.root
    let files = try bench.shared()
    let island = try Workbench(MemoryFileSystem(), seed: 9)
    try island.replace("found", by: files)
    let back = try Repository.clone(
      from: island.path("found"), named: "origin", to: island.path("back"), deviceName: "back",
      unlock: .key(key, a.id), environment: island.environment)
    #expect(try back.pull("origin").fetchedCount == 3)
    #expect(try back.state() == state)
    #expect(try back.faults() == [])
    // And from there a new folder.
    try island.attach("anew", to: back)
    _ = try back.push("anew")
    let next = try island.join("next", of: back, remote: "anew")
    _ = try next.pull("anew")
    #expect(try next.state() == state)
  }

  @Test func theFolderAndThePassphraseBringEverythingBack() throws {
    let world = try Workbench(MemoryFileSystem(), seed: 8)
    func passphrase(_ text: String) -> SecretBytes {
      var bytes = Array(text.utf8)
      return SecretBytes(taking: &bytes)
    }
    let first = try Repository.create(
      at: world.path("first"), name: "first", passphrase: passphrase("correct horse"),
      environment: world.environment)
    try world.attach("shared", to: first)
    try first.use("claude", 1)
    _ = try first.push("shared")
    let state = try first.state()
    let island = try Workbench(MemoryFileSystem(), seed: 7)
    try island.replace("found", by: try world.shared())
    func clone(_ text: String) throws -> Repository {
      try Repository.clone(
        from: island.path("found"), named: "origin", to: island.path("back"), deviceName: nil,
        unlock: .passphrase { passphrase(text) }, environment: island.environment)
    }
    let before = try island.disk.tree("/")
    #expect { try clone("wrong horse") } throws: { error in
      guard case .wrongKey? = error as? RunicError else { return false }
      return true
    }
    #expect(try island.disk.tree("/") == before)
    let back = try clone("correct horse")
    _ = try back.pull("origin")
    #expect(try back.state() == state)
  }

  // MARK: - Settled

  @Test func aSettledStateIsLeftAsItIsToTheByte() throws {
    let c = try bench.join("c", of: a)
    let devices = [a, b, c]
    for device in devices {
      try device.prefer(["theme": .string(JSONString(device.deviceName))])
      bench.clock.milliseconds += 1
    }
    try bench.settle(devices)
    #expect(try a.status().conflicts == 1)
    let before = try bench.disk.tree("/")
    for device in devices {
      #expect(try !device.prefer(["theme": "c"]))
      #expect(try !device.use("claude", 1))
      for strategy in MergeStrategy.allCases where strategy == .lastWriterWins || strategy == .manual {
        let outcome = try device.pull("shared", strategy: strategy)
        #expect(outcome.fetchedCount == 0)
      }
      let outcome = try device.push("shared")
      #expect(outcome.pushedCount == 0)
      #expect(outcome.files.isEmpty)
      _ = try device.push("shared", options: PushOptions(repair: true))
      _ = try device.push("shared", options: PushOptions(verify: true))
      _ = try device.status()
      #expect(try device.faults() + device.faultsOfRemote() == [])
    }
    let after = try bench.disk.tree("/")
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    #expect(changed.isEmpty)
  }
}
