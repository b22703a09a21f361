import CanonicalJSON
import RunicCore

/// `runic delete`.
let deleteCommand = Command(
  description: CommandDescription(
    "delete", summary: "delete a keyed record", group: .record,
    arguments: [Argument("KIND", .required, kind: .kind), Argument("ID", .required, kind: .recordID)],
    flags: [Recording.ifFlag], exitStatus: Recording.status,
    details: [
      "An edit that did not know of the delete is a conflict with it: see 'runic conflicts'. Records of a "
        + "history are never deleted; 'runic retract' leaves one out of lists and reports."
    ],
    examples: [Example("runic delete alert claude", "deletes an alert")])
) { invocation, context in
  let condition = try invocation.condition()
  let repository = try Session.open(invocation, context)
  let record = try repository.write { transaction in
    let snapshot = try transaction.current
    _ = try snapshot.writableKind(try invocation.required(0))
    let record = try NamedRecord(try invocation.required(0), try invocation.required(1), in: snapshot)
    try transaction.deleteEverywhere(kind: record.kind, id: record.id, if: condition)
    return record
  }
  context.output.result("deleted \(record.text)", record.json)
  return .done
}
