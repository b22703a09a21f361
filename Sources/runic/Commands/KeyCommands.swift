import CanonicalJSON
import ObjectStore
import RunicCore

/// The commands `runic key …`.
enum KeyCommands {
  static let all = [keyAddCommand, keyListCommand, keyRemoveCommand, keyExportCommand]
}

/// `runic key add`.
let keyAddCommand = Command(
  description: CommandDescription(
    "key", "add", summary: "make a key slot: a passphrase that opens the repository", group: .configure,
    exitStatus: [.busy, .noRepository],
    details: ["The slot reaches the remotes with the next push."])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let passphrase = try Session.passphrase(invocation, context, confirm: true, prompt: "new passphrase: ")
  let slot = try repository.addSlot(passphrase: passphrase)
  context.output.result(
    "made key slot \(slot.hex); the next 'runic push' brings it to the remotes", ["slot": .text(slot.hex)])
  return .done
}

/// `runic key list`.
let keyListCommand = Command(
  description: CommandDescription(
    "key", "list", summary: "list the key slots", group: .configure, exitStatus: [.busy, .noRepository])
) { invocation, context in
  let slots = try Session.open(invocation, context).slots()
  if context.output.style.wantsJSON {
    let list = slots.map { slot -> JSONValue in
      ["added": .text(slot.added?.text), "slot": .text(slot.id.hex), "usable": .bool(slot.isUsable)]
    }
    context.output.json(["slots": .array(list)])
    return .done
  }
  var table = TextTable([.init(""), .init(""), .init("")])
  for slot in slots {
    table.add([slot.id.hex, slot.added?.text ?? "", slot.isUsable ? "" : "cannot be used"])
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
    details: ["Whoever has the string can read everything. 'runic clone --key-file F' takes it."],
    examples: [Example("runic key export > key.txt", "keeps the key in a file")])
) { invocation, context in
  let key = KeyString.encode(try Session.open(invocation, context).repositoryKeys)
  if context.output.style.wantsJSON {
    context.output.json(["key": .text(key)])
  } else {
    context.output.line(key)
  }
  return .done
}
