import CanonicalJSON
import ObjectStore
import RunicCore

/// The ways in which alerts reach people.
struct AlertChannels {
  let repository: Repository
  let text: AlertText
  let context: Context

  /// Says each through its channels. What failed in all of them is said again next time.
  func announce(_ standings: [AlertStanding]) throws {
    var unsaid: [AlertStanding] = []
    for standing in standings {
      let outcomes = standing.rule.channels.map { say(standing, through: $0) }
      if !outcomes.isEmpty, !outcomes.contains(true) { unsaid.append(standing) }
    }
    if !unsaid.isEmpty { try repository.takeBackAnnouncements(unsaid) }
  }

  /// Whether it was said.
  private func say(_ standing: AlertStanding, through channel: String) -> Bool {
    do {
      switch channel {
      case "stdout":
        // Under --json the one object that is printed says it all.
        if !context.output.style.wantsJSON { context.output.line(Escaping.oneLine(text.line(standing))) }
        return true
      case "system": return try notify(standing)
      case "command": return try runCommand(standing)
      default:
        context.output.warning("'\(channel)' is no channel of alerts: it is left out")
        return false
      }
    } catch {
      context.output.warning("cannot say it through '\(channel)': \(commandFailure(for: error).message)")
      return false
    }
  }

  private func notify(_ standing: AlertStanding) throws -> Bool {
    guard try Shell.run("command -v notify-send", limit: 4096).succeeded else {
      context.output.detail("notify-send is not installed: nothing is shown on the desktop")
      return false
    }
    let urgency = standing.level == .critical ? "critical" : "normal"
    let body = ReportPageText.escaped(text.line(standing))
    return try succeeded("notify-send --app-name=runic --urgency=\(urgency) -- runic \(Self.quoted(body))")
  }

  /// The program gets its input from a file of ours, so that it may leave it unread.
  private func runCommand(_ standing: AlertStanding) throws -> Bool {
    guard let command = repository.configuration.settings["alerts.command"] else {
      throw CommandFailure.failed("no program is set: runic config set alerts.command PROGRAM")
    }
    let name = context.random.bytes(8).map { String($0, radix: 16) }.joined()
    let path = "\(repository.layout.temporary)/alert-\(name)"
    let bytes = JSONValue.object(text.json(standing)).canonicalBytes + [UInt8(ascii: "\n")]
    let file = try OpenFile(path, .create(permissions: 0o600), in: context.fileSystem)
    defer { try? context.fileSystem.remove(path) }
    try file.write(bytes, at: 0)
    return try succeeded("exec <\(Self.quoted(path))\n\(command)")
  }

  private func succeeded(_ command: String) throws -> Bool {
    let result = try Shell.run(command, limit: 64 * 1024)
    // Data is ours alone: what the program prints are messages.
    for line in result.output.split(separator: UInt8(ascii: "\n")) {
      context.output.note(String(decoding: line, as: UTF8.self))
    }
    if !result.succeeded { throw CommandFailure.failed("the program \(result.ending)") }
    return true
  }

  /// One word for the shell, whatever it holds.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
