import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Files lost or zeroed here or there, and how they come back.
@Suite struct MishapDamageTests {
  private let bench: Workbench
  private let a: Repository
  private let b: Repository

  init() throws {
    bench = try Workbench()
    (a, b) = try bench.pair(readings: 2)
  }

  private func liveObjects(of device: DeviceID) throws -> [TreeName] {
    let newest = try #require(try a.store.headNames().last { $0.device == device })
    return try a.store.head(newest, keys: a.keys).objects.map { .object(device, $0.digest) }
  }

  private func zero(_ path: String) throws {
    let count = try bench.disk.contents(path).count
    try bench.disk.setContents(path, [UInt8](repeating: 0, count: count))
  }

  private func expectWhole() throws {
    #expect(try a.faultsOfRemote() == [])
    let novice = try bench.join("novice", of: a)
    _ = try novice.pull("shared")
    #expect(try novice.state() == a.state())
  }

  // MARK: - At the remote

  @Test func aRepairingPushReplacesAZeroedObjectOfAnyDevice() throws {
    let objects = try liveObjects(of: a.deviceID) + liveObjects(of: b.deviceID)
    for name in objects { try zero(bench.path("shared/") + name.path) }
    let novice = try bench.join("doubter", of: a)
    let outcome = try novice.pull("shared")
    #expect(Set(outcome.warnings) == Set(objects.map { .damaged(file: $0.path) }))
    #expect(outcome.pending.count == 2)
    #expect(try novice.usageCount == 0)
    _ = try a.push("shared", options: PushOptions(repair: true))
    #expect(try novice.pull("shared").pending.isEmpty)
    #expect(try novice.status().warnings.isEmpty)
    try expectWhole()
  }

  @Test func aRepairingPushBringsMissingFilesAgain() throws {
    for name in try liveObjects(of: b.deviceID) { try bench.disk.remove(bench.path("shared/") + name.path) }
    let heads = try bench.disk.list(bench.path("shared/heads")).map(\.name)
    let newest = try #require(heads.filter { $0.hasPrefix(a.deviceID.hex) }.max())
    try zero(bench.path("shared/heads/") + newest)
    _ = try a.push("shared", options: PushOptions(repair: true))
    try expectWhole()
  }

  /// A folder without a marker is this repository's only if a head in it says so.
  @Test func aRepairingPushMakesNoRepositoryOfAnotherPlace() throws {
    let files = try bench.shared()
    let other = try bench.begin("other", remote: "elsewhere")
    try other.use("claude", 5)
    _ = try other.push("elsewhere")
    let foreign = try bench.shared("elsewhere")
    let heads = files.filter { $0.key.hasPrefix("heads/") }
    let places: [[String: [UInt8]]] = [
      ["holiday.jpg": [1]], foreign, foreign.filter { $0.key != "runic.json" },
      foreign.merging(["runic.json": [0]]) { $1 }, heads.mapValues { _ in [1, 2, 3] },
      files.filter { !$0.key.hasPrefix("heads/") }.merging(["runic.json": [0]]) { $1 },
    ]
    for (number, place) in places.enumerated() {
      try bench.replace("shared", by: place)
      #expect(throws: (any Error).self, "place \(number)") {
        try a.push("shared", options: PushOptions(repair: true))
      }
      #expect(try bench.shared() == place, "place \(number)")
    }
    try bench.replace("shared", by: files.filter { $0.key != "runic.json" })
    #expect(try a.push("shared", options: PushOptions(repair: true)).mendedCount == 1)
    #expect(try bench.shared() == files)
  }

  @Test func whatNobodyHoldsIsNamedUntilItIsGone() throws {
    let stray = TreeName.object(b.deviceID, SHA256.hash([1])).path
    try bench.disk.setContents(bench.path("shared/") + stray, [2])
    let outcome = try a.push("shared", options: PushOptions(repair: true))
    #expect(outcome.warnings == [.damaged(file: stray)])
    #expect(try a.status().warnings == [.damaged(file: stray)])
    try bench.disk.remove(bench.path("shared/") + stray)
    try b.use("codex", 4)
    _ = try b.push("shared")
    _ = try a.pull("shared")
    #expect(try a.status().warnings.isEmpty)
  }

  /// What an interrupted push of this device left there, and a stick that was pulled out too early broke.
  @Test func ownDamageThatMattersToNobodyIsRemoved() throws {
    let before = try bench.shared()
    let stray = TreeName.object(a.deviceID, SHA256.hash([1])).path
    try bench.disk.setContents(bench.path("shared/") + stray, [2])
    #expect(try !a.faultsOfRemote().isEmpty)
    let outcome = try a.push("shared", options: PushOptions(repair: true))
    #expect(outcome.warnings.isEmpty && outcome.mendedCount == 1)
    #expect(try bench.shared() == before)
    // With a head of this device that nobody can read, no one knows what is needed.
    let head = HeadName(device: a.deviceID, sequence: 99, digest: SHA256.hash([3]))
    for path in [stray, TreeName.head(head).path] {
      try bench.disk.setContents(bench.path("shared/") + path, [2])
    }
    _ = try a.push("shared", options: PushOptions(repair: true))
    #expect(try bench.shared()[stray] == [2])
  }

  /// A sync tool that shows a file before it has all of it.
  @Test func aTornHeadIsForgottenOnceItIsWhole() throws {
    try b.use("codex", 4)
    _ = try b.push("shared")
    let newest = try #require(try b.store.headNames().last { $0.device == b.deviceID })
    let path = bench.path("shared/") + TreeName.head(newest).path
    let bytes = try bench.disk.contents(path)
    try bench.disk.setContents(path, Array(bytes.prefix(100)))
    #expect(try a.pull("shared").warnings == [.damaged(file: TreeName.head(newest).path)])
    try bench.disk.setContents(path, bytes)
    #expect(try a.pull("shared").warnings.isEmpty)
    #expect(try a.usageCount == 4)
    _ = try a.push("shared")
    #expect(try a.status().warnings.isEmpty)
  }

  // MARK: - Here

  @Test func aZeroedObjectHereIsBroughtAgainByAPull() throws {
    let objects = try liveObjects(of: a.deviceID) + liveObjects(of: b.deviceID)
    for name in objects { try zero(a.store.path(name)) }
    #expect(try a.check().damage.count == objects.count)
    #expect(try a.status().warnings.count == objects.count)
    _ = try a.pull("shared")
    #expect(try a.faults() == [])
    #expect(try a.status().warnings.isEmpty)
  }

  @Test func aZeroedHeadHereIsBroughtAgainByAPull() throws {
    let shared = try bench.shared()
    let heads = try a.store.headNames().filter { shared[TreeName.head($0).path] != nil }
    #expect(heads.count >= 2)
    for name in heads { try zero(a.store.path(.head(name))) }
    try bench.replace("a/index", by: [:])
    let again = try bench.open("a")
    #expect(try again.check().damage.count == heads.count)
    #expect(throws: DamagedFile.self) { try again.use("claude", 9) }
    _ = try again.pull("shared")
    #expect(try again.usageCount == 3)
    #expect(try again.faults() == [])
    try again.use("claude", 9)
    #expect(again.deviceID == a.deviceID)
    _ = try again.push("shared")
    try expectWhole()
  }

  /// A head that could not be read while the index was made is not taken for read: it may come back.
  @Test(arguments: ["a", "b"]) func aHeadThatIsWholeAgainIsRead(of name: String) throws {
    let device = name == "a" ? a.deviceID : b.deviceID
    let state = try a.state()
    let newest = try #require(try a.store.headNames().last { $0.device == device })
    let path = a.store.path(.head(newest))
    let bytes = try bench.disk.contents(path)
    try zero(path)
    try bench.replace("a/index", by: [:])
    for _ in 0..<2 { #expect(try bench.open("a").state() != state) }
    try bench.disk.setContents(path, bytes)
    #expect(try bench.open("a").state() == state)
    let again = try bench.open("a")
    try again.use("claude", 9)
    #expect(try again.faults() == [])
  }

  /// Another device's head that could not be read is named, and the next pull brings it again.
  @Test func aHeadOfAnotherThatCannotBeReadIsBroughtAgain() throws {
    let state = try a.state()
    let newest = try #require(try a.store.headNames().last { $0.device == b.deviceID })
    try zero(a.store.path(.head(newest)))
    try bench.replace("a/index", by: [:])
    for _ in 0..<2 { #expect(try bench.open("a").state() != state) }
    #expect(try bench.open("a").status().warnings.contains(.damaged(file: TreeName.head(newest).path)))
    _ = try bench.open("a").pull("shared")
    #expect(try bench.open("a").state() == state)
    #expect(try bench.open("a").status().warnings.isEmpty)
  }

  @Test func recordingGoesOnOverADamagedObjectAndThePullMendsIt() throws {
    for name in try liveObjects(of: a.deviceID) { try zero(a.store.path(name)) }
    for amount in Int64(10)...14 { try a.use("claude", amount) }
    #expect(try a.usageCount == 8)
    let push = try a.push("shared")
    #expect(push.warnings.isEmpty, "the remote has the damaged one")
    _ = try a.check()
    _ = try a.pull("shared")
    #expect(try a.faults() == [])
    try expectWhole()
  }

  @Test func aDamagedFileIsNotPushed() throws {
    try a.use("claude", 10)
    let newest = try #require(try liveObjects(of: a.deviceID).last)
    let bytes = try bench.disk.contents(a.store.path(newest))
    try zero(a.store.path(newest))
    let outcome = try a.push("shared")
    #expect(outcome.warnings == [.damaged(file: newest.path)])
    #expect(try a.faultsOfRemote() == [])
    try bench.disk.setContents(a.store.path(newest), bytes)
    _ = try a.push("shared")
    try expectWhole()
  }

  @Test func aDamagedHeadOfAnotherKeepsItsObjectsFromBeingDropped() throws {
    let newest = try #require(try a.store.headNames().last { $0.device == b.deviceID })
    let objects = try a.store.objectNames(of: b.deviceID)
    try zero(a.store.path(.head(newest)))
    try b.use("codex", 4)
    _ = try b.push("shared")
    // Its newest object does not arrive, so the head before it still counts.
    let fresh = try b.store.objectNames(of: b.deviceID).subtracting(objects)
    for digest in fresh {
      try bench.disk.removeIfPresent(bench.path("shared/") + TreeName.object(b.deviceID, digest).path)
    }
    _ = try a.pull("shared")
    #expect(try a.store.objectNames(of: b.deviceID).isSuperset(of: objects))
    _ = try b.push("shared", options: PushOptions(repair: true))
    _ = try a.pull("shared")
    _ = try a.pull("shared")
    #expect(try a.faults() == [])
    #expect(try a.usageCount == 4)
  }

  // MARK: - Replaced ones

  /// What newer objects and heads replace, no remote holds any more.
  @Test(arguments: [true, false]) func damagedReplacedFilesAreDropped(byPull: Bool) throws {
    let live = try liveObjects(of: a.deviceID)
    let replaced = try a.store.objectNames(of: a.deviceID).map { TreeName.object(a.deviceID, $0) }
      .filter { !live.contains($0) }
    let oldest = try #require(try a.store.headNames().first { $0.device == a.deviceID })
    let names = replaced + [.head(oldest)]
    #expect(names.count == 2)
    for name in names { try zero(a.store.path(name)) }
    #expect(try a.check().damage.count == 2)
    let freed = byPull ? 0 : try a.collectGarbage()
    #expect(byPull || freed > 0)
    if byPull { _ = try a.pull("shared") }
    #expect(try a.faults() == [])
    #expect(try a.status().warnings.isEmpty)
    for name in names { #expect(try !a.store.contains(name)) }
    try expectWhole()
  }

  /// While what replaces them cannot be read either, they may be all that there is.
  @Test func damagedReplacedFilesStayWhileTheNewerOnesAreDamaged() throws {
    let objects = try a.store.objectNames(of: a.deviceID).map { TreeName.object(a.deviceID, $0) }
    #expect(objects.count == 2)
    for name in objects {
      try zero(a.store.path(name))
      try bench.disk.removeIfPresent(bench.path("shared/") + name.path)
    }
    _ = try a.check()
    _ = try a.pull("shared")
    _ = try a.collectGarbage()
    for name in objects { #expect(try a.store.contains(name)) }
  }

  // MARK: - The index

  /// All of a device's own objects are damaged or gone, and so is the index: it is the same device none the less.
  @Test(arguments: [true, false], ["pull", "status", "record"])
  func ownObjectsThatTheIndexCouldNotBeMadeOfAreBroughtAgain(areGone: Bool, first: String) throws {
    let state = try a.state()
    for digest in try a.store.objectNames(of: a.deviceID) {
      let path = a.store.path(.object(a.deviceID, digest))
      if areGone { try bench.disk.remove(path) } else { try zero(path) }
    }
    try bench.replace("a/index", by: [:])
    let again = try bench.open("a")
    switch first {
    case "status":
      let live = try liveObjects(of: a.deviceID)
      #expect(try again.status().warnings.contains(.damaged(file: live[0].path)))
    case "record": #expect(throws: FormatError.self) { try again.use("claude", 9) }
    default: break
    }
    #expect(try again.pull("shared").warnings.isEmpty)
    #expect(again.deviceID == a.deviceID)
    #expect(try again.state() == state)
    #expect(try again.faults() == [])
    #expect(try again.status().warnings.isEmpty)
    try again.use("claude", 9)
    _ = try again.push("shared")
    try expectWhole()
  }

  /// What it wrote before says nothing of a clone, though its own log cannot tell: what is newer than all of it does.
  @Test(arguments: [true, false]) func onlyAClonesHeadIsTakenForOne(isCloned: Bool) throws {
    for amount in Int64(10)...15 { try a.use("claude", amount) }
    if isCloned {
      try bench.copy("a", to: "twin")
      let twin = try bench.open("twin")
      try twin.use("claude", 16)
      _ = try twin.push("shared")
    }
    let shown = try bench.shared().keys.compactMap(TreeName.init(path:))
    let own = try a.store.headNames().filter { $0.device == a.deviceID }
    #expect(own.allSatisfy { !shown.contains(.head($0)) })
    for digest in try a.store.objectNames(of: a.deviceID) where !shown.contains(.object(a.deviceID, digest)) {
      try zero(a.store.path(.object(a.deviceID, digest)))
    }
    try bench.replace("a/index", by: [:])
    let again = try bench.open("a")
    let before = again.deviceID
    _ = try again.pull("shared")
    #expect((again.deviceID != before) == isCloned)
  }

  // MARK: - Private files

  @Test func aDeletedIndexIsMadeAgain() throws {
    let state = try a.state()
    try bench.replace("a/index", by: [:])
    #expect(try bench.open("a").state() == state)
    try bench.replace("a/index", by: [:])
    try bench.open("a").use("claude", 9)
    #expect(try bench.open("a").state().count == state.count + 1)
    #expect(try bench.open("a").faults() == [])
  }

  @Test func aChangedByteOfTheIndexIsFoundAndTheIndexMadeAgain() throws {
    try b.use("codex", 4)
    try a.use("claude", 9)
    _ = try b.push("shared")
    let start = bench.disk.snapshot()
    let files = try bench.disk.tree(bench.path("a/index"))
    for (path, bytes) in files {
      for index in stride(from: 0, to: bytes.count, by: 7) {
        let disk = MemoryFileSystem(start)
        let other = try Workbench(disk, seed: UInt64(index) + 9)
        var changed = bytes
        changed[index] ^= 0x41
        try disk.setContents(other.path("a/index/") + path, changed)
        let device = try other.open("a")
        let comment: Comment = "byte \(index) of \(path)"
        if index % 2 == 0 { try device.use("claude", 10) }
        _ = try device.pull("shared")
        #expect(try device.usage().count == (index % 2 == 0 ? 6 : 5), comment)
        #expect(try device.faults() == [], comment)
      }
    }
  }

  @Test func deletedTrustLosesNoRecordAndIsLearntAgain() throws {
    try bench.disk.remove(a.layout.trust)
    let again = try bench.open("a")
    #expect(try again.pull("shared").warnings.isEmpty)
    try again.use("claude", 9)
    _ = try again.push("shared")
    #expect(again.deviceID == a.deviceID)
    #expect(try again.faults() + again.faultsOfRemote() == [])
    try expectWhole()
    #expect(try b.pull("shared").fetchedCount == 1)
  }
}
