import CanonicalJSON
import RunicCore

/// `runic status`.
let statusCommand = Command(
  description: CommandDescription(
    "status", summary: "show what waits to be sent, fetched and settled", group: .look,
    exitStatus: [.busy, .noRepository],
    details: [
      "Asks no remote: says what this device last saw of them. --verbose gives whole ids and exact times."
    ],
    examples: [
      Example("runic status", "says in a few lines what to do next"),
      Example("runic status --json", "the same for a prompt or a script"),
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let status = try repository.status()
  if context.output.style.wantsJSON {
    context.output.json(StatusWords.json(status))
  } else {
    StatusWords.show(status, of: repository, context)
  }
  return .done
}

private enum StatusWords {
  static func json(_ status: RepositoryStatus) -> JSONValue {
    [
      "conflicts": .count(status.conflicts), "device": .text(status.device.hex),
      "deviceName": .text(status.deviceName), "pending": .array(status.pending.map(SyncReport.json)),
      "remotes": .array(status.remotes.map(json)), "repository": .text(status.repository.hex),
      "unpushed": .integer(status.unpushed), "warnings": .texts(status.warnings.map(\.words)),
    ]
  }

  private static func json(_ remote: RemoteStatus) -> JSONValue {
    [
      "ahead": .integer(remote.ahead), "behind": .integer(remote.behind), "lastPull": .time(remote.lastPull),
      "lastPush": .time(remote.lastPush), "name": .text(remote.name), "url": .text(remote.url),
    ]
  }

  /// About five lines: what this is, each remote, what waits, what conflicts, what to type next.
  static func show(_ status: RepositoryStatus, of repository: Repository, _ context: Context) {
    let output = context.output
    let isVerbose = output.style.isVerbose
    let (whole, device) = (status.repository.hex, status.device.hex)
    let ids = isVerbose ? (whole, device) : (String(whole.prefix(8)), String(device.prefix(8)))
    output.paragraph("device \(status.deviceName) (\(ids.1)) of repository \(ids.0)")
    remotes(status.remotes, context)
    if status.unpushed > 0, !status.remotes.isEmpty {
      output.paragraph("\(counted(status.unpushed, "change")) not sent anywhere yet")
    }
    if status.conflicts > 0 {
      output.line(output.styled("\(counted(status.conflicts, "conflict")) open", .warning))
    }
    for words in SyncReport.lines(status.pending) { output.paragraph(words) }
    for words in SyncReport.words(of: status.ownWarnings) { output.warning(words) }
    for remote in status.remotes {
      for words in SyncReport.words(of: remote.warnings) { output.warning("\(remote.name): \(words)") }
    }
    do { try repository.requireAllKeys() } catch {
      let failure = commandFailure(for: error)
      output.warning(failure.message)
      return output.paragraph("next: \(failure.hint ?? "")")
    }
    let beforeKey = SyncReport.stepBeforeKey(repository.configuration)
    output.paragraph(next(status, now: context.now(), beforeKey: beforeKey))
  }

  private static func remotes(_ remotes: [RemoteStatus], _ context: Context) {
    guard !remotes.isEmpty else { return context.output.line("nothing is synced: there is no remote") }
    var table = TextTable([
      .init("", shrinks: true), .init("", shrinks: true), .init("", shrinks: true, isOptional: true),
      .init("", shrinks: true, isOptional: true),
    ])
    for remote in remotes {
      table.add([
        remote.name, state(remote), times(remote, context), context.output.style.isVerbose ? remote.url : "",
      ])
    }
    context.output.table(table)
  }

  private static func state(_ remote: RemoteStatus) -> String {
    var state: [String] = []
    if remote.isRolledBack { state.append("rolled back") }
    if remote.ahead > 0 { state.append("\(counted(remote.ahead, "commit")) to push") }
    if remote.behind > 0 { state.append("\(counted(remote.behind, "commit")) to pull") }
    if !state.isEmpty { return state.joined(separator: ", ") }
    return remote.lastPull == nil && remote.lastPush == nil ? "not synced yet" : "in step"
  }

  private static func times(_ remote: RemoteStatus, _ context: Context) -> String {
    let pulled = remote.lastPull.map { "pulled \(context.time($0))" }
    let pushed = remote.lastPush.map { "pushed \(context.time($0))" }
    return [pulled, pushed].compactMap { $0 }.joined(separator: ", ")
  }

  /// A push looks at what lies there too.
  private static func lastLook(_ remote: RemoteStatus) -> Int64? {
    [remote.lastPull, remote.lastPush].compactMap { $0 }.max()
  }

  /// The one thing to type that helps most.
  private static func next(_ status: RepositoryStatus, now: Int64, beforeKey: String) -> String {
    if status.remotes.isEmpty { return "next: 'runic remote add NAME URL' begins to share" }
    if status.pending.contains(where: { $0.newerFormat != nil }) {
      return "next: install a newer runic, then 'runic pull'"
    }
    if status.ownWarnings.contains(where: \.isDamage) { return "next: 'runic fsck' shows what is damaged" }
    if let damaged = status.remotes.first(where: \.isDamaged) {
      return "next: 'runic push --repair \(damaged.name)' mends what is whole here"
    }
    if status.pending.contains(where: { $0.key != nil }) {
      return "next: \(beforeKey)'runic key add', then 'runic pull'"
    }
    if status.conflicts > 0 { return "next: 'runic conflicts' shows what to settle" }
    let isNews = status.remotes.contains { $0.behind > 0 } || !status.pending.isEmpty
    let waits = status.unpushed > 0 || status.remotes.contains { $0.ahead > 0 }
    if isNews && waits { return "next: 'runic sync'" }
    if status.pending.contains(where: { $0.broken != nil }) {
      return "next: 'runic fsck' shows which file breaks a rule"
    }
    if isNews { return "next: 'runic pull'" }
    if waits { return "next: 'runic push'" }
    if status.remotes.contains(where: { Staleness.isStale(lastLook($0), now: now) }) {
      return "next: 'runic sync': the last one is long ago"
    }
    return "nothing to do"
  }
}

extension SyncWarning {
  fileprivate var isDamage: Bool {
    switch self {
    case .damaged, .unreadable: true
    default: false
    }
  }
}

/// How long a device may go without news before that is worth a word.
enum Staleness {
  /// A week, in milliseconds.
  private static let limit: Int64 = 7 * 86_400_000

  /// Whether the last time, nil for never, is too long ago.
  static func isStale(_ last: Int64?, now: Int64) -> Bool {
    guard let last else { return true }
    return now.subtractingReportingOverflow(last).partialValue > limit
  }
}
