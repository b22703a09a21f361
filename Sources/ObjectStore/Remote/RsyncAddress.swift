/// The address of a tree that rsync reaches, taken literally: nothing in it is decoded.
///
/// `user@host:path`, `ssh://user@host:port/path`, `rsync://host[:port]/module/path` (`docs/remotes.md`).
public struct RsyncAddress: Hashable, Sendable {
  public enum Line: Hashable, Sendable {
    /// A remote shell to `[user@]host`, at a port of its own where there is one.
    case shell(host: String, port: Int?)
    /// A daemon: `host[:port]`.
    case daemon(host: String)
  }

  public let line: Line
  /// The folder: relative to the home folder, absolute, or `module[/path]` at a daemon.
  public let path: String

  /// Reads an address; nil for one of another sort, or one that no program should be given.
  public init?(_ address: String) {
    if let rest = Self.rest(of: address, after: "ssh://") {
      guard let parsed = Self.shellURL(rest) else { return nil }
      self = parsed
    } else if let rest = Self.rest(of: address, after: "rsync://") {
      guard let parsed = Self.daemonURL(rest) else { return nil }
      self = parsed
    } else {
      guard let parsed = Self.hostAndPath(address) else { return nil }
      self = parsed
    }
    guard !path.utf8.contains(0), !path.utf8.contains(0x0a), !path.isEmpty else { return nil }
  }

  private init(line: Line, path: String) {
    self.line = line
    self.path = path
  }

  private static func rest(of address: String, after scheme: String) -> Substring? {
    address.utf8.starts(with: scheme.utf8) ? address[scheme.endIndex...] : nil
  }

  private static func shellURL(_ rest: Substring) -> RsyncAddress? {
    guard let slash = rest.firstIndex(of: "/"), let (host, port) = hostAndPort(rest[..<slash]) else {
      return nil
    }
    var path = rest[slash...]
    if path == "/~" || path.hasPrefix("/~/") { path = path.dropFirst() }
    return RsyncAddress(line: .shell(host: String(host), port: port), path: String(path))
  }

  private static func daemonURL(_ rest: Substring) -> RsyncAddress? {
    guard let slash = rest.firstIndex(of: "/"), hostAndPort(rest[..<slash]) != nil else { return nil }
    let path = rest[slash...].dropFirst()
    guard let module = path.split(separator: "/", omittingEmptySubsequences: false).first, !module.isEmpty
    else { return nil }
    return RsyncAddress(line: .daemon(host: String(rest[..<slash])), path: String(path))
  }

  private static func hostAndPath(_ address: String) -> RsyncAddress? {
    // An IPv6 address stands in brackets, and has colons of its own.
    let begin = address.firstIndex(of: "]") ?? address.startIndex
    guard let colon = address[begin...].firstIndex(of: ":"), isHost(address[..<colon]) else { return nil }
    // Another scheme: who means a path that begins so can write it with one slash.
    if address[colon...].utf8.starts(with: "://".utf8) { return nil }
    let path = address[colon...].dropFirst()
    // Two colons are rsync's own way to write a daemon's address: the one above is ours.
    guard path.first != ":" else { return nil }
    return RsyncAddress(line: .shell(host: String(address[..<colon]), port: nil), path: String(path))
  }

  private static func hostAndPort(_ text: Substring) -> (Substring, Int?)? {
    let begin = text.firstIndex(of: "]") ?? text.startIndex
    guard let colon = text[begin...].lastIndex(of: ":") else { return isHost(text) ? (text, nil) : nil }
    let digits = text[colon...].dropFirst()
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
      (1...65535).contains(port), isHost(text[..<colon])
    else { return nil }
    return (text[..<colon], port)
  }

  /// `[user@]host`, neither of which may look like an option to the program that gets it.
  private static func isHost(_ text: Substring) -> Bool {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.utf8.first != UInt8(ascii: "-")
        && part.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") }
    } && parts.last?.contains("@") == false
  }
}

extension RsyncAddress {
  /// The folder above one that may be a repository's own tree; nil for any other, and for a module's root.
  var aboveStore: RsyncAddress? {
    guard let folder = WorkingPlace.folder(above: path) else { return nil }
    guard folder.isEmpty else { return RsyncAddress(line: line, path: folder) }
    guard case .shell = line else { return nil }
    return RsyncAddress(line: line, path: ".")
  }

  /// The argument that names the tree's root to rsync, with a slash at its end.
  ///
  /// The shell there, or rsync itself, takes `*`, `?` and `[` for patterns, which a backslash before them prevents.
  var argument: String {
    switch line {
    case .daemon(let host): return "rsync://\(host)/\(Self.escape(folder))/"
    case .shell(let host, _): return "\(host):\(Self.escape(folder))\(folder == "/" ? "" : "/")"
    }
  }

  /// The path as rsync is handed it, without slashes at its end.
  private var folder: String {
    var folder = path
    while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    guard case .shell = line else { return folder }
    // The home folder is where a remote shell begins; not every one expands `~`. Anything else that begins with
    // it is a name.
    if folder == "~" { return "." }
    if folder.hasPrefix("~/") { return "." + folder.dropFirst() }
    return folder.hasPrefix("~") ? "./" + folder : folder
  }

  /// The same place in one spelling, to be compared: addresses of one folder may be written in several ways.
  public var shortest: RsyncAddress {
    let names = folder.split(separator: "/").filter { $0 != "." }
    return RsyncAddress(line: line, path: (folder.hasPrefix("/") ? "/" : "") + names.joined(separator: "/"))
  }

  /// The command that reaches the host, as `--rsh` takes it; nil at a daemon.
  ///
  /// A sender keeps itself alive, so `--timeout` does not tell it of a dead line: ssh must. Options that the variable
  /// names itself stand first, and ssh takes the first.
  func shellCommand(variable: String?, timeout: Int) -> String? {
    guard case .shell(_, let port) = line else { return nil }
    var command = variable ?? "ssh"
    if let port { command += " -p \(port)" }
    let program = command.split(separator: " ").first?.split(separator: "/").last
    guard program == "ssh" else { return command }
    return command + " -o ConnectTimeout=\(timeout) -o ServerAliveInterval=\((timeout + 2) / 3)"
      + " -o ServerAliveCountMax=3"
  }

  private static func escape(_ path: String) -> String {
    var result = ""
    for character in path {
      if "*?[]".contains(character) { result += "\\" }
      result.append(character)
    }
    return result
  }
}
