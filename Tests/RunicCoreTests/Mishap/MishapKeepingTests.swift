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
    a = try bench.begin("a")
    for amount in Int64(1)...3 { try a.use("claude", amount) }
    _ = try a.push("shared")
    b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try b.use("codex", 4)
    _ = try b.push("shared")
    _ = try a.pull("shared")
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
}
