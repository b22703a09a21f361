import CanonicalJSON
import RunicCore

/// `runic init`.
let initCommand = Command(
  description: CommandDescription(
    "init", summary: "begin a new repository on this machine", group: .start,
    flags: [
      Flag("--name", value: "N", kind: .newName, "what to call this device (the machine's name)"),
      Flag("--passphrase", "make a key slot, so that a passphrase opens the shared folder elsewhere"),
    ],
    details: [
      "The repository lies at --repo, else RUNIC_REPO, else in a folder runic of what XDG_DATA_HOME names, else in "
        + "~/.local/share/runic. It holds this device's keys and must not lie in a folder that a sync tool copies elsewhere.",
      "Without a passphrase, what is shared can be read only with the key: 'runic key export' prints it.",
    ],
    examples: [
      Example("runic init", "begins a repository without a passphrase"),
      Example("runic init --name laptop --passphrase", "asks for a passphrase that opens it elsewhere"),
    ])
) { invocation, context in
  let path = try Session.path(invocation, context)
  let environment = try Session.environment(invocation, context)
  let name = try invocation.flag("--name").map(Session.deviceName)
  try Repository.refuseUnfitPlace(path, environment: environment)
  let passphrase =
    try invocation.isSet("--passphrase")
    ? Session.passphrase(invocation, context, confirm: true, prompt: "new passphrase: ") : nil
  let repository = try Interrupt.clearing(path, in: context.fileSystem) {
    let repository = try Repository.create(
      at: path, name: name, passphrase: passphrase, environment: environment)
    try repository.noteSlots()
    return repository
  }
  context.output.result(
    "began repository \(repository.id.hex) at \(path), on device \(repository.deviceName)",
    [
      "device": .text(repository.deviceID.hex), "deviceName": .text(repository.deviceName),
      "path": .text(path), "repository": .text(repository.id.hex),
    ])
  if passphrase == nil {
    context.output.note(
      "runic: hint: without a passphrase nothing can be read without the key: keep what 'runic key export' prints"
    )
  }
  return .done
}
