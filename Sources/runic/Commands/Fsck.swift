import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic fsck [REMOTE]`.
let fsckCommand = Command(
  description: CommandDescription(
    "fsck", summary: "check every file of the repository, or of a remote", group: .maintain,
    arguments: [Argument("REMOTE", .optional, kind: .remote)],
    flags: [Flag("--without-key", "compare the files with their names alone"), SyncCommands.noRetry],
    exitStatus: [.unreachable, .busy, .noRepository],
    details: [
      "Checks names, seals, signatures, chains and changes, and here the index too. What is damaged is remembered: "
        + "the next pull brings it again, the next push mends it. What does not belong there is listed; it is no "
        + "damage, nor is what has not arrived yet or needs a newer runic."
    ],
    examples: [Example("runic fsck home", "checks what lies at a remote")])
) { invocation, context in
  let withoutKey = invocation.isSet("--without-key")
  let report: CheckReport
  context.output.progress("checking files")
  if let name = invocation.positional(0) {
    let repository = try Session.open(invocation, context)
    report = try RemoteRounds.naming(name) { try repository.check(remote: name, withKey: !withoutKey) }
  } else if withoutKey {
    report = try Repository.checkWithoutKey(
      at: Session.path(invocation, context), environment: Session.environment(invocation, context))
  } else {
    report = try Session.open(invocation, context).check()
  }
  context.output.clearProgress()
  CheckWords.show(report, context.output)
  CheckWords.hint(report, remote: invocation.positional(0), context.output)
  return report.damage.isEmpty && report.rolledBack.isEmpty ? .done : .damaged
}

/// What `fsck` says.
private enum CheckWords {
  static func show(_ report: CheckReport, _ output: Output) {
    if output.style.wantsJSON { return output.json(json(report)) }
    for damage in report.damage {
      output.line(
        Escaping.oneLine("\(output.styled("damaged", .bad)): \(damage.path): \(words(damage.reason))"))
    }
    for (device, rollback) in report.rolledBack.sorted(by: { $0.key < $1.key }) {
      output.paragraph("rolled back: \(device): commit \(rollback.from) was there, now \(rollback.to)")
    }
    for pending in report.pending { output.paragraph(words(pending)) }
    for path in report.newer { output.line("needs a newer runic: \(path)") }
    for stranger in report.strangers { output.line("stranger: \(Escaping.oneLine(stranger))") }
    let looked =
      "\(counted(report.fileCount, "file")), \(readableSize(report.byteCount)), "
      + counted(report.commitCount, "commit")
    output.note(
      report.damage.isEmpty
        ? "no damage: \(looked)" : "\(counted(report.damage.count, "file")) damaged, of \(looked)")
  }

  /// Where the whole bytes come from.
  static func hint(_ report: CheckReport, remote: String?, _ output: Output) {
    if report.damage.isEmpty {
      guard let remote, report.pending.contains(where: \.isHeldHere) else { return }
      return output.note(
        "runic: hint: 'runic push --repair \(remote)' brings back what is not on its way there")
    }
    guard report.damage.contains(where: { !$0.reason.isOfWriter }) else {
      return output.note("runic: hint: \(FormatError.cureOfBroken): other copies of the file are the same")
    }
    output.note(
      remote.map { "runic: hint: 'runic push --repair \($0)' mends what this device holds whole" }
        ?? "runic: hint: 'runic pull' brings again what a remote holds whole")
  }

  private static func json(_ report: CheckReport) -> JSONValue {
    let rollbacks = report.rolledBack.sorted { $0.key < $1.key }.map { device, rollback -> JSONValue in
      ["device": .text(device.hex), "from": .integer(rollback.from), "to": .integer(rollback.to)]
    }
    return [
      "bytes": .integer(report.byteCount), "commits": .integer(report.commitCount),
      "damage": .array(report.damage.map { ["path": .text($0.path), "reason": .text(words($0.reason))] }),
      "files": .count(report.fileCount), "newer": .texts(report.newer),
      "pending": .array(
        report.pending.map { pending in
          [
            "device": .text(pending.device.hex), "format": pending.newerFormat.map { .count($0) } ?? .null,
            "held": .bool(pending.isHeldHere), "key": .text(pending.key?.hex), "path": .text(pending.path),
          ]
        }), "rolledBack": .array(rollbacks), "strangers": .texts(report.strangers),
    ]
  }

  private static func words(_ reason: CheckReport.Damage.Reason) -> String {
    switch reason {
    case .digest: "its bytes are not what its name says"
    case .format(let cause), .broken(let cause): cause.words
    case .missing: "it is missing"
    case .index: "it was not what the commits say, and is made anew"
    }
  }

  private static func words(_ pending: CheckReport.Pending) -> String {
    if let key = pending.key {
      return "not arrived yet: \(pending.path) needs the key \(key.hex.prefix(8)): 'runic key add' takes it"
    }
    if let format = pending.newerFormat { return "needs a newer runic: \(pending.path) has format \(format)" }
    return pending.isHeldHere
      ? "missing there: \(pending.path), which this device holds" : "not arrived yet: \(pending.path)"
  }
}
