import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Remotes that are gone, empty, another, old, slow or read-only.
@Suite struct MishapRemoteTests {
  private let bench: Workbench
  private let a: Repository
  private let b: Repository

  init() throws {
    bench = try Workbench()
    (a, b) = try bench.pair()
  }

  /// Pull and push fail with a reason, and nothing is written on either side.
  private func expectRefusal(_ matches: (any Error) -> Bool) throws {
    let before = try bench.disk.tree("/")
    for device in [a, b] {
      for sync in [{ _ = try device.pull("shared") }, { _ = try device.push("shared") }] {
        do {
          try sync()
          Issue.record("the remote was taken")
        } catch { #expect(matches(error), "\(error)") }
      }
    }
    #expect(try bench.disk.tree("/") == before)
  }

  @Test func anUnmountedFolderIsUnreachableAndNeverMade() throws {
    try bench.disk.rename(bench.path("shared"), to: bench.path("away"))
    try expectRefusal { ($0 as? RemoteError)?.reason == .unreachable }
    #expect(try bench.disk.status(bench.path("shared")) == nil)
    try bench.disk.rename(bench.path("away"), to: bench.path("shared"))
    #expect(try a.pull("shared").warnings.isEmpty)
  }

  @Test func anEmptiedFolderIsAnErrorAndNotFilledAgain() throws {
    try bench.disk.rename(bench.path("shared"), to: bench.path("away"))
    try bench.disk.makeDirectory(bench.path("shared"), permissions: 0o700)
    try expectRefusal { ($0 as? RemoteError)?.reason == .empty }
    for folder in ["keys", "heads", "devices"] {
      try bench.disk.makeDirectory(bench.path("shared/") + folder, permissions: 0o700)
    }
    try expectRefusal { ($0 as? RemoteError)?.reason == .empty }
    for folder in ["/keys", "/heads", "/devices", ""] {
      try bench.disk.removeDirectory(bench.path("shared") + folder)
    }
    try bench.disk.rename(bench.path("away"), to: bench.path("shared"))
    #expect(try a.faultsOfRemote().isEmpty)
  }

  @Test func aFolderThatHoldsSomethingElseIsRefused() throws {
    try bench.replace("shared", by: ["holiday.jpg": [1]])
    try expectRefusal { ($0 as? RemoteError)?.reason == .notARepository }
    #expect(throws: RemoteError.self) { try a.prepareRemote(try a.configuration.remote("shared")) }
    #expect(try bench.shared() == ["holiday.jpg": [1]])
  }

  @Test func anotherRepositoryInItsPlaceIsRefusedNamingBoth() throws {
    let other = try bench.begin("other", remote: "elsewhere")
    try other.use("claude", 5)
    _ = try other.push("elsewhere")
    try bench.replace("shared", by: try bench.shared("elsewhere"))
    try expectRefusal { error in
      guard case .foreignRepository(a.id, other.id)? = error as? RunicError else { return false }
      return true
    }
  }

  @Test func theHeadsGoneAreARollbackAndThePushOfOneWhoKnowsBringsAllBack() throws {
    let files = try bench.shared()
    try bench.replace("shared", by: files.filter { $0.key == "runic.json" })
    let outcome = try a.pull("shared")
    #expect(outcome.warnings.count == 2)
    #expect(try a.usageCount == 2)
    _ = try a.push("shared")
    let novice = try bench.join("novice", of: a)
    _ = try novice.pull("shared")
    #expect(try novice.state() == a.state())
    #expect(try b.pull("shared").warnings.isEmpty)
  }

  // MARK: - Older and slower

  @Test func aRolledBackRemoteIsNamedThenReportedOnceThenStandsInTheStatus() throws {
    let old = try bench.shared()
    let to = try #require(try b.store.headNames().last { $0.device == a.deviceID }?.sequence)
    try a.use("claude", 3)
    _ = try a.push("shared")
    _ = try b.pull("shared")
    let from = try #require(try b.store.headNames().last { $0.device == a.deviceID }?.sequence)
    try bench.replace("shared", by: old)
    let expected = { (pulls: Int) in
      SyncWarning.rolledBack(device: a.deviceID, name: "a", from: from, to: to, pulls: pulls)
    }
    let first = try b.pull("shared")
    #expect(first.warnings == [expected(1)])
    #expect(!first.foundDamage)
    let second = try b.pull("shared")
    #expect(second.warnings == [expected(2)])
    #expect(second.foundDamage)
    let third = try b.pull("shared")
    #expect(third.warnings.isEmpty)
    #expect(!third.foundDamage)
    let status = try b.status()
    #expect(status.remotes.map(\.isRolledBack) == [true])
    #expect(status.warnings.contains { if case .rolledBack = $0 { true } else { false } })
    #expect(try b.check(remote: "shared").rolledBack.keys.contains(a.deviceID))
    #expect(try b.usageCount == 3)
    // Any push by one who knows more heals it.
    _ = try b.push("shared")
    #expect(try b.pull("shared").warnings.isEmpty)
    #expect(try b.status().warnings.isEmpty)
    let novice = try bench.join("novice", of: a)
    _ = try novice.pull("shared")
    #expect(try novice.usageCount == 3)
  }

  @Test func aRemoteThatOnlyLagsIsALineInTheStatusAndNoWarning() throws {
    try bench.attach("stick", to: a)
    try bench.attach("stick", to: b)
    _ = try a.push("stick")
    _ = try b.pull("stick")
    try a.use("claude", 3)
    _ = try a.push("shared")
    _ = try b.pull("shared")
    let outcome = try b.pull("stick")
    #expect(outcome.warnings.isEmpty)
    #expect(outcome.pending.isEmpty)
    let remotes = try b.status().remotes
    #expect(remotes.map { $0.ahead > 0 } == [false, true])
    #expect(remotes.map(\.isRolledBack) == [false, false])
    _ = try b.push("stick")
    #expect(try b.status().remotes.map(\.ahead) == [0, 0])
  }

  @Test func aReadOnlyRemoteCanBePulledFromAndSaysSoOfAPush() throws {
    let faulty = FaultyFileSystem(bench.disk)
    let remote = DirectoryRemote(
      path: bench.path("shared"), device: a.deviceID, fileSystem: faulty, random: bench.random)
    let readOnly: Int32 = 30
    try b.use("codex", 3)
    _ = try b.push("shared")
    try a.use("claude", 3)
    let before = try bench.shared()
    #expect(try a.pull(from: remote, named: "shared").fetchedCount == 1)
    faulty.setFault(
      .init(call: 1, code: readOnly, .fromThenOn, only: [.write, .rename, .remove, .makeDirectory]))
    do {
      _ = try a.push(to: remote, named: "shared")
      Issue.record("the push went through")
    } catch let error as RemoteError { #expect(error.reason == .readOnly) }
    faulty.setFault(nil)
    #expect(try bench.shared().filter { !$0.key.contains("/.runic-") } == before)
    _ = try a.push("shared")
    #expect(try a.faultsOfRemote().isEmpty)
    #expect(try b.pull("shared").fetchedCount == 1)
  }

  @Test func aFullRemoteSaysSoAndTheNextPushResumes() throws {
    let faulty = FaultyFileSystem(bench.disk)
    let remote = DirectoryRemote(
      path: bench.path("shared"), device: a.deviceID, fileSystem: faulty, random: bench.random)
    try a.use("claude", 3)
    faulty.setFault(
      .init(call: 2, code: FaultyFileSystem.noSpace, .fromThenOn, only: [.write], tearsWrites: true))
    do {
      _ = try a.push(to: remote, named: "shared")
      Issue.record("the push went through")
    } catch let error as RemoteError { #expect(error.reason == .full) }
    _ = try a.push("shared")
    #expect(try a.faultsOfRemote().isEmpty)
    #expect(try b.pull("shared").fetchedCount == 1)
  }
}
