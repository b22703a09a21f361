import CanonicalJSON
import RunicCore

/// `runic retract`.
let retractCommand = Command(
  description: CommandDescription(
    "retract", summary: "leave a record of a history out of lists and reports", group: .record,
    arguments: [Argument("KIND", .required, kind: .kind), Argument("ID", .required, kind: .recordID)],
    flags: [Flag("--reason", value: "R", kind: .text, "why"), Flag("--undo", "bring it back")],
    exclusive: [["--reason", "--undo"]], exitStatus: Recording.status,
    details: ["The record stays in the history: 'runic list --all' shows it."],
    examples: [Example("runic retract usage 3f2a9c1b --reason 'wrong account'", "retracts a reading")])
) { invocation, context in
  let isUndone = invocation.isSet("--undo")
  let repository = try Session.open(invocation, context)
  let (record, isStored) = try repository.write { transaction in
    let record = try NamedRecord(
      try invocation.required(0), try invocation.required(1), in: try transaction.current)
    let isStored = try transaction.retract(
      kind: record.kind, id: record.id, reason: invocation.flag("--reason"), undo: isUndone)
    return (record, isStored)
  }
  let done = isUndone ? "brought back" : "retracted"
  context.output.result(
    isStored ? "\(done) \(record.text)" : "\(record.text) is \(done) already",
    [
      "changed": .bool(isStored), "id": RecordText.id(record.id), "kind": .text(record.kind.name),
      "retracted": .bool(!isUndone),
    ])
  return .done
}
