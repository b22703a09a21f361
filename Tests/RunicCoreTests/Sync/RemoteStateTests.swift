import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// What is known of a remote, as `status` says it, after it was renamed, moved, removed, or filled by others.
@Suite struct RemoteStateTests {
  private let bench: Workbench
  private let a: Repository

  init() throws {
    bench = try Workbench()
    a = try bench.begin("a")
    try a.use("claude", 1)
    try a.use("claude", 2)
    _ = try a.push("shared")
  }

  private func remote(_ name: String, of device: Repository) throws -> RemoteStatus {
    try #require(try device.status().remotes.first { $0.name == name })
  }

  @Test func oneHomeFolderThereIsOnePlace() throws {
    try a.configure { try $0.add(RemoteSetting(name: "nas", url: "nas:p")) }
    try a.configure { try $0.add(RemoteSetting(name: "box", url: "rclone:nas:p")) }
    for url in ["nas:~/p", "nas:./p/", "ssh://nas/~/p", "rclone:nas:p/"] {
      #expect {
        try a.refuseUselessPlace(RemoteSetting(name: "again", url: url))
      } throws: {
        if case .placeTaken? = $0 as? RunicError { true } else { false }
      }
    }
    for url in ["nas:/p", "nas:q", "me@nas:p", "rclone:nas:/p"] {
      try a.refuseUselessPlace(RemoteSetting(name: "again", url: url))
    }
  }

  @Test func aPushOfNothingNotesWhatIsThere() throws {
    try a.removeRemote("shared")
    try a.addRemote(RemoteSetting(name: "again", url: bench.path("shared")))
    #expect(try remote("again", of: a).ahead == 2)
    #expect(try a.status().unpushed == 2)
    #expect(try a.push("again").pushedCount == 0)
    #expect(try remote("again", of: a).ahead == 0)
    #expect(try a.status().unpushed == 0)
  }

  @Test func whatAnotherDeviceBroughtIsNotedByAPushOfNothing() throws {
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try bench.attach("other", to: b)
    _ = try b.push("other")
    try bench.attach("other", to: a)
    _ = try a.push("other")
    #expect(try remote("other", of: a).ahead == 0)
  }

  @Test func whatIsKnownGoesWithTheName() throws {
    try a.configure { try $0.set("remote.shared.timeout", to: "77") }
    let before = try remote("shared", of: a)
    try a.renameRemote("shared", to: "home")
    let after = try remote("home", of: a)
    #expect((after.ahead, after.behind) == (0, 0))
    #expect(after.lastPush != nil && after.lastPush == before.lastPush)
    #expect(a.configuration.timeout(ofRemote: "home") == 77)
    #expect(a.configuration.settings["remote.shared.timeout"] == nil)
    #expect(try a.push("home").pushedCount == 0)
  }

  @Test func aRemovedRemoteLeavesNothingToTheNextOfItsName() throws {
    try a.configure { try $0.set("remote.shared.timeout", to: "77") }
    try a.removeRemote("shared")
    try a.addRemote(RemoteSetting(name: "shared", url: bench.path("elsewhere")))
    let status = try remote("shared", of: a)
    #expect(status.lastPush == nil && status.lastPull == nil)
    #expect(status.ahead == 2)
    #expect(a.configuration.timeout(ofRemote: "shared") == nil)
  }

  @Test func aMovedRemoteHasShownNothing() throws {
    _ = try a.pull("shared")
    try a.moveRemote("shared", to: bench.path("stick"), isChecked: false)
    #expect(try remote("shared", of: a).ahead == 2)
    #expect(try remote("shared", of: a).lastPush == nil)
    _ = try a.prepareRemote(a.configuration.remote("shared"))
    for _ in 0..<2 { #expect(try a.pull("shared").warnings.isEmpty) }
    #expect(try a.push("shared").pushedCount == 2)
    #expect(try remote("shared", of: a).ahead == 0)
  }

  @Test func aRemoteThatIsNamedAnewKeepsWhatItHasShown() throws {
    try a.moveRemote("shared", to: bench.path("shared"), isChecked: true)
    #expect(try remote("shared", of: a).ahead == 0)
    #expect(try remote("shared", of: a).lastPush != nil)
  }

  @Test func whatARolledBackRemoteLacksIsToBePushed() throws {
    let old = try bench.shared()
    try a.use("claude", 3)
    _ = try a.push("shared")
    try bench.replace("shared", by: old)
    _ = try a.pull("shared")
    #expect(try remote("shared", of: a).isRolledBack)
    #expect(try remote("shared", of: a).ahead == 1)
    _ = try a.push("shared")
    #expect(try !remote("shared", of: a).isRolledBack)
    #expect(try remote("shared", of: a).ahead == 0)
  }

  @Test func nothingIsWaitedForOfARetiredDevice() throws {
    let b = try bench.join("b", of: a)
    try b.use("codex", 1)
    _ = try b.push("shared")
    for (path, _) in try bench.shared() where path.hasPrefix("devices/\(b.deviceID)") {
      try bench.disk.remove(bench.path("shared/") + path)
    }
    _ = try a.pull("shared")
    #expect(try remote("shared", of: a).behind == 1)
    try a.retire(b.deviceID)
    #expect(try remote("shared", of: a).behind == 0)
  }

  @Test func aPushSaysWhatItMends() throws {
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    let newest = try #require(try a.store.headNames().last)
    let object = try #require(try a.store.head(newest, keys: a.keys).objects.first)
    let path = bench.path("shared/") + TreeName.object(a.deviceID, object.digest).path
    try bench.disk.setContents(path, [UInt8](repeating: 0, count: Int(object.length)))
    _ = try bench.join("c", of: a).pull("shared")
    _ = try a.check(remote: "shared")
    let outcome = try a.push("shared")
    #expect(outcome.mendedCount == 1)
    #expect(try a.push("shared").mendedCount == nil)
  }

  /// What a device pushed before it found itself cloned is of a log that is no longer its own.
  @Test func whatAFormerIdentityPushedDoesNotCount() throws {
    try bench.attach("stick", to: a)
    _ = try a.push("stick")
    try bench.copy("a", to: "twin")
    try a.use("claude", 3)
    _ = try a.push("shared")
    let twin = try bench.open("twin")
    try twin.use("codex", 1)
    let outcome = try twin.pull("shared")
    #expect(outcome.warnings.contains { if case .newIdentity = $0 { true } else { false } })
    try twin.use("codex", 2)
    #expect(try twin.status().unpushed > 0)
    _ = try twin.push("shared")
    #expect(try twin.status().unpushed == 0)
  }

  /// Where this device's newest head is damaged, a pull from where the remote lies now mends it: so it can be named.
  @Test func remotesCanBeChangedOverADamagedHead() throws {
    try bench.replace("stick", by: try bench.shared())
    let newest = try #require(try a.store.headNames().last)
    let path = a.store.path(.head(newest))
    try bench.disk.setContents(path, [UInt8](repeating: 0, count: 300))
    try a.moveRemote("shared", to: bench.path("stick"), isChecked: false)
    try a.renameRemote("shared", to: "home")
    try a.addRemote(RemoteSetting(name: "other", url: bench.path("elsewhere")))
    try a.removeRemote("other")
    #expect(throws: DamagedFile.self) { try a.use("claude", 9) }
    _ = try a.pull("home")
    try a.use("claude", 9)
    #expect(try a.usageCount == 3)
  }

  /// An object that is gone here is named by a push, which goes on with what it can.
  @Test func aPushOverALostObjectNamesIt() throws {
    for amount in Int64(10)...14 { try a.use("claude", amount) }
    _ = try a.pull("shared")
    let newest = try #require(try a.store.headNames().last)
    let objects = try a.store.head(newest, keys: a.keys).objects.map {
      TreeName.object(a.deviceID, $0.digest)
    }
    for name in objects { try bench.disk.remove(a.store.path(name)) }
    let outcome = try a.push("shared")
    #expect(!outcome.warnings.isEmpty)
    #expect(outcome.pushedCount == 0)
    #expect(try a.status().unpushed == 5)
  }
}
