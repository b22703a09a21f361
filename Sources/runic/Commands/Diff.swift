import CanonicalJSON
import RunicCore

/// `runic diff [REMOTE]`.
let diffCommand = Command(
  description: CommandDescription(
    "diff", summary: "show what a push would send and a pull would bring", group: .look,
    arguments: [SyncCommands.remote], exitStatus: [.unreachable, .busy, .noRepository],
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

/// Which way a record goes, the record, its keys, and who wrote it.
private func show(_ difference: RemoteDifference, _ output: Output) {
  let (outgoing, incoming) = (difference.outgoing, difference.incoming)
  if outgoing.isEmpty, incoming.isEmpty {
    return output.note("\(difference.remote): nothing to send, nothing new")
  }
  let toPush = "\(counted(outgoing.count, "record")) to push"
  output.paragraph("\(difference.remote): \(toPush), \(counted(incoming.count, "record")) to pull")
  var table = TextTable([
    .init(""), .init("", shrinks: true), .init("", shrinks: true),
    .init("", shrinks: true, isOptional: true),
  ])
  for (direction, record) in outgoing.map({ ("push", $0) }) + incoming.map({ ("pull", $0) }) {
    let keys = record.keys.map(\.string) + (record.isDeleted ? ["(deleted)"] : [])
    table.add([
      "  \(direction)", "\(record.name.kind) \(RecordText.short(record.name.id))",
      keys.joined(separator: ", "), record.deviceName,
    ])
  }
  output.table(table)
}
