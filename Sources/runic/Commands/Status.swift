import CanonicalJSON
import RunicCore

/// `runic status`.
let statusCommand = Command(
  description: CommandDescription(
    "status", summary: "show what waits to be sent, fetched and settled", group: .look,
    exitStatus: [.busy, .noRepository],
    details: ["Asks no remote: says what this device last saw of them."],
    examples: [
      Example("runic status", "says in a few lines what to do next"),
      Example("runic status --json", "the same for a prompt or a script"),
    ])
) { invocation, context in
  let status = try Session.open(invocation, context).status()
  if context.output.style.wantsJSON {
    context.output.json(StatusWords.json(status))
  } else {
    StatusWords.show(status, context.output)
  }
  return .done
}

private enum StatusWords {
  static func json(_ status: RepositoryStatus) -> JSONValue {
    [
      "conflicts": .count(status.conflicts), "device": .text(status.device.hex),
      "deviceName": .text(status.deviceName), "pending": .array(status.pending.map(SyncReport.json)),
      "remotes": .array(status.remotes.map(json)), "repository": .text(status.repository.hex),
      "unpushed": .integer(status.unpushed), "warnings": .texts(status.warnings.map(SyncReport.words)),
    ]
  }

  private static func json(_ remote: RemoteStatus) -> JSONValue {
    [
      "ahead": .integer(remote.ahead), "behind": .integer(remote.behind), "lastPull": .time(remote.lastPull),
      "lastPush": .time(remote.lastPush), "name": .text(remote.name), "url": .text(remote.url),
    ]
  }

  static func show(_ status: RepositoryStatus, _ output: Output) {
    output.line(
      Escaping.oneLine(
        "repository \(status.repository.hex), device \(status.deviceName) (\(status.device.hex))"))
    if status.remotes.isEmpty {
      output.line("nothing is synced: there is no remote ('runic remote add NAME URL' adds one)")
    }
    for remote in status.remotes { output.line(Escaping.oneLine(words(remote))) }
    if status.unpushed > 0, !status.remotes.isEmpty {
      output.line("\(counted(status.unpushed, "change")) not sent anywhere yet ('runic push')")
    }
    if status.conflicts > 0 {
      output.line("\(counted(status.conflicts, "conflict")) open ('runic conflicts')")
    }
    for log in status.pending { output.line(Escaping.oneLine(SyncReport.words(log))) }
    for warning in status.warnings { output.warning(SyncReport.words(warning)) }
  }

  private static func words(_ remote: RemoteStatus) -> String {
    var state: [String] = []
    if remote.ahead > 0 { state.append("\(counted(remote.ahead, "commit")) to push") }
    if remote.behind > 0 { state.append("\(counted(remote.behind, "commit")) to pull") }
    if state.isEmpty {
      state.append(remote.lastPull == nil && remote.lastPush == nil ? "not synced yet" : "in step")
    }
    if let time = remote.lastPull { state.append("pulled \(Instant.format(time))") }
    if let time = remote.lastPush { state.append("pushed \(Instant.format(time))") }
    if remote.isRolledBack { state.append("rolled back") }
    return "\(remote.name) (\(remote.url)): \(state.joined(separator: ", "))"
  }
}
