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

/// What a device does at a remote: makes it, brings files, mends one, removes one.
private struct Work {
  static let device = DeviceID(from: .seeded(1))
  static let old = sample(1)
  static let objects = [sample(2), sample(3), sample(4)]
  static let head: (name: TreeName, bytes: [UInt8]) = {
    let bytes = [UInt8](repeating: 9, count: 90)
    return (.head(HeadName(device: device, sequence: 7, digest: SHA256.hash(bytes))), bytes)
  }()
  static let marker: (name: TreeName, bytes: [UInt8]) = (.marker, Array("marker\n".utf8))

  static func sample(_ number: UInt8) -> (name: TreeName, bytes: [UInt8]) {
    let bytes = [UInt8](repeating: number, count: 1000)
    return (.object(device, SHA256.hash(bytes)), bytes)
  }

  let files: MemoryFileSystem
  let faulty: FaultyFileSystem
  let remote: DirectoryRemote

  init() throws {
    files = MemoryFileSystem()
    try files.makeFolders("/here")
    try files.makeFolders("/mnt")
    for (name, bytes) in [Self.marker, Self.old, Self.head] + Self.objects {
      try files.setContents("/here/\(name.name)", bytes)
    }
    faulty = FaultyFileSystem(files)
    remote = DirectoryRemote(path: "/mnt/remote", device: Self.device, fileSystem: faulty, random: .seeded(2))
  }

  func local(_ sample: (name: TreeName, bytes: [UInt8])) -> LocalFile {
    LocalFile(name: sample.name, path: "/here/\(sample.name.name)", length: Int64(sample.bytes.count))
  }

  func run() throws {
    let folders = [TreeFolder.root, .heads, .objects(Self.device)]
    try remote.create([local(Self.marker)])
    try remote.removeLeftovers(in: folders)
    try remote.add(([Self.old] + Self.objects).map(local))
    try remote.replace([local(Self.objects[0])])
    try remote.add([local(Self.head)])
    try remote.remove([Self.old.name])
  }

  static var expected: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: ([marker, head] + objects).map { ($0.name.path, $0.bytes) })
  }

  /// Every file under a name of the tree is whole; the others are this device's leftovers.
  static func check(_ tree: [String: [UInt8]], _ context: String) {
    let whole = expected.merging([old.name.path: old.bytes]) { first, _ in first }
    for (path, bytes) in tree where !path.contains(".runic-\(device.hex)-") {
      #expect(whole[path] == bytes, "\(context): \(path)")
    }
  }
}

@Suite struct DirectoryRemoteFaultTests {
  static let persistences: [FaultyFileSystem.Persistence] = [.once, .fromThenOn, .death]

  @Test(arguments: [EIO, ENOSPC], persistences)
  func anyCallMayFailAndARerunMakesItGood(code: Int32, persistence: FaultyFileSystem.Persistence) throws {
    var call = 0
    while true {
      call += 1
      let work = try Work()
      work.faulty.setFault(.init(call: call, code: code, persistence, tearsWrites: true))
      do { try work.run() } catch is RemoteError {}
      guard work.faulty.failures > 0 else { break }
      let context = "call \(call), code \(code), \(persistence)"
      Work.check(try Self.tree(work.files), context)
      for model in [MemoryFileSystem.PowerCut.lastSynced, .namesBeforeContents] {
        Work.check(try Self.tree(work.files.crash(model)), "\(context), \(model)")
      }
      work.faulty.setFault(nil)
      try work.run()
      #expect(try Self.tree(work.files) == Work.expected, "\(context)")
      #expect(work.files.openDescriptors == 0, "\(context)")
    }
    #expect(call > 40)
  }

  private static func tree(_ files: MemoryFileSystem) throws -> [String: [UInt8]] {
    try files.status("/mnt/remote") == nil ? [:] : files.tree("/mnt/remote")
  }

  @Test func whatWasAddedOutlivesAPowerCut() throws {
    let work = try Work()
    try work.files.syncDirectory("/")
    try work.run()
    var left = try work.files.crash(.lastSynced).tree("/mnt/remote")
    // A removal need not last: the next push does it again.
    left[Work.old.name.path] = nil
    #expect(left == Work.expected)
  }

  @Test(arguments: [EINVAL, ENOTSUP, EPERM, ENOSYS])
  func aFolderThatCannotBeFlushedIsNoFailure(code: Int32) throws {
    let work = try Work()
    work.faulty.setFault(.init(call: 1, code: code, .fromThenOn, only: [.syncDirectory]))
    try work.run()
    #expect(work.faulty.failures > 0)
    #expect(try work.files.tree("/mnt/remote") == Work.expected)
  }

  @Test func aFolderThatFailsToFlushIsAFailure() throws {
    let work = try Work()
    work.faulty.setFault(.init(call: 1, code: EIO, .once, only: [.syncDirectory]))
    let error = #expect(throws: RemoteError.self) { try work.run() }
    #expect(error?.reason == .unreachable)
  }

  @Test(arguments: [
    (ENOSPC, RemoteError.Reason.full), (EDQUOT, .quota), (EROFS, .readOnly), (EACCES, .forbidden),
    (EPERM, .forbidden), (ENOENT, .unreachable), (ENOTDIR, .unreachable), (ESTALE, .unreachable),
    (ENOTCONN, .unreachable), (EIO, .unreachable), (ENODEV, .unreachable), (EMFILE, .failed),
    (EISDIR, .failed),
  ])
  func theReasonFollowsFromTheCode(code: Int32, reason: RemoteError.Reason) throws {
    let work = try Work()
    try work.run()
    let fresh = Work.sample(77)
    try work.files.setContents("/here/\(fresh.name.name)", fresh.bytes)
    work.faulty.setFault(.init(call: 1, code: code, .once, only: [.rename]))
    let error = #expect(throws: RemoteError.self) { try work.remote.add([work.local(fresh)]) }
    #expect(error?.reason == reason)
    #expect(error?.cause?.code == code)
    #expect(try work.files.tree("/mnt/remote") == Work.expected, "no temporary file stays")
  }

  @Test func aFailureOnThisSideIsNotBlamedOnTheRemote() throws {
    let work = try Work()
    try work.run()
    try work.files.makeFolders("/in")
    work.faulty.setFault(.init(call: 1, code: ENOSPC, .once, only: [.write]))
    let error = #expect(throws: RemoteError.self) { _ = try work.remote.fetch([Work.head.name], into: "/in") }
    #expect(error?.reason == .failed)
    #expect(error?.place.hasPrefix("/in/") == true)
    #expect(try work.files.tree("/in").isEmpty)
  }

  @Test func aPullOfNothingIsOneListing() throws {
    let work = try Work()
    try work.run()
    work.faulty.resetCounters()
    _ = try work.remote.marker()
    _ = try work.remote.list([.heads])
    #expect(work.faulty.counters[.open] == 1)
    #expect(work.faulty.counters[.list] == 1)
  }
}
