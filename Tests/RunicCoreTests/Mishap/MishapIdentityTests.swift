import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// What a device that was cloned leaves alone at a remote that it wrote to under its former identity.
@Suite struct MishapIdentityTests {
  private struct Scene {
    let bench: Workbench
    let twin: Repository
    /// The head of the branch that the twin wrote before it knew: it lies in `second`.
    let tip: TreeName
    let formerly: DeviceID

    init(seed: UInt64) throws {
      bench = try Workbench(seed: seed)
      let first = try bench.begin("first", remote: "shared")
      try first.use("claude", 1)
      _ = try first.push("shared")
      try bench.attach("second", to: first)
      try bench.copy("first", to: "twin")
      try first.use("claude", 2)
      _ = try first.push("shared")
      let twin = try bench.open("twin")
      try twin.use("claude", 3)
      _ = try twin.push("second")
      let device = twin.deviceID
      tip = .head(try #require(try twin.store.headNames().last { $0.device == device }))
      _ = try twin.pull("shared")
      (self.twin, formerly) = (twin, device)
    }
  }

  @Test func theFormerLogsTipStaysWhereverItWasPushed() throws {
    var orders: Set<Bool> = []
    for seed in UInt64(1)...8 {
      let scene = try Scene(seed: seed)
      let (bench, twin) = (scene.bench, scene.twin)
      #expect(twin.deviceID != scene.formerly)
      orders.insert(scene.formerly < twin.deviceID)
      for push in 1...8 {
        try twin.use("codex", Int64(push))
        _ = try twin.push("second")
        let there = try bench.shared("second").keys
        #expect(there.contains(scene.tip.path), "seed \(seed), push \(push)")
        let own = there.filter { $0.hasPrefix("heads/\(twin.deviceID.hex)") }
        #expect(own.count == min(push, Limits.heads + 1), "seed \(seed), push \(push)")
      }
      let novice = try bench.join("novice", of: twin, remote: "second")
      _ = try novice.pull("second")
      #expect(try novice.state() == twin.state())
    }
    #expect(orders.count == 2, "identities that sort before the former one, and behind")
  }

  @Test func theDecisionTakesOldHeadsOfTheNewestsOwnLogAlone() throws {
    let (own, other) = (DeviceID(from: .seeded(1)), DeviceID(from: .seeded(2)))
    func heads(_ device: DeviceID, _ sequences: ClosedRange<Int64>) -> [HeadName] {
      sequences.map { HeadName(device: device, sequence: $0, digest: SHA256.hash([UInt8($0)])) }
    }
    let written = heads(other, 1...9) + heads(own, 1...9)
    let newest = try #require(heads(own, 8...8).first)
    let old = SyncPlan.removable(heads: written, listed: Set(written), newest: newest)
    #expect(old == heads(own, 1...3))
    #expect(
      SyncPlan.removable(heads: written, listed: Set(written.dropFirst(11)), newest: newest)
        == heads(own, 3...3))
  }
}
