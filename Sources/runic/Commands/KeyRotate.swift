import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic key rotate`.
let keyRotateCommand = Command(
  description: CommandDescription(
    "key", "rotate", summary: "add a new key, with which all is written from now on", group: .configure,
    flags: [
      Flag(
        "--other-passphrase-file", value: "F", repeatable: true, kind: .file,
        "the passphrase of one more slot that is to open the new key"),
      Flag("--no-slot", "make no slot: no passphrase opens what is written from now on"),
    ],
    exclusive: [["--no-slot", "--other-passphrase-file"]],
    exitStatus: [.busy, .noRepository],
    details: [
      "What was written before stays as it is, and whoever has an older key can still read that. To keep somebody"
        + " out of what comes, rotate the key and remove the slots whose passphrase they know.",
      "Each passphrase of a slot gets a new slot. Slots whose passphrase is not given are named: they open what was"
        + " written before, and nothing after.",
      "Other machines go on with the key that they hold. What this one writes waits there until 'runic key add'.",
    ],
    examples: [Example("runic key rotate", "asks for the passphrases of the slots")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let passphrases = try passphrases(of: repository, invocation, context)
  let rotation = try repository.rotateKey(passphrases: passphrases)
  context.output.result(
    "added key \(rotation.number) (\(rotation.key.hex)); the next 'runic push' brings it to the remotes, and"
      + " 'runic key add' takes it on other machines",
    [
      "key": .text(rotation.key.hex), "left": .texts(rotation.left.map(\.hex)),
      "number": .integer(rotation.number), "slots": .texts(rotation.slots.map(\.hex)),
    ])
  for slot in rotation.left {
    context.output.warning(
      "key slot \(slot.hex) opens only what was written before; 'runic key remove \(slot.hex.prefix(8))' withdraws"
        + " it")
  }
  if rotation.slots.isEmpty {
    context.output.warning(
      "no passphrase opens the new key; keep what 'runic key export' prints, and take it to the other machines"
        + " with 'runic key add --key-file'")
  }
  return .done
}

/// The passphrases of the slots: the usual one, those of the flag, and at a terminal one for each slot that is
/// still closed.
private func passphrases(
  of repository: Repository, _ invocation: Invocation, _ context: Context
) throws -> [SecretBytes] {
  let count = try repository.slots().filter(\.isUsable).count
  if count == 0 || invocation.isSet("--no-slot") { return [] }
  let source = Passphrase(invocation, environment: context.environment)
  var all = [try Session.passphrase(invocation, context, confirm: false)]
  for file in invocation.values("--other-passphrase-file") {
    var bytes = try Passphrase(file: file, environment: context.environment).read(confirm: false)
    all.append(SecretBytes(taking: &bytes))
  }
  while source.isAsked, all.count < count, let terminal = Terminal(),
    var more = try terminal.askInSecret("passphrase of another slot (empty: leave the others): "),
    !more.isEmpty
  {
    all.append(SecretBytes(taking: &more))
  }
  return all
}

/// `runic key change-passphrase`.
let keyChangePassphraseCommand = Command(
  description: CommandDescription(
    "key", "change-passphrase", summary: "put another passphrase in the place of one", group: .configure,
    flags: [
      Flag("--new-passphrase-file", value: "F", kind: .file, "read the new passphrase from a file")
    ],
    exitStatus: [.busy, .noRepository],
    details: [
      "The old passphrase opens no copy any more that has heard of the change. Who knows it and has an older copy"
        + " of the folder can still open that: 'runic key rotate' keeps them out of what comes."
    ],
    examples: [Example("runic key change-passphrase", "asks for the old one, then twice for the new one")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let old = try Session.passphrase(invocation, context, confirm: false, prompt: "present passphrase: ")
  let source = Passphrase(
    file: invocation.flag("--new-passphrase-file"), environment: Environment([:]),
    sources: "--new-passphrase-file F: it is the new one, which no variable gives")
  var bytes = try source.read(confirm: true, prompt: "new passphrase: ")
  let (made, withdrawn) = try repository.changePassphrase(from: old, to: SecretBytes(taking: &bytes))
  context.output.result(
    "changed the passphrase; the next 'runic push' brings it to the remotes",
    ["slots": .texts(made.map(\.hex)), "withdrawn": .texts(withdrawn.map(\.hex))])
  if try !repository.slots().contains(where: { made.contains($0.id) && $0.opensNewest }) {
    context.output.warning(
      "it opens only what was written before the key was rotated; 'runic key add' makes a slot that opens all"
    )
  }
  return .done
}
