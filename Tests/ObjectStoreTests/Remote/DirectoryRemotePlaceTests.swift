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

  /// Nothing is written or removed outside of the place, whoever put a link in a folder's stead.
  @Test(arguments: [TreeFolder.heads, .devices, .objects(RemoteSamples.device), .keys])
  func aLinkInTheSteadOfAFolderOfTheTreeIsRefused(folder: TreeFolder) throws {
    let (place, elsewhere) = (try DirectoryPlace(), try TemporaryFolder())
    let remote = place.remote(for: RemoteSamples.device)
    try remote.create([])
    let object = try RemoteSamples.object(in: place)
    try place.put(.file(Array("marker\n".utf8)), at: TreeName.marker.path)
    let link = "\(place.root)/\(folder.path)"
    if try place.local.status(link) != nil { try place.local.removeDirectory(link) }
    try elsewhere.makeSymbolicLink(link, to: elsewhere.path)
    let (bytes, inner) = (Array("kept".utf8), "\(elsewhere.path)/\(object.name.name)")
    let leftover = "\(elsewhere.path)/.runic-\(RemoteSamples.device.hex)-00"
    for path in [inner, leftover] { try place.local.writeSynced(bytes, to: path, permissions: 0o600) }
    let name: TreeName =
      switch folder {
      case .heads: .head(HeadName(device: RemoteSamples.device, sequence: 1, digest: SHA256.hash([1])))
      case .keys: .slot(SlotID(from: .seeded(1)))
      default: object.name
      }
    let file = LocalFile(name: name, path: object.path, length: object.length)
    for write in [
      { try remote.add([file]) }, { try remote.replace([file]) }, { try remote.remove([name]) },
      { try remote.publish([file], replacing: [], removing: []) },
      { try remote.publish([], replacing: [], removing: [name]) },
      { try remote.removeLeftovers(in: [folder]) },
      { try remote.create([file]) },
    ] as [() throws -> Void] {
      let error = #expect(throws: RemoteError.self) { try write() }
      #expect(error?.reason == .linked)
      #expect(error?.place == link)
    }
    if folder == .heads {
      #expect(try RemoteError.reason { try remote.tryWriting() } == .linked)
    }
    #expect(
      try Set(place.local.list(elsewhere.path).map { "\(elsewhere.path)/\($0.name)" }) == [inner, leftover])
  }

  @Test func aTreeIsMadeBehindALink() throws {
    let folder = try TemporaryFolder()
    try PosixFileSystem().makeDirectory("\(folder.path)/empty", permissions: 0o700)
    try folder.makeSymbolicLink("\(folder.path)/remote", to: "empty")
    let remote = DirectoryRemote(
      path: "\(folder.path)/remote", device: RemoteSamples.device, fileSystem: PosixFileSystem(),
      random: .seeded(1))
    try remote.create([])
    let made = Set(try PosixFileSystem().list("\(folder.path)/empty").map(\.name))
    #expect(made == ["devices", "heads", "keys"])
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
