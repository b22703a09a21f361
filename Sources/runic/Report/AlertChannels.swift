import CanonicalJSON
import ObjectStore
import RunicCore

/// The ways in which alerts reach people.
struct AlertChannels {
  static let names = ["command", "stdout", "system"]

  let repository: Repository
  let text: AlertText
  let context: Context

  /// Says it through all of its channels.
  ///
  /// - Returns: whether it was said: one of them is enough.
  func say(_ standing: AlertStanding) -> Bool {
    let outcomes = standing.rule.channels.map { say(standing, through: $0) }
    return outcomes.isEmpty || outcomes.contains(true)
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
    let urgency = standing.level == .critical ? "critical" : "normal"
    let body = ReportPageText.escaped(text.line(standing))
    let words = ["--app-name=runic", "--urgency=\(urgency)", "--", "runic", body]
    do { return try succeeded("notify-send", words) } catch ProgramError.missing {
      // Said all the same, where cron and people at a terminal see it.
      context.output.note(Escaping.oneLine(text.line(standing)))
      context.output.detail("notify-send is not installed: nothing is shown on the desktop")
      return true
    }
  }

  /// The user's own line of shell; it may leave its input unread.
  private func runCommand(_ standing: AlertStanding) throws -> Bool {
    guard let command = repository.configuration.settings["alerts.command"] else {
      throw CommandFailure.failed("no program is set: runic config set alerts.command PROGRAM")
    }
    let bytes = JSONValue.object(text.json(standing)).canonicalBytes + [UInt8(ascii: "\n")]
    return try succeeded("/bin/sh", ["-c", command], input: bytes)
  }

  /// A program of the user's may take as long as a hook.
  private func succeeded(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> Bool {
    let limit = Int64(repository.configuration.hookTimeLimit) * 1000
    let result = try InterruptibleRunner().run(
      ProgramCall(program, arguments, input: input, timeLimit: limit))
    // Data is ours alone: what the program prints are messages.
    for line in (result.output + result.errors).split(separator: UInt8(ascii: "\n")) {
      context.output.note(String(decoding: line, as: UTF8.self))
    }
    if result.status != 0 { throw CommandFailure.failed("the program ended with status \(result.status)") }
    return true
  }
}
