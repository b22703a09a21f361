import CanonicalJSON
import RunicCore

/// `runic diff [REMOTE]`.
let diffCommand = Command(
  description: CommandDescription(
    "diff", summary: "show what a push would send and a pull would bring", group: .look,
    arguments: [SyncCommands.remote], exitStatus: [.unreachable, .damaged, .busy, .noRepository],
    details: [
      "By record and key. Without a name, compares with every remote in the order added. Writes nothing on "
        + "either side."
    ],
    examples: [
      Example("runic diff home", "compares with one remote")
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let output = context.output
  let rounds = RemoteRounds(repository: repository, invocation: invocation, output: output)
  return try rounds.run { name in
    let difference = try repository.difference(from: name)
    if output.style.wantsJSON {
      output.json([
        "incoming": .array(difference.incoming.map(json)), "outgoing": .array(difference.outgoing.map(json)),
        "remote": .text(name),
      ])
    } else {
      show(difference, output)
    }
    return .done
  }
}

private func json(_ record: RecordDifference) -> JSONValue {
  [
    "deleted": .bool(record.isDeleted), "device": .text(record.device.hex),
    "deviceName": .text(record.deviceName), "id": .string(JSONString(utf8: record.name.id) ?? ""),
    "keys": .array(record.keys.map(JSONValue.string)), "kind": .text(record.name.kind),
  ]
}

private func show(_ difference: RemoteDifference, _ output: Output) {
  if difference.outgoing.isEmpty, difference.incoming.isEmpty {
    return output.note("\(difference.remote): nothing to send, nothing new")
  }
  let outgoing = difference.outgoing.map { ("push", $0) }
  for (direction, record) in outgoing + difference.incoming.map({ ("pull", $0) }) {
    let id = String(decoding: record.name.id, as: UTF8.self)
    var line = "\(difference.remote): \(direction) \(record.name.kind) \(id)"
    if !record.keys.isEmpty { line += "  " + record.keys.map(\.string).joined(separator: ", ") }
    if record.isDeleted { line += "  deleted" }
    output.line(Escaping.oneLine("\(line)  (\(record.deviceName))"))
  }
}
