import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Machines that were cloned, and backups that were restored.
@Suite struct MishapCloneTests {
  private enum Step: CaseIterable {
    case firstPush, twinPush, firstPull, twinPull, otherPull
  }

  private static func orders(_ steps: [Step]) -> [[Step]] {
    guard steps.count > 1 else { return [steps] }
    return steps.indices.flatMap { index -> [[Step]] in
      var rest = steps
      let first = rest.remove(at: index)
      return orders(rest).map { [first] + $0 }
    }
  }

  /// A device, its clone made in mid-history, and another; each of the first two has written since.
  private func scene() throws -> MemoryFileSystem.Snapshot {
    let bench = try Workbench()
    let first = try bench.begin("first")
    try first.use("claude", 1)
    try first.prefer(["theme": "dark"])
    _ = try first.push("shared")
    let other = try bench.join("other", of: first)
    _ = try other.pull("shared")
    try bench.copy("first", to: "twin")
    try first.use("claude", 2)
    try first.prefer(["theme": "light"])
    let twin = try bench.open("twin")
    try twin.use("claude", 3)
    try twin.prefer(["size": 3])
    return bench.disk.snapshot()
  }

  @Test func bothBranchesOfACloneSurviveOnEveryDeviceWhateverTheOrder() throws {
    let start = try scene()
    for (number, order) in Self.orders(Step.allCases).enumerated() {
      let bench = try Workbench(MemoryFileSystem(start), seed: UInt64(number) + 50)
      let names = ["first", "twin", "other"]
      let devices = try names.map(bench.open)
      var reports = [0, 0, 0]
      func note(_ device: Int, _ outcome: SyncOutcome) { reports[device] += outcome.foundDamage ? 1 : 0 }
      for step in order {
        switch step {
        case .firstPush: note(0, try devices[0].push("shared"))
        case .twinPush: note(1, try devices[1].push("shared"))
        case .firstPull: note(0, try devices[0].pull("shared"))
        case .twinPull: note(1, try devices[1].pull("shared"))
        case .otherPull: note(2, try devices[2].pull("shared"))
        }
      }
      for _ in 0..<3 {
        for (index, device) in devices.enumerated() {
          note(index, try device.pull("shared"))
          note(index, try device.push("shared"))
        }
      }
      let state = try devices[2].state()
      #expect(try devices[2].usageCount == 3, "\(order)")
      #expect(try devices[2].preferences == ["size": 3, "theme": "light"], "\(order)")
      for device in devices {
        #expect(try device.state() == state, "\(order)")
        #expect(try device.faults() == [], "\(order)")
        #expect(try device.status().warnings.contains { if case .forked = $0 { true } else { false } })
      }
      #expect(devices[0].deviceID != devices[1].deviceID, "\(order)")
      #expect(reports == [1, 1, 1], "\(order)")
      let novice = try bench.join("novice", of: devices[0])
      #expect(try novice.pull("shared").foundDamage)
      #expect(try novice.state() == state, "\(order)")
    }
  }

  /// Where one of the two wrote nothing, there is no fork.
  @Test func aCloneThatWroteNothingForksNothing() throws {
    let bench = try Workbench()
    let first = try bench.begin("first")
    try first.use("claude", 1)
    _ = try first.push("shared")
    try bench.copy("first", to: "twin")
    try first.use("claude", 2)
    _ = try first.push("shared")
    let twin = try bench.open("twin")
    let outcome = try twin.pull("shared")
    #expect(!outcome.foundDamage)
    #expect(try twin.usageCount == 2)
    try twin.use("claude", 3)
    try first.use("claude", 4)
    try bench.settle([first, twin])
    #expect(try first.usageCount == 4)
    #expect(try twin.state() == first.state())
    #expect(first.deviceID != twin.deviceID)
  }

  @Test(arguments: [false, true])
  func aRestoredBackupGoesOnUnderANewIdentityAndLosesNothing(pullsFirst: Bool) throws {
    let bench = try Workbench()
    let first = try bench.begin("first")
    try first.use("claude", 1)
    _ = try first.push("shared")
    let backup = try bench.disk.tree(bench.path("first"))
    try first.use("claude", 2)
    _ = try first.push("shared")
    let formerly = first.deviceID
    try bench.replace("first", by: backup)
    let restored = try bench.open("first")
    if pullsFirst {
      _ = try restored.pull("shared")
      try restored.use("claude", 3)
    } else {
      try restored.use("claude", 3)
      let outcome = try restored.push("shared")
      #expect(outcome.foundDamage)
      let isNamed = outcome.warnings.contains {
        if case .newIdentity(formerly, _) = $0 { true } else { false }
      }
      #expect(isNamed)
    }
    _ = try restored.push("shared")
    #expect(try restored.usageCount == 3)
    #expect(restored.deviceID != formerly)
    #expect(try restored.faults() + restored.faultsOfRemote() == [])
    let novice = try bench.join("novice", of: restored)
    _ = try novice.pull("shared")
    #expect(try novice.state() == restored.state())
    #expect(try !restored.push("shared").foundDamage)
    #expect(try !restored.pull("shared").foundDamage)
  }

  /// The store alone is older than what the device has published: it knows that itself.
  @Test(arguments: [false, true])
  func aStoreRestoredBesideANewerIndexForksOnlyWhatOthersMayHaveSeen(wasPushed: Bool) throws {
    let bench = try Workbench()
    let first = try bench.begin("first")
    try first.use("claude", 1)
    _ = try first.push("shared")
    let old = try bench.disk.tree(bench.path("first/store"))
    try first.use("claude", 2)
    if wasPushed { _ = try first.push("shared") }
    try bench.replace("first/store", by: old)
    let again = try bench.open("first")
    #expect(try again.usageCount == 1)
    try again.use("claude", 3)
    #expect(try again.usageCount == 2)
    #expect((again.deviceID == first.deviceID) == !wasPushed)
    _ = try again.pull("shared")
    _ = try again.push("shared")
    #expect(try again.usageCount == (wasPushed ? 3 : 2))
    #expect(try again.faults() + again.faultsOfRemote() == [])
    let novice = try bench.join("novice", of: again)
    _ = try novice.pull("shared")
    #expect(try novice.state() == again.state())
  }
}
