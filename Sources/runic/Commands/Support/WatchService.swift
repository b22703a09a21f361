import CanonicalJSON
import ObjectStore
import RunicCore

/// The systemd service of the user's that runs `watch` for one repository.
struct WatchService {
  private let repository: String
  private let context: Context
  private let folder: String
  /// The service's name: one for each repository that is not the usual one.
  private let name: String

  init(_ invocation: Invocation, _ context: Context) throws {
    // Not for a place where there is no repository.
    repository = try Session.open(invocation, context).layout.root
    self.context = context
    let home = context.environment.nonEmpty("HOME").map { "\($0)/.config" }
    guard let folder = context.environment.nonEmpty("XDG_CONFIG_HOME") ?? home else {
      throw CommandFailure.failed(
        "HOME is not set, so nobody knows where services are kept", hint: "set HOME or XDG_CONFIG_HOME")
    }
    self.folder = "\(Session.absolute(folder))/systemd/user"
    let usual = try RepositoryPath.path(
      of: Invocation(command: invocation.command), environment: context.environment)
    name =
      Session.absolute(usual) == repository
      ? "runic-watch.service" : "runic-watch-\(SHA256.hash(Array(repository.utf8)).hex.prefix(8)).service"
  }

  private var path: String { "\(folder)/\(name)" }

  // MARK: - Text

  func text(program: String) -> String {
    """
    [Unit]
    Description=runic: keep \(Self.escaped(repository)) and its remotes together
    Documentation=man:runic-watch(1)

    [Service]
    ExecStart=\(Self.quoted(program)) --repo \(Self.quoted(repository)) watch
    ExecReload=/bin/kill -HUP $MAINPID
    Restart=on-failure
    RestartSec=30
    Nice=10

    [Install]
    WantedBy=default.target

    """
  }

  /// One word of a command line, as systemd.service(5) reads it.
  static func quoted(_ text: String) -> String {
    var word = "\""
    for scalar in escaped(text).unicodeScalars {
      switch scalar {
      case "\"", "\\": word += "\\\(scalar)"
      case "$": word += "$$"
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "\""
  }

  /// Without specifiers and line ends.
  private static func escaped(_ text: String) -> String {
    var escaped = "".unicodeScalars
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped.append(contentsOf: "%%".unicodeScalars)
      case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  // MARK: - Doing

  func install() throws -> ExitStatus {
    guard let program = System.executablePath else {
      throw CommandFailure.failed(
        "nobody knows where this program lies", hint: "run it by its whole path")
    }
    let temporary = "\(folder)/.\(name).\(Hexadecimal.encode(context.random.bytes(4)))"
    try context.fileSystem.makeDirectories(folder, permissions: 0o755)
    try context.fileSystem.writeDurably(
      Array(text(program: program).utf8), to: path, by: temporary, permissions: 0o644)
    let runs =
      control(["daemon-reload"]) && control(["enable", "--now", name]) && control(["restart", name])
    if !runs {
      context.output.note(
        "runic: hint: where systemd runs, 'systemctl --user enable --now \(name)' starts it; elsewhere "
          + "'runic watch --once' from cron does the same")
    }
    report(runs ? "installed '\(path)', and it runs" : "wrote '\(path)'; it does not run yet", runs: runs)
    return .done
  }

  func uninstall() throws -> ExitStatus {
    guard try context.fileSystem.status(path) != nil else {
      report("there is no service '\(path)'", runs: false)
      return .done
    }
    _ = control(["disable", "--now", name])
    try context.fileSystem.removeIfPresent(path)
    _ = control(["daemon-reload"])
    report("removed '\(path)'", runs: false)
    return .done
  }

  private func report(_ words: String, runs: Bool) {
    context.output.result(words, ["path": .text(path), "running": .bool(runs), "unit": .text(name)])
  }

  /// Whether systemd did what it was asked to.
  private func control(_ arguments: [String]) -> Bool {
    let call = ProgramCall("systemctl", ["--user", "--quiet"] + arguments, timeLimit: 30_000)
    guard let result = try? InterruptibleRunner().run(call) else { return false }
    let said = String(decoding: result.errors.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    if result.status != 0, !said.isEmpty { context.output.detail("systemctl: \(said)") }
    return result.status == 0
  }
}
