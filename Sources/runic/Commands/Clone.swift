import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic clone REMOTE`.
let cloneCommand = Command(
  description: CommandDescription(
    "clone", summary: "make this machine a device of a repository that lies at a remote", group: .start,
    arguments: [Argument("REMOTE", .required, kind: .address)],
    flags: [
      Flag("--name", value: "N", kind: .newName, "what to call this device (the machine's name)"),
      Flag("--remote", value: "NAME", kind: .newName, "what to call the remote (origin)"),
      Flag(
        "--key-file", value: "F", kind: .file,
        "read what 'runic key export' printed, in place of a passphrase"),
      SyncCommands.noRetry,
    ],
    exitStatus: [.unreachable, .damaged, .wrongKey, .busy],
    details: ["Nothing is written before the key or passphrase has been found to be the right one."],
    examples: [
      Example("runic clone /mnt/nas/runic", "asks for the passphrase"),
      Example("runic clone /mnt/nas/runic --key-file key.txt", "opens it with an exported key"),
    ])
) { invocation, context in
  let path = try Session.path(invocation, context)
  let name = invocation.flag("--remote") ?? "origin"
  let deviceName = try invocation.flag("--name").map(Session.deviceName)
  let (repository, outcome) = try KeySource.hinting {
    try Interrupt.clearing(path, in: context.fileSystem) {
      let repository = try Repository.clone(
        from: Session.address(try invocation.required(0)), named: name, to: path,
        deviceName: deviceName, unlock: try KeySource.unlock(invocation, context),
        environment: Session.environment(invocation, context))
      return (repository, try KeySource.goingOn { try repository.pull(name, strategy: nil) })
    }
  }
  context.output.clearProgress()
  SyncReport.warn(outcome, context.output)
  context.output.result(
    "cloned repository \(repository.id.hex) to \(path), as device \(repository.deviceName): "
      + "\(counted(outcome.fetchedCount, "change")) came",
    [
      "device": .text(repository.deviceID.hex), "deviceName": .text(repository.deviceName),
      "fetchedCount": .integer(outcome.fetchedCount), "path": .text(path),
      "pending": .array(outcome.pending.map(SyncReport.json)), "repository": .text(repository.id.hex),
    ])
  return outcome.foundDamage ? .damaged : .done
}
