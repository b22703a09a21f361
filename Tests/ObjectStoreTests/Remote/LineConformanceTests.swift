import ObjectStore
import TestSupport
import Testing

/// The contract of remotes over real lines. One server for a whole suite of checks: starting one takes longer than a
/// check.
@Suite struct LineConformanceTests {
  private func runAll(
    _ checks: [RemoteConformance] = RemoteConformance.checks, _ place: () throws -> LinePlace
  ) throws {
    for check in checks {
      do { try check.run(try place()) } catch { Issue.record("\(check.name): \(error)") }
    }
  }

  @Test(.enabled(if: SshServer.isPossible, "needs rsync, ssh and sshd"))
  func rsyncOverSshKeepsTheContract() throws {
    let folder = try TemporaryFolder()
    let server = try SshServer(in: folder.path)
    // Some hundred runs over one connection, as users of many may have it; other tests have one for each.
    let shared = " -o ControlMaster=auto -o ControlPath=\(folder.path)/line -o ControlPersist=5"
    let remotes = LineRemotes(shell: server.command() + shared)
    try runAll {
      try LinePlace { root, device in
        (try? remotes.open(server.address(root), device)) ?? Unopened(address: root)
      }
    }
  }

  @Test(.enabled(if: RsyncDaemon.isPossible, "needs rsync"), arguments: ["open", "locked"])
  func rsyncAtADaemonKeepsTheContract(module: String) throws {
    let (folder, base) = (try TemporaryFolder(), try TemporaryFolder())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let runner = WatchedRunner(module == "locked" ? ["RSYNC_PASSWORD": "secret"] : [:])
    try runAll { try Self.place(daemon, LineRemotes(runner: runner), module: module) }
  }

  @Test(.enabled(if: RsyncDaemon.isPossible && CuttingProxy.isPossible, "needs rsync and python3"))
  func aSlowLineKeepsTheContract() throws {
    let (folder, base) = (try TemporaryFolder(), try TemporaryFolder())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let proxy = try CuttingProxy(in: folder.path, to: daemon.port, cuts: [], delay: 1)
    // Slow as it is, some of them are enough.
    let checks = RemoteConformance.checks.enumerated().filter { $0.offset % 4 == 1 }.map(\.element)
    try runAll(checks) { try Self.place(daemon, LineRemotes(), port: proxy.port) }
  }

  @Test(.enabled(if: RcloneServer.isPossible, "needs rclone"), arguments: ["disk", "dav"])
  func rcloneKeepsTheContract(name: String) throws {
    let (folder, base) = (try TemporaryFolder(), try TemporaryFolder())
    let server = try RcloneServer(in: folder.path, root: base.path)
    let remotes = LineRemotes(runner: WatchedRunner(server.variables))
    try runAll {
      var place = try LinePlace(in: base.path) { root, device in
        let path = name == "dav" ? String(root.dropFirst(base.path.count + 1)) : root
        return (try? remotes.open("rclone:\(name):\(path)", device)) ?? Unopened(address: root)
      }
      // Links and pipes on a disk are not files to rclone, nor anything else; its server puts a file in the place of a
      // folder.
      place.oddities = name == "dav" ? [] : [.folder]
      return place
    }
  }

  static func place(
    _ daemon: RsyncDaemon, _ remotes: LineRemotes, module: String = "open", port: Int? = nil
  ) throws -> LinePlace {
    try LinePlace(in: daemon.root) { root, device in
      let path = String(root.dropFirst(daemon.root.count + 1))
      return (try? remotes.open(daemon.address(path, module: module, port: port), device))
        ?? Unopened(address: root)
    }
  }
}

/// Stands where an address was refused, and fails every check.
struct Unopened: Remote {
  let address: String
  private var failure: RemoteError { RemoteError(.failed, place: address) }

  func marker() throws(RemoteError) -> [UInt8] { throw failure }
  func keys() throws(RemoteError) -> [TreeName: [UInt8]] { throw failure }
  func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] { throw failure }
  func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] { throw failure }
  func devices() throws(RemoteError) -> [DeviceID] { throw failure }
  func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] { throw failure }
  func add(_ files: [LocalFile], replacing damaged: Set<TreeName>) throws(RemoteError) -> [TreeName] {
    throw failure
  }
  func remove(_ names: [TreeName]) throws(RemoteError) { throw failure }
  func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) { throw failure }
  func create(_ files: [LocalFile]) throws(RemoteError) { throw failure }
}
