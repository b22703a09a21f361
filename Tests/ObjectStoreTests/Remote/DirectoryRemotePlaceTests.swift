import ObjectStore
import TestSupport
import Testing

@Suite struct DirectoryRemotePlaceTests {
  @Test func aFileInThePlaceOfTheFolderIsNoRepository() throws {
    let files = MemoryFileSystem()
    try files.setContents("/remote", [1])
    let remote = DirectoryRemote(
      path: "/remote", device: DeviceID(from: .seeded(1)), fileSystem: files, random: .seeded(1))
    let error = #expect(throws: RemoteError.self) { try remote.marker() }
    #expect(error?.reason == .notARepository)
  }

  @Test func aLinkThatLeadsNowhereIsADriveThatIsNotMounted() throws {
    let folder = try TemporaryFolder()
    try folder.makeSymbolicLink("\(folder.path)/remote", to: "\(folder.path)/drive")
    let remote = DirectoryRemote(
      path: "\(folder.path)/remote", device: DeviceID(from: .seeded(1)), fileSystem: PosixFileSystem(),
      random: .seeded(1))
    let error = #expect(throws: RemoteError.self) { try remote.marker() }
    #expect(error?.reason == .unreachable)
  }

  @Test func aLinkToAFolderIsAsGoodAsTheFolder() throws {
    let place = try DirectoryPlace()
    try place.remote(for: RemoteSamples.device).create([])
    let folder = try TemporaryFolder()
    try folder.makeSymbolicLink("\(folder.path)/remote", to: place.root)
    let remote = DirectoryRemote(
      path: "\(folder.path)/remote", device: RemoteSamples.device, fileSystem: PosixFileSystem(),
      random: .seeded(1))
    try remote.add([try RemoteSamples.object(in: place)])
    #expect(try place.paths().count == 1)
  }

  @Test(.enabled(if: SmallMount.isPossible, "no file system can be mounted here"))
  func aFullDiskIsFullAndKeepsNothingHalf() throws {
    let mount = try SmallMount(bytes: 64 << 10)
    let remote = mount.remote
    try remote.create([])
    let place = try DirectoryPlace()
    let big = try RemoteSamples.object(in: place, count: 1 << 20)
    let error = #expect(throws: RemoteError.self) { try remote.add([big]) }
    #expect(error?.reason == .full)
    #expect(try remote.strangers(in: [.heads, .objects(RemoteSamples.device)]).isEmpty)
    #expect(try remote.list([.objects(RemoteSamples.device)]).isEmpty)
    try remote.add([try RemoteSamples.object(in: place, count: 1000)])
    #expect(try remote.list([.objects(RemoteSamples.device)]).count == 1)
  }

  @Test(.enabled(if: SmallMount.isPossible, "no file system can be mounted here"))
  func aReadOnlyMountCanBeReadAndNotWritten() throws {
    let mount = try SmallMount(bytes: 1 << 20)
    let remote = mount.remote
    let place = try DirectoryPlace()
    let there = try RemoteSamples.object(in: place, count: 10)
    try remote.create([])
    try remote.add([there])
    try mount.makeReadOnly()
    #expect(try remote.list([.objects(RemoteSamples.device)]).count == 1)
    #expect(try remote.add([there]).isEmpty)
    for write in [
      { try remote.add([try RemoteSamples.object(in: place, count: 20)]) }, { try remote.replace([there]) },
      { try remote.remove([there.name]) },
    ] as [() throws -> Void] {
      let error = #expect(throws: RemoteError.self) { try write() }
      #expect(error?.reason == .readOnly)
    }
  }
}

enum RemoteSamples {
  static let device = DeviceID(from: .seeded(91))

  /// An object of random bytes, ready to be sent.
  static func object(in place: DirectoryPlace, count: Int = 100) throws -> LocalFile {
    var random = SeededRandom(seed: UInt64(count))
    let bytes = random.bytes(count)
    let name = TreeName.object(device, SHA256.hash(bytes))
    let path = "\(place.scratch)/\(name.name)"
    try place.local.writeSynced(bytes, to: path, permissions: 0o600)
    return LocalFile(name: name, path: path, length: Int64(count))
  }
}
