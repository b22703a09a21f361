import ObjectStore
import TestSupport
import Testing

/// Folders as they are mounted: stubborn, or full at the other end of a line.
@Suite struct DirectoryMountTests {
  @Test(.enabled(if: StubbornMount.isPossible, "needs FUSE, and python3 with fusepy"))
  func aFolderWithoutModesLinksAndFlushesKeepsTheContract() throws {
    let mount = try StubbornMount()
    for check in RemoteConformance.checks {
      do {
        let place = try StubbornPlace(mount)
        try check.run(place)
      } catch { Issue.record("\(check.name): \(error)") }
    }
    #expect(try mount.refused() == ["fsyncdir"], "nothing but the flush is even tried")
  }

  @Test(
    .enabled(if: SmallMount.isPossible && SshServer.isPossible, "needs root, rsync, ssh and sshd"),
    arguments: ["ssh", "daemon"])
  func aFullDiskThereIsFullAndARerunGoesOn(line: String) throws {
    let (folder, place) = (try TemporaryFolder(), try DirectoryPlace())
    let mount = try SmallMount(bytes: 256 << 10)
    let ssh = try line == "ssh" ? SshServer(in: folder.path) : nil
    let daemon = try line == "ssh" ? nil : RsyncDaemon(in: folder.path, root: mount.path)
    let address = ssh?.address("\(mount.path)/tree") ?? daemon?.address("tree") ?? ""
    let remote = try LineRemotes(shell: ssh?.command()).open(address)
    try remote.create([])
    let files = try [100_001, 100_002, 100_003].map { try RemoteSamples.object(in: place, count: $0) }
    let error = #expect(throws: RemoteError.self) { try remote.add(files) }
    // Over ssh the other side's last words may be lost on the way: then only rsync's status for files is left.
    let isSilent = line == "ssh" && error?.program?.status == 11 && error?.program?.said.isEmpty == true
    #expect(error?.reason == .full || isSilent, "\(String(describing: error))")
    // Whole files may have come; no other is there under a name of the tree.
    let there = try remote.list([files[0].name.folder])
    #expect(there.count < 3)
    for entry in there { #expect(files.contains { $0.name == entry.name && $0.length == entry.length }) }
    try mount.grow(to: 1 << 20)
    #expect(try remote.add(files).count == 3 - there.count, "what had arrived is not sent again")
    #expect(try remote.list([files[0].name.folder]).count == 3)
    #expect(try remote.strangers(in: [.root, .devices, files[0].name.folder]).isEmpty)
  }
}

/// A folder of the stubborn file system as a place for remotes: there are no links and pipes in it.
private struct StubbornPlace: RemotePlace {
  private let folder: DirectoryPlace
  let oddities: [RemoteThing] = [.folder]
  var local: any FileSystem { folder.local }
  var scratch: String { folder.scratch }

  init(_ mount: StubbornMount) throws { folder = try DirectoryPlace(in: mount.path) }

  func remote(for device: DeviceID) -> any Remote { folder.remote(for: device) }
  func makeEmpty() throws { try folder.makeEmpty() }
  func put(_ thing: RemoteThing, at path: String) throws { try folder.put(thing, at: path) }
  func contents(_ path: String) throws -> [UInt8]? { try folder.contents(path) }
  func paths() throws -> [String] { try folder.paths() }
}
