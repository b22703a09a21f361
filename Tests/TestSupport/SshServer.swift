import ObjectStore

/// A real sshd on the loopback address, with keys and settings of its own below a folder of the test's.
///
/// Three keys are let in: `user`, with which commands run as given; `noisy`, whose login script prints; `bare`, for a
/// machine on which no program is found.
public final class SshServer: Sendable {
  public let folder: String
  public let port: Int
  public let user: String
  private let host: String
  private let server: BackgroundProgram

  public static let isPossible =
    BackgroundProgram.isInstalled("/usr/sbin/sshd") && BackgroundProgram.isInstalled("rsync")
    && BackgroundProgram.isInstalled("ssh")

  /// - Parameters:
  ///   - host: the address that it listens at.
  ///   - prefix: is put before the server's command line.
  public init(in folder: String, host: String = "127.0.0.1", prefix: [String] = []) throws {
    self.folder = folder
    self.host = host
    let isRemote = host != "127.0.0.1"
    port = isRemote ? 2222 : try Port.free()
    user = try Self.output("id", ["-un"])
    for key in ["host", "other", "user", "noisy", "bare", "stranger"] {
      _ = try Self.output("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(key)"])
    }
    try Self.prepare(folder, port: port, host: host)
    // Where root runs it, sshd wants an empty folder that it is not asked to make.
    _ = try? Self.output("mkdir", ["-p", "/run/sshd"])
    let line = prefix + ["/usr/sbin/sshd", "-D", "-e", "-f", "\(folder)/sshd_config"]
    server = try BackgroundProgram(line[0], Array(line.dropFirst()), log: "\(folder)/sshd.log")
    if isRemote { Clock.system.sleep(500) } else { try server.waitUntilListening(port) }
  }

  private static func prepare(_ folder: String, port: Int, host: String) throws {
    func key(_ name: String) throws -> String { try text("\(folder)/\(name).pub") }
    let settings = """
      Port \(port)
      ListenAddress \(host)
      HostKey \(folder)/host
      AuthorizedKeysFile \(folder)/authorized_keys
      PidFile none
      StrictModes no
      UsePAM no
      UseDNS no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin yes
      MaxStartups 100

      """
    try write(settings, "\(folder)/sshd_config")
    let noisy = "command=\"echo Welcome, dear user; exec sh -c \\\"$SSH_ORIGINAL_COMMAND\\\"\""
    let bare = "command=\"PATH=/nonexistent; export PATH; $SSH_ORIGINAL_COMMAND\""
    let keys = "\(try key("user"))\n\(noisy) \(try key("noisy"))\n\(bare) \(try key("bare"))\n"
    try write(keys, "\(folder)/authorized_keys")
    try write("[\(host)]:\(port) \(try key("host"))\n", "\(folder)/known_hosts")
    try write("[\(host)]:\(port) \(try key("other"))\n", "\(folder)/changed_hosts")
    try write("", "\(folder)/no_hosts")
  }

  /// What `RSYNC_RSH` says to get in with one of the keys.
  public func command(key: String = "user", hosts: String = "known_hosts") -> String {
    "ssh -F none -i \(folder)/\(key) -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes"
      + " -o UserKnownHostsFile=\(folder)/\(hosts) -o GlobalKnownHostsFile=none -o IdentityAgent=none"
  }

  /// The address of a folder there.
  public func address(_ path: String) -> String { "ssh://\(user)@\(host):\(port)\(path)" }

  /// How many connections were let in so far.
  public var connections: Int {
    get throws {
      // Its lines end with two bytes, which Swift takes for one character.
      try Self.text("\(folder)/sshd.log").utf8.split(separator: 0x0a)
        .count { $0.starts(with: "Accepted publickey".utf8) }
    }
  }

  static func output(_ program: String, _ arguments: [String]) throws -> String {
    let result = try SystemProgramRunner().run(ProgramCall(program, arguments))
    guard result.status == 0 else {
      throw SystemError(
        call: program, path: String(decoding: result.errors, as: UTF8.self), code: result.status)
    }
    return String(decoding: result.output.filter { $0 != 0x0a }, as: UTF8.self)
  }

  static func text(_ path: String) throws -> String {
    var bytes = try PosixFileSystem().read(path, limit: 8 << 20)
    if bytes.last == 0x0a { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ text: String, _ path: String) throws {
    try PosixFileSystem().writeSynced(Array(text.utf8), to: path, permissions: 0o600)
  }
}
