import ObjectStore
import TestSupport
import Testing

/// What comes from a remote is on this side's disk before anybody relies on it, whichever program brought it.
@Suite struct FetchSyncTests {
  private static let files = [TreeFile.head, .object]

  /// Two files of the tree, and a remote through which they are fetched by a traced file system.
  private func expectSynced(
    _ remote: any Remote, _ files: FaultyFileSystem, in place: DirectoryPlace
  ) throws {
    try place.remote(for: RemoteSamples.device).create([])
    for file in Self.files { try place.put(.file(file.bytes), at: file.name.path) }
    try place.put(.file(Array("marker\n".utf8)), at: TreeName.marker.path)
    files.startTrace()
    let fetched = try remote.fetch(Self.files.map(\.name), into: place.scratch)
    #expect(fetched.count == 2)
    expectSynced(fetched, files)
    for file in fetched { try files.remove(file.path) }
    files.startTrace()
    let sight = try remote.look(known: .none) { place.scratch }
    #expect(sight.fetched.map(\.name) == [TreeFile.head.name])
    expectSynced(sight.fetched, files)
  }

  private func expectSynced(_ fetched: [LocalFile], _ files: FaultyFileSystem) {
    let synced = files.trace.filter { $0.call == .sync }.map(\.path)
    for file in fetched { #expect(synced.contains(file.path), "\(file.name.path): \(synced)") }
  }

  @Test func fromAFolder() throws {
    let (place, files) = (try DirectoryPlace(), FaultyFileSystem(PosixFileSystem()))
    let remote = DirectoryRemote(
      path: place.root, device: RemoteSamples.device, fileSystem: files, random: .seeded(5))
    try expectSynced(remote, files, in: place)
  }

  @Test(.enabled(if: RsyncDaemon.isPossible, "needs rsync"))
  func throughRsync() throws {
    let (folder, base) = (try TemporaryFolder(), try TemporaryFolder())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let (place, files) = (try DirectoryPlace(in: base.path), FaultyFileSystem(PosixFileSystem()))
    let path = String(place.root.dropFirst(base.path.count + 1))
    try expectSynced(try LineRemotes(files: files).open(daemon.address(path)), files, in: place)
  }

  @Test(.enabled(if: RcloneServer.isPossible, "needs rclone"))
  func throughRclone() throws {
    let (folder, base) = (try TemporaryFolder(), try TemporaryFolder())
    let server = try RcloneServer(in: folder.path, root: base.path)
    let (place, files) = (try DirectoryPlace(in: base.path), FaultyFileSystem(PosixFileSystem()))
    let remotes = LineRemotes(runner: WatchedRunner(server.variables), files: files)
    try expectSynced(try remotes.open("rclone:disk:\(place.root)"), files, in: place)
  }

  /// A disk that takes no more says so, and nothing passes for fetched.
  @Test(.enabled(if: RsyncDaemon.isPossible, "needs rsync"))
  func aFileThatDoesNotReachTheDiskIsAnError() throws {
    let (folder, base) = (try TemporaryFolder(), try TemporaryFolder())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let (place, files) = (try DirectoryPlace(in: base.path), FaultyFileSystem(PosixFileSystem()))
    let path = String(place.root.dropFirst(base.path.count + 1))
    let remote = try LineRemotes(files: files).open(daemon.address(path))
    try place.remote(for: RemoteSamples.device).create([])
    for file in Self.files { try place.put(.file(file.bytes), at: file.name.path) }
    files.setFault(.init(call: 1, code: 5, only: [.sync]))
    let error = #expect(throws: RemoteError.self) {
      try remote.fetch(Self.files.map(\.name), into: place.scratch)
    }
    #expect(error?.reason == .failed && error?.cause?.code == 5)
  }
}

/// A file of the tree with bytes that fit its name.
private struct TreeFile {
  let name: TreeName
  let bytes: [UInt8]

  static let head: TreeFile = {
    let bytes = [UInt8](repeating: 7, count: 90)
    let name = HeadName(device: RemoteSamples.device, sequence: 3, digest: SHA256.hash(bytes))
    return TreeFile(name: .head(name), bytes: bytes)
  }()

  static let object: TreeFile = {
    let bytes = [UInt8](repeating: 8, count: 900)
    return TreeFile(name: .object(RemoteSamples.device, SHA256.hash(bytes)), bytes: bytes)
  }()
}
