import ObjectStore
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The test file systems themselves: what they say must be what Linux says.
@Suite struct TestFileSystemTests {
  private func write(_ bytes: [UInt8], to path: String, sync: Bool, in disk: MemoryFileSystem) throws {
    let file = try OpenFile(path, .openOrCreate(permissions: 0o600), in: disk)
    try file.write(bytes, at: 0)
    if sync { try file.sync() }
  }

  private func code(_ body: () throws -> Void) -> Int32? {
    do { try body() } catch { return (error as? SystemError)?.code }
    return nil
  }

  @Test func wrongCallsGetTheErrorsOfLinux() throws {
    let disk = MemoryFileSystem()
    try disk.makeFolders("/a/b")
    try disk.setContents("/a/f", [1])
    try disk.makeSymbolicLink("/a/link")
    let cases: [(Int32, () throws -> Void)] = [
      (ENOENT, { _ = try disk.open("/a/none", .read) }),
      (ENOENT, { _ = try disk.open("/none/f", .create(permissions: 0o600)) }),
      (ENOTDIR, { _ = try disk.open("/a/f/x", .read) }),
      (EEXIST, { _ = try disk.open("/a/f", .create(permissions: 0o600)) }),
      (EISDIR, { _ = try disk.open("/a/b", .update) }),
      (ELOOP, { _ = try disk.open("/a/link", .read) }),
      (EEXIST, { try disk.makeDirectory("/a/b", permissions: 0o700) }),
      (ENOTEMPTY, { try disk.removeDirectory("/a") }),
      (ENOTDIR, { try disk.removeDirectory("/a/f") }),
      (EISDIR, { try disk.remove("/a/b") }),
      (ENOENT, { try disk.remove("/a/none") }),
      (EISDIR, { try disk.rename("/a/f", to: "/a/b") }),
      (ENOTDIR, { try disk.rename("/a/b", to: "/a/f") }),
      (ENOTDIR, { _ = try disk.list("/a/f") }),
      (ENOENT, { _ = try disk.list("/none") }),
      (EBADF, { try disk.sync(99) }),
    ]
    for (index, row) in cases.enumerated() { #expect(code(row.1) == row.0, "row \(index)") }
    #expect(try disk.status("/a/f/x") == nil)
  }

  @Test func anUnlinkedAndAReplacedFileStayReadableThroughTheirDescriptors() throws {
    let disk = MemoryFileSystem()
    try disk.setContents("/old", [1, 2, 3])
    try disk.setContents("/new", [4])
    let descriptor = try disk.open("/old", .read)
    try disk.rename("/new", to: "/old")
    #expect(try disk.contents("/old") == [4])
    #expect(try disk.status(descriptor).length == 3)
    disk.close(descriptor)
    #expect(disk.openDescriptors == 0)
  }

  @Test func aLockIsHadOnceAndGivenBackByClose() throws {
    let disk = MemoryFileSystem()
    try disk.setContents("/lock", [])
    let (a, b) = (try disk.open("/lock", .update), try disk.open("/lock", .update))
    #expect(try disk.lock(a))
    #expect(try disk.lock(a))
    #expect(try !disk.lock(b))
    disk.close(a)
    #expect(try disk.lock(b))
  }

  @Test func aPowerCutKeepsOnlyWhatWasSynced() throws {
    let disk = MemoryFileSystem()
    try disk.makeFolders("/d")
    try write([1], to: "/d/kept", sync: true, in: disk)
    try write([1], to: "/d/replaced", sync: true, in: disk)
    try disk.syncDirectory("/")
    try disk.syncDirectory("/d")
    try write([2, 2], to: "/d/kept", sync: false, in: disk)
    try write([3], to: "/d/new", sync: true, in: disk)
    try write([4], to: "/d/torn", sync: false, in: disk)
    try disk.rename("/d/new", to: "/d/replaced")
    #expect(try disk.crash().tree() == ["d/kept": [1], "d/replaced": [1]])
    #expect(
      try disk.crash(.namesBeforeContents).tree() == ["d/kept": [1], "d/replaced": [3], "d/torn": []])
    try disk.syncDirectory("/d")
    #expect(try disk.crash().tree() == ["d/kept": [1], "d/replaced": [3], "d/torn": []])
  }

  @Test func aSnapshotIsUntouchedByWhatComesLater() throws {
    let disk = MemoryFileSystem()
    try disk.setContents("/f", [1])
    let past = disk.snapshot()
    try disk.setContents("/f", [2])
    try disk.setContents("/g", [3])
    let copy = MemoryFileSystem(past)
    #expect(try copy.tree() == ["f": [1]])
    disk.restore(past)
    #expect(try disk.tree() == ["f": [1]])
  }

  @Test func theNthCallFailsOnceOrForGoodOrIsTheLast() throws {
    let disk = MemoryFileSystem()
    let faulty = FaultyFileSystem(disk)
    func codes() -> [Int32?] {
      (0..<4).map { n in code { try faulty.makeDirectory("/\(n)", permissions: 0o700) } }
    }
    faulty.setFault(.init(call: 2, code: EIO))
    #expect(codes() == [nil, EIO, nil, nil])
    faulty.setFault(.init(call: 2, code: ENOSPC, .fromThenOn, only: [.makeDirectory]))
    #expect(code { _ = try faulty.list("/") } == nil)
    #expect(codes() == [EEXIST, ENOSPC, ENOSPC, ENOSPC])
    #expect(code { _ = try faulty.list("/") } == nil)
    faulty.setFault(.death(at: 2))
    #expect(codes() == [EEXIST] + Array(repeating: FaultyFileSystem.deathCode, count: 3))
    #expect(code { _ = try faulty.list("/") } == FaultyFileSystem.deathCode)
    #expect(faulty.counters[.makeDirectory] == 12)
  }
}
