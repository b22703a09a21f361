import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

/// What pulls and pushes cost over a line, and what a lost link does to them: the engine over real programs.
@Suite struct LineSyncTests {
  /// Devices in folders of their own, with one remote at an address.
  private struct Bench {
    let folder: TemporaryFolder
    let runner: WatchedRunner
    let environment: RunicCore.Environment
    let address: String

    init(_ folder: TemporaryFolder, _ runner: WatchedRunner, shell: String, address: String) {
      self.folder = folder
      self.runner = runner
      self.address = address
      let options = RemoteOptions(runner: runner, timeout: 3, retries: false, remoteShell: shell)
      environment = RunicCore.Environment(
        fileSystem: PosixFileSystem(), clock: Clock(now: Clock.system.now, sleep: { _ in }), random: .system,
        remotes: options)
    }

    func begin(_ name: String) throws -> Repository {
      let repository = try Repository.create(
        at: "\(folder.path)/\(name)", name: name, passphrase: nil, environment: environment)
      let setting = RemoteSetting(name: "line", url: address)
      try repository.configure { try $0.add(setting) }
      _ = try repository.prepareRemote(setting)
      return repository
    }

    func join(_ name: String, of first: Repository) throws -> Repository {
      try Repository.clone(
        from: address, named: "line", to: "\(folder.path)/\(name)", deviceName: name,
        unlock: .key(first.repositoryKeys.newest.root, first.id), environment: environment)
    }

    /// Does something, and checks how many runs of rsync it took.
    @discardableResult
    func expect<Result>(_ runs: ClosedRange<Int>, _ action: () throws -> Result) throws -> Result {
      runner.forget()
      let result = try action()
      #expect(runs.contains(runner.transfers.count), "\(runner.transfers.map(\.arguments))")
      return result
    }
  }

  @Test(.enabled(if: SshServer.isPossible, "needs rsync, ssh and sshd"))
  func runsAndConnectionsAreFew() throws {
    let (folder, servers) = (try TemporaryFolder(), try TemporaryFolder())
    let server = try SshServer(in: servers.path)
    let bench = Bench(
      folder, WatchedRunner(), shell: server.command(), address: server.address("\(folder.path)/remote"))
    let a = try bench.begin("a")
    try a.use("claude", 1)
    try bench.expect(1...4) { _ = try a.push("line") }
    let b = try bench.join("b", of: a)
    #expect(try bench.expect(1...4, { try b.pull("line").fetchedCount }) == 1)
    #expect(try b.usageCount == 1)
    for round in 0..<20 { try b.use("codex", Int64(round)) }
    for round in 20..<23 {
      try b.use("codex", Int64(round))
      try bench.expect(1...4) { _ = try b.push("line") }
    }
    #expect(try bench.expect(1...4, { try a.pull("line").fetchedCount }) == 23)
    let before = try server.connections
    #expect(try bench.expect(1...1, { try a.pull("line").fetchedCount }) == 0)
    try bench.expect(1...1) { _ = try a.push("line") }
    #expect(try server.connections == before + 2)
    try b.use("codex", 100)
    try bench.expect(1...4) { _ = try b.push("line", options: PushOptions(verify: true)) }
    try putHeads(1000, "\(folder.path)/remote/heads")
    _ = try a.pull("line")
    #expect(try bench.expect(1...1, { try a.pull("line").fetchedCount }) == 0)
  }

  /// Heads of so many devices, as far as their names tell.
  private func putHeads(_ count: Int, _ folder: String) throws {
    var random = SeededRandom(seed: 11)
    for _ in 0..<count {
      let bytes = random.bytes(100)
      let device = try #require(DeviceID(bytes: random.bytes(16)))
      let name = HeadName(device: device, sequence: 1, digest: SHA256.hash(bytes))
      let file = try OpenFile(
        "\(folder)/\(TreeName.head(name).name)", .create(permissions: 0o644), in: PosixFileSystem())
      try file.write(bytes, at: 0)
    }
  }

  /// However it is reached: its device alone writes there.
  @Test(.enabled(if: SshServer.isPossible && RcloneServer.isPossible, "needs rsync, ssh, sshd and rclone"))
  func aRepositoryInUseIsPulledFromAndNotPushedInto() throws {
    let (folder, servers) = (try TemporaryFolder(), try TemporaryFolder())
    let server = try SshServer(in: servers.path)
    let daemon = try RsyncDaemon(in: servers.path, root: folder.path)
    let store = "\(folder.path)/a/store"
    // A remote of rclone's that only variables define.
    let runner = WatchedRunner(["RCLONE_CONFIG": "/dev/null", "RCLONE_CONFIG_DISK_TYPE": "local"])
    let bench = Bench(folder, runner, shell: server.command(), address: "\(folder.path)/remote")
    let a = try bench.begin("a")
    let b = try bench.join("b", of: a)
    try b.use("codex", 1)
    for (number, address) in [
      store, store + "/", server.address(store), daemon.address("a/store"), "rclone:disk:\(store)",
    ]
    .enumerated() {
      try a.use("claude", Int64(number))
      try b.configure { try $0.add(RemoteSetting(name: "in-use\(number)", url: address)) }
      #expect(try b.pull("in-use\(number)").fetchedCount == 1, "\(address)")
      let error = #expect(throws: RemoteError.self, "\(address)") { try b.push("in-use\(number)") }
      #expect(error?.reason == .inUse, "\(address)")
    }
    _ = try b.push("line")
  }

  /// Two machines with addresses of their own; the link goes down while a push is under way, and comes back.
  @Test(.enabled(if: Namespaces.isPossible, "needs root, network namespaces, rsync, ssh and sshd"))
  func aLinkThatIsLostInAPushLosesNothing() throws {
    let (folder, servers) = (try TemporaryFolder(), try TemporaryFolder())
    let net = try Namespaces()
    let server = try SshServer(in: servers.path, host: net.serverAddress, prefix: net.onServer)
    let runner = WatchedRunner(prefix: net.onClient)
    let bench = Bench(
      folder, runner, shell: server.command(), address: server.address("\(folder.path)/remote"))
    let a = try bench.begin("a")
    let noise = SeededNoise()
    for part in 0..<6 { try a.prefer(["part\(part)": .string(JSONString(noise.text(part)))]) }
    var isDown = false
    runner.onOutput = { call, _ in
      // The objects are on their way: the first of them was named.
      guard !isDown, call.arguments.contains("--files-from=-") else { return }
      isDown = true
      net.setLink(up: false)
    }
    let error = #expect(throws: RemoteError.self) { try a.push("line") }
    #expect(isDown)
    #expect(error?.isPassing == true || error?.reason == .unreachable)
    net.setLink(up: true)
    #expect(net.waitUntilReachable(port: server.port))
    let before = try files(below: "\(folder.path)/remote")
    _ = try a.push("line")
    let after = try files(below: "\(folder.path)/remote")
    for (path, identity) in before where !path.contains("/.") { #expect(after[path] == identity, "\(path)") }
    #expect(after.keys.allSatisfy { !$0.contains("/.") })
    let b = try bench.join("b", of: a)
    _ = try b.pull("line")
    #expect(try b.preferences == (try a.preferences))
    try bench.expect(1...1) { _ = try a.push("line") }
  }

  private func files(below folder: String) throws -> [String: [UInt64]] {
    var result: [String: [UInt64]] = [:]
    for entry in try PosixFileSystem().list(folder) {
      let path = "\(folder)/\(entry.name)"
      if entry.type == .directory {
        result.merge(try files(below: path)) { $1 }
      } else {
        result[path] = try PosixFileSystem().status(path)?.identity
      }
    }
    return result
  }
}

/// Text that does not deflate well.
private struct SeededNoise {
  func text(_ seed: Int) -> String {
    var random = SeededRandom(seed: UInt64(seed) + 1)
    return Hexadecimal.encode(random.bytes(75_000))
  }
}

/// Two network namespaces with a link between them; they go with their owner.
private final class Namespaces: Sendable {
  private let client: String
  private let server: String
  let serverAddress = "10.213.77.2"
  var onClient: [String] { ["ip", "netns", "exec", client] }
  var onServer: [String] { ["ip", "netns", "exec", server] }

  static let isPossible: Bool = SshServer.isPossible && (try? Namespaces()) != nil

  init() throws {
    let id = Hexadecimal.encode(RandomSource.system.bytes(3))
    client = "rc\(id)"
    server = "rs\(id)"
    let steps = [
      "netns add \(client)", "netns add \(server)",
      "link add vc\(id) netns \(client) type veth peer name vs\(id) netns \(server)",
      "-n \(client) addr add 10.213.77.1/24 dev vc\(id)", "-n \(server) addr add 10.213.77.2/24 dev vs\(id)",
      "-n \(client) link set lo up", "-n \(server) link set lo up", "-n \(client) link set vc\(id) up",
      "-n \(server) link set vs\(id) up",
    ]
    for step in steps {
      guard Self.run(step) else { throw SystemError(call: "ip", path: step, code: 1) }
    }
  }

  deinit {
    _ = Self.run("netns del \(client)")
    _ = Self.run("netns del \(server)")
  }

  func setLink(up: Bool) {
    let id = server.dropFirst(2)
    _ = Self.run("-n \(server) link set vs\(id) \(up ? "up" : "down")")
  }

  /// A link that is up again carries nothing until the other side's address was asked for anew.
  func waitUntilReachable(port: Int) -> Bool {
    let line = onClient + ["ssh-keyscan", "-T", "1", "-p", "\(port)", serverAddress]
    for _ in 0..<60 {
      let answer = try? SystemProgramRunner().run(ProgramCall(line[0], Array(line.dropFirst())))
      if answer?.output.isEmpty == false { return true }
      Clock.system.sleep(500)
    }
    return false
  }

  private static func run(_ step: String) -> Bool {
    let words = step.split(separator: " ").map(String.init)
    return (try? SystemProgramRunner().run(ProgramCall("ip", words)))?.status == 0
  }
}
