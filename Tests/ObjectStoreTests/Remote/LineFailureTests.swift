import ObjectStore
import TestSupport
import Testing

/// What real servers do when something is wrong.
@Suite struct LineFailureTests {
  @Test(.enabled(if: SshServer.isPossible, "needs rsync, ssh and sshd"))
  func sshFailuresAreOfTheirSorts() throws {
    let (folder, place) = (try TemporaryFolder(), try DirectoryPlace())
    let server = try SshServer(in: folder.path)
    try place.remote(for: RemoteSamples.device).create([])
    func reason(
      key: String = "user", hosts: String = "known_hosts", _ address: String? = nil
    ) throws -> RemoteError.Reason? {
      let remotes = LineRemotes(shell: server.command(key: key, hosts: hosts))
      let remote = try remotes.open(address ?? server.address(place.root))
      return try RemoteError.reason { _ = try remote.list([.heads]) }
    }
    #expect(try reason() == nil)
    #expect(try reason(key: "noisy") == .noise)
    #expect(try reason(key: "bare") == .missingThere)
    #expect(try reason(key: "stranger") == .authentication)
    #expect(try reason(hosts: "changed_hosts") == .changedHostKey)
    #expect(try reason(hosts: "no_hosts") == .unknownHostKey)
    #expect(try reason(server.address(place.root + "/missing")) == .unreachable)
    #expect(try reason("ssh://127.0.0.1:\(try Port.free())/x") == .refused)
    #expect(try reason("no-such-host.invalid:x") == .unknownHost)
  }

  @Test(
    .enabled(if: SshServer.isPossible, "needs rsync, ssh and sshd"),
    arguments: [
      "a b", "it's \"quoted\"", "ünï/ço日", "~tilde", "$HOME `id` $(id)", "star*[1]?", "-dash", "a;b|c&d",
      "per%20cent",
    ])
  func oddPathsWork(path: String) throws {
    let (folder, place) = (try TemporaryFolder(), try DirectoryPlace())
    let server = try SshServer(in: folder.path)
    let remote = try LineRemotes(shell: server.command()).open(server.address("\(place.scratch)/\(path)"))
    try PosixFileSystem().makeDirectories("\(place.scratch)/\(path)", permissions: 0o700)
    try remote.create([])
    let file = try RemoteSamples.object(in: place, count: 50)
    #expect(try remote.add([file]) == [file.name])
    #expect(try remote.list([file.name.folder]).map(\.name) == [file.name])
    #expect(try remote.fetch([file.name], into: place.scratch).map(\.length) == [50])
    #expect(try PosixFileSystem().status("\(place.scratch)/\(path)/\(file.name.path)")?.length == 50)
  }

  /// Another process of the device replaced it: whoever sends begins again, and so must be able to tell.
  @Test(.enabled(if: RsyncDaemon.isPossible, "needs rsync"))
  func aFileThatIsGoneHereIsToldAsSuch() throws {
    let (folder, base, place) = (try TemporaryFolder(), try TemporaryFolder(), try DirectoryPlace())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let remote = try LineRemotes().open(daemon.address("x"))
    try remote.create([])
    let file = try RemoteSamples.object(in: place, count: 10)
    try PosixFileSystem().removeIfPresent(file.path)
    let error = #expect(throws: RemoteError.self) { try remote.add([file]) }
    #expect(error?.reason == .failed && error?.cause?.isMissing == true)
  }

  @Test(.enabled(if: RsyncDaemon.isPossible, "needs rsync"))
  func daemonFailuresAreOfTheirSorts() throws {
    let (folder, base, place) = (try TemporaryFolder(), try TemporaryFolder(), try DirectoryPlace())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let file = try RemoteSamples.object(in: place, count: 10)
    let open = try LineRemotes().open(daemon.address("x"))
    try open.create([])
    func reason(_ address: String, password: String? = nil) throws -> RemoteError.Reason? {
      let variables = ["RSYNC_PASSWORD": password ?? ""]
      let remote = try LineRemotes(runner: WatchedRunner(variables)).open(address)
      return try RemoteError.reason { try remote.add([file]) }
    }
    #expect(try reason(daemon.address("x", module: "fixed")) == .readOnly)
    let fixed = try LineRemotes().open(daemon.address("x", module: "fixed"))
    #expect(try RemoteError.reason { try fixed.tryWriting() } == .readOnly)
    #expect(try reason(daemon.address("x", module: "nothing")) == .unknownModule)
    #expect(try reason(daemon.address("x", module: "gone")) == .unreachable)
    #expect(try reason(daemon.address("x", module: "locked"), password: "wrong") == .authentication)
    #expect(try reason(daemon.address("missing")) == .unreachable)
    #expect(try reason(daemon.address("x", port: try Port.free())) == .refused)
    #expect(try reason(daemon.address("x", module: "locked"), password: "secret") == nil)
  }

  @Test(.enabled(if: CuttingProxy.isPossible && RsyncDaemon.isPossible, "needs rsync and python3"))
  func aLineThatSwallowsEverythingTimesOut() throws {
    let (folder, base) = (try TemporaryFolder(), try TemporaryFolder())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let proxy = try CuttingProxy(in: folder.path, to: daemon.port, cuts: [-1])
    let remote = try LineRemotes(timeout: 1).open(daemon.address("x", port: proxy.port))
    #expect(try RemoteError.reason { _ = try remote.list([.heads]) } == .timedOut)
  }

  /// A line that is cut after so many bytes, then holds: what had arrived stays, and is not sent again.
  @Test(.enabled(if: CuttingProxy.isPossible && RsyncDaemon.isPossible, "needs rsync and python3"))
  func aCutLineLosesNothingAndWritesNothingTwice() throws {
    let (folder, base, place) = (try TemporaryFolder(), try TemporaryFolder(), try DirectoryPlace())
    let daemon = try RsyncDaemon(in: folder.path, root: base.path)
    let files = try (1...6).map { try RemoteSamples.object(in: place, count: 3000 + $0) }
    let total = 18_500
    let cuts = [0, 1, 30, 60, 100, 200, 400] + stride(from: 800, to: total, by: 1500)
    for cut in cuts {
      let path = "cut-\(cut)"
      try LineRemotes().open(daemon.address(path)).create([])
      // The look at the tree passes; the transfer is cut.
      let proxy = try CuttingProxy(in: folder.path, to: daemon.port, cuts: [1 << 30, cut])
      let remote = try LineRemotes().open(daemon.address(path, port: proxy.port))
      let reason = try RemoteError.reason { try remote.add(files) }
      #expect(
        reason.map { [.lostConnection, .timedOut].contains($0) } == true,
        "cut \(cut): \(String(describing: reason))")
      let root = "\(base.path)/\(path)"
      let before = try inodes(files, root)
      let written = try remote.add(files)
      let after = try inodes(files, root)
      #expect(after.count == files.count, "cut \(cut)")
      for (name, identity) in before { #expect(after[name] == identity, "cut \(cut)") }
      #expect(Set(written).isDisjoint(with: before.keys), "cut \(cut)")
      #expect(try remote.strangers(in: [.root, .devices, files[0].name.folder]).isEmpty, "cut \(cut)")
    }
  }

  /// The files that are there at full length, by the inode that tells whether they were written again.
  private func inodes(_ files: [LocalFile], _ root: String) throws -> [TreeName: [UInt64]] {
    var result: [TreeName: [UInt64]] = [:]
    for file in files {
      let status = try PosixFileSystem().status("\(root)/\(file.name.path)")
      if let status, status.length == file.length { result[file.name] = status.identity }
    }
    return result
  }
}
