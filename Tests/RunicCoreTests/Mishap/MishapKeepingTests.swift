import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Where a writer died, or something is lost here, nothing goes that a head still lists.
@Suite struct MishapKeepingTests {
  private let bench: Workbench
  private let a: Repository
  private let b: Repository

  init() throws {
    bench = try Workbench()
    (a, b) = try bench.pair(readings: 3)
  }

  private func newestHead(of device: DeviceID) throws -> Head {
    let newest = try #require(try a.store.headNames().last { $0.device == device })
    return try a.store.head(newest, keys: a.keys)
  }

  private func liveObjects(of device: DeviceID) throws -> [TreeName] {
    try newestHead(of: device).objects.map { .object(device, $0.digest) }
  }

  // MARK: - Where a writer died

  /// As a record leaves it that the disk had no room for.
  private func leaveWriting(_ bench: Workbench) throws {
    try bench.disk.setContents(bench.path("a/tmp/writing"), [])
  }

  /// What the first command does after a writer died, while the disk fails it, costs no object.
  @Test(arguments: Blow.allCases)
  func aFailingDiskTakesNoLiveObjectWhereAWriterDied(_ blow: Blow) throws {
    try leaveWriting(bench)
    let start = bench.disk.snapshot()
    let live = try liveObjects(of: a.deviceID).map { bench.path("a/store/") + $0.path }
    var call = 0
    while true {
      call += 1
      let disk = MemoryFileSystem(start)
      let faulty = FaultyFileSystem(disk)
      let struck = try Workbench(faulty, seed: UInt64(call) + 10)
      faulty.setFault(blow.fault(at: call))
      _ = CrashDrill.succeeds { try struck.open("a").use("claude", 5) }
      if faulty.failures == 0 { break }
      for path in live where try disk.status(path) == nil { Issue.record("\(path) went at call \(call)") }
      let again = try Workbench(disk, seed: UInt64(call) + 1000).open("a")
      try again.use("claude", 6)
      #expect(try again.faults() == [], "call \(call)")
    }
    #expect(call > 10)
  }

  /// What a header says is not to be believed before its seal is checked.
  @Test func aDamagedObjectIsKeptWhereAWriterDied() throws {
    let name = try #require(try liveObjects(of: a.deviceID).last)
    let bytes = try bench.disk.contents(a.store.path(name))
    let start = bench.disk.snapshot()
    for index in 0..<SealedHeader.length {
      let other = try Workbench(MemoryFileSystem(start), seed: UInt64(index) + 10)
      var changed = bytes
      changed[index] ^= 0x41
      try other.disk.setContents(a.store.path(name), changed)
      try leaveWriting(other)
      try other.open("a").use("claude", 5)
      #expect(try other.disk.status(a.store.path(name)) != nil, "byte \(index)")
    }
  }

  @Test func nothingIsRemovedWhereAHeadOfOnesOwnCannotBeRead() throws {
    let name = try #require(try liveObjects(of: a.deviceID).last)
    var changed = try bench.disk.contents(a.store.path(name))
    changed[68] ^= 0x41
    try bench.disk.setContents(a.store.path(name), changed)
    for head in try a.store.headNames() where head.device == a.deviceID {
      try bench.disk.setContents(a.store.path(.head(head)), [])
    }
    try leaveWriting(bench)
    #expect(throws: DamagedFile.self) { try bench.open("a").use("claude", 5) }
    #expect(try bench.disk.status(a.store.path(name)) != nil)
  }

  // MARK: - A repairing push

  /// The remote's may be the last copy there is.
  @Test func aRepairingPushKeepsThereWhatIsLostHereAndBringsItBack() throws {
    let lost = try liveObjects(of: a.deviceID) + liveObjects(of: b.deviceID)
    let before = try bench.shared()
    for name in lost { try bench.disk.remove(a.store.path(name)) }
    let outcome = try bench.open("a").push("shared", options: PushOptions(repair: true))
    #expect(outcome.mendedCount == lost.count)
    #expect(outcome.warnings.isEmpty)
    #expect(try bench.shared() == before)
    #expect(try a.faults() == [])
    #expect(try a.check().damage.isEmpty)
    let novice = try bench.join("novice", of: a)
    _ = try novice.pull("shared")
    #expect(try novice.state() == a.state())
  }

  @Test func aRepairingPushMendsWhatIsDamagedHere() throws {
    let damaged = try #require(try liveObjects(of: a.deviceID).last)
    try bench.disk.setContents(a.store.path(damaged), [1, 2, 3])
    #expect(try a.push("shared", options: PushOptions(repair: true)).mendedCount == 1)
    #expect(try a.faults() == [])
  }

  /// The heads that stay for readers that lag need theirs, whether or not they are still here.
  @Test func aRepairingPushKeepsWhatOlderHeadsThereList() throws {
    for amount in Int64(10)...20 {
      try a.use("claude", amount)
      _ = try a.push("shared")
    }
    let keys = a.keys
    let needed = try bench.shared().flatMap { path, file -> [String] in
      guard case .head(let name)? = TreeName(path: path) else { return [] }
      let head = try Head(decoding: file, name: name, keys: keys)
      return head.objects.map { TreeName.object(name.device, $0.digest).path }
    }
    let live = Set(try newestHead(of: a.deviceID).objects.map(\.digest))
    for digest in try a.store.objectNames(of: a.deviceID).subtracting(live) {
      try a.store.remove(.object(a.deviceID, digest))
    }
    for name in try a.store.headNames().filter({ $0.device == a.deviceID }).dropLast() {
      try a.store.remove(.head(name))
    }
    #expect(Set(needed).count > live.count + 1)
    _ = try bench.open("a").push("shared", options: PushOptions(repair: true))
    #expect(Set(needed).subtracting(try bench.shared().keys) == [])
  }

  /// An object of this device's that no head lists leaves, and one is enough that cannot be read for all to stay.
  @Test func aRepairingPushRemovesItsOwnThatNoHeadNeeds() throws {
    let first = try #require(try newestHead(of: a.deviceID).objects.first)
    var writer = ObjectWriter()
    let object = try a.store.object(first, of: a.deviceID, keys: a.keys)
    try object.forEachCommit { commit, _, line in writer.append(line, as: commit) }
    let made = try writer.finish(device: a.deviceID, keys: a.keys, random: bench.random)
    let (entry, copy) = try #require(made)
    #expect(entry.digest != first.digest)
    let path = bench.path("shared/") + TreeName.object(a.deviceID, entry.digest).path
    try bench.disk.setContents(path, copy)
    let head = HeadName(device: a.deviceID, sequence: 1, digest: SHA256.hash([7]))
    let stray = bench.path("shared/") + TreeName.head(head).path
    try bench.disk.setContents(stray, [7])
    _ = try a.push("shared", options: PushOptions(repair: true))
    #expect(try bench.disk.status(path) != nil)
    try bench.disk.remove(stray)
    _ = try a.push("shared", options: PushOptions(repair: true))
    #expect(try bench.disk.status(path) == nil)
    #expect(try a.faultsOfRemote() == [])
  }
}
