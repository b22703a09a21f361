import CanonicalJSON
import RunicCore

/// `runic join REMOTE`.
let joinCommand = Command(
  description: CommandDescription(
    "join", summary: "bring this repository into one that lies at a remote", group: .start,
    arguments: [Argument("REMOTE", .required, kind: .address)],
    flags: [
      Flag("--remote", value: "NAME", kind: .newName, "what to call the remote (origin)"),
      Flag(
        "--key-file", value: "F", kind: .file,
        "read what 'runic key export' printed, in place of a passphrase"),
      SyncCommands.noRetry,
    ],
    exitStatus: [.unreachable, .busy, .noRepository],
    details: [
      "For a repository that was begun on its own. Its records keep their times and devices and replace nothing: "
        + "where both sides differ, the newer value shows and the other is a conflict. This device goes on under a "
        + "new identity; the old repository is kept beside the new one.",
      "Where both declared a kind under one name, but by different rules, nothing is changed.",
    ],
    examples: [Example("runic join /mnt/nas/runic", "asks for the passphrase of the repository there")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let typed = try invocation.required(0)
  let known = repository.configuration.remotes.first { $0.name == typed }
  let outcome = try KeySource.hinting {
    try repository.join(
      known?.url ?? Session.address(typed), as: invocation.flag("--remote") ?? known?.name ?? "origin",
      unlock: KeySource.unlock(invocation, context))
  }
  context.output.clearProgress()
  SyncReport.warn(outcome.pulled, context.output)
  let joined = outcome.repository
  context.output.result(
    "joined repository \(joined.id.hex): \(counted(outcome.pulled.fetchedCount, "change")) came, "
      + "\(counted(outcome.imported.stored, "record")) taken along; the old repository is kept at "
      + "\(outcome.formerly)",
    [
      "device": .text(joined.deviceID.hex), "deviceName": .text(joined.deviceName),
      "fetchedCount": .integer(outcome.pulled.fetchedCount), "formerly": .text(outcome.formerly),
      "importedCount": .count(outcome.imported.stored), "path": .text(joined.layout.root),
      "repository": .text(joined.id.hex),
    ])
  return outcome.pulled.foundDamage ? .damaged : .done
}
