import CanonicalJSON
import ObjectStore
import RunicCore

/// The commands `runic key …`.
enum KeyCommands {
  static let all = [
    keyAddCommand, keyListCommand, keyRemoveCommand, keyExportCommand, keyRotateCommand,
    keyChangePassphraseCommand,
  ]
}

/// `runic key add`.
let keyAddCommand = Command(
  description: CommandDescription(
    "key", "add", summary: "take a key that was rotated in elsewhere, or make a key slot", group: .configure,
    flags: [
      Flag(
        "--key-file", value: "F", kind: .file,
        "take keys from what 'runic key export' printed, in place of a passphrase")
    ],
    exitStatus: [.unreachable, .busy, .noRepository],
    details: [
      "Where a pull met files written with a key that is not held here, the passphrase or the exported key opens"
        + " it, and the next pull reads them.",
      "Where the key file is gone, broken or an older copy, it puts it back in the same way.",
      "Otherwise it makes a slot: a new passphrase that opens the repository. It reaches the remotes with the next"
        + " push.",
    ],
    examples: [
      Example("runic key add", "asks for a passphrase"),
      Example("runic key add --key-file key.txt", "takes a key from another machine"),
    ])
) { invocation, context in
  let repository: Repository
  do { repository = try Session.open(invocation, context) } catch let error as RunicError
    where error.isOfKeyFile
  {
    return try restoreKeys(invocation, context)
  }
  let waiting = try repository.keysNotHeld()
  if !waiting.isEmpty || repository.lostKeyCount > 0 || invocation.flag("--key-file") != nil {
    return try takeKeys(repository, invocation, context)
  }
  let passphrase = try Session.passphrase(invocation, context, confirm: true, prompt: "new passphrase: ")
  let slot = try repository.addSlot(passphrase: passphrase)
  context.output.result(
    "made key slot \(slot.hex); the next 'runic push' brings it to the remotes", ["slot": .text(slot.hex)])
  return .done
}

extension RunicError {
  /// Whether the key file is at fault, in place of which keys can be put.
  fileprivate var isOfKeyFile: Bool {
    switch self {
    case .badKeyFile, .wrongKeyFile: true
    default: false
    }
  }
}

private func restoreKeys(_ invocation: Invocation, _ context: Context) throws -> ExitStatus {
  let held = try Repository.restoreKeys(
    at: Session.path(invocation, context), unlock: KeySource.unlock(invocation, context),
    environment: Session.environment(invocation, context))
  context.output.result(
    "put \(counted(held.count, "key")) back into repository.key", ["keys": .texts(held.map(\.hex))])
  try Session.open(invocation, context).requireAllKeys()
  return .done
}

private func takeKeys(
  _ repository: Repository, _ invocation: Invocation, _ context: Context
) throws -> ExitStatus {
  let added = try repository.addKeys(try KeySource.unlock(invocation, context))
  let keys = JSONValue.texts(added.map(\.hex))
  guard !added.isEmpty else {
    context.output.result("every key that is there is held here", ["keys": keys])
    return .done
  }
  context.output.result(
    "took \(counted(added.count, "key")); 'runic pull' reads what was written with "
      + (added.count == 1 ? "it" : "them"), ["keys": keys])
  return .done
}

/// `runic key list`.
let keyListCommand = Command(
  description: CommandDescription(
    "key", "list", summary: "list the key slots", group: .configure, exitStatus: [.busy, .noRepository],
    details: [
      "A slot is the repository key, wrapped for one passphrase. The list shows when each was "
        + "made, never a passphrase or a key."
    ],
    examples: [
      Example("runic key list", "shows which slots open the repository")
    ])
) { invocation, context in
  let slots = try Session.open(invocation, context).slots()
  if context.output.style.wantsJSON {
    let list = slots.map { slot -> JSONValue in
      [
        "added": .text(slot.added?.text), "opensNewest": .bool(slot.opensNewest), "slot": .text(slot.id.hex),
        "usable": .bool(slot.isUsable),
      ]
    }
    context.output.json(["slots": .array(list)])
    return .done
  }
  var table = TextTable([.init(""), .init(""), .init("")])
  for slot in slots {
    let id = context.output.style.isVerbose ? slot.id.hex : String(slot.id.hex.prefix(RecordText.shortLength))
    table.add([
      id, slot.added.map { context.time($0.milliseconds) } ?? "",
      !slot.isUsable
        ? "cannot be used" : slot.opensNewest ? "" : "opens only what was written before a rotation",
    ])
  }
  context.output.table(table)
  if slots.isEmpty {
    context.output.note("no key slot: no passphrase opens the repository; 'runic key add' makes one")
  }
  return .done
}

/// `runic key remove SLOT`.
let keyRemoveCommand = Command(
  description: CommandDescription(
    "key", "remove", summary: "withdraw a key slot everywhere", group: .configure,
    arguments: [Argument("SLOT", .required, kind: .keySlot)], exitStatus: [.busy, .noRepository],
    details: [
      "The passphrase opens no copy any more that has heard of it. Who opened the repository before keeps the key."
    ],
    examples: [
      Example("runic key remove 3f9a", "withdraws the slot whose id begins so")
    ])
) { invocation, context in
  let (slot, left) = try Session.open(invocation, context).removeSlot(try invocation.required(0))
  context.output.result(
    "withdrew key slot \(slot.hex); the next 'runic push' tells the remotes",
    ["left": .count(left), "slot": .text(slot.hex)])
  if left == 0 {
    context.output.warning(
      "that was the last one: without the key nothing can be read; keep what 'runic key export' prints")
  }
  return .done
}

/// `runic key export`.
let keyExportCommand = Command(
  description: CommandDescription(
    "key", "export", summary: "print the repository key, to be kept where nobody else sees it",
    group: .configure, exitStatus: [.noRepository],
    details: [
      "Whoever has the string can read everything. 'runic clone --key-file F' takes it, and 'runic key add --key-file"
        + " F' puts a key file back with it.",
      "One line is the rule; where two machines rotated the key at once, there are two, and both are needed.",
    ],
    examples: [Example("runic key export > key.txt", "keeps the key in a file")])
) { invocation, context in
  let keys = try Session.open(invocation, context).exportedKeys().map(KeyString.encode)
  if context.output.style.wantsJSON {
    context.output.json(["key": .text(keys.joined(separator: "\n"))])
  } else {
    for key in keys { context.output.line(key) }
  }
  return .done
}
