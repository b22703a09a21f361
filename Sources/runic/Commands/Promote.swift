import CanonicalJSON
import RunicCore

/// `runic promote`.
let promoteCommand = Command(
  description: CommandDescription(
    "promote", summary: "sync a record that was made with --local", group: .record,
    arguments: [Argument("KIND", .required, kind: .kind), Argument("ID", .optional, kind: .recordID)],
    exitStatus: Recording.status,
    details: ["Of a keyed record, only the keys that were changed locally are written."],
    examples: [Example("runic promote preferences", "syncs the preferences that were tried out")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let record = try repository.read {
    try NamedRecord(try invocation.required(0), invocation.positional(1), in: $0)
  }
  try repository.promote(kind: record.kind, id: record.id)
  context.output.result("\(record.text) is synced from now on", record.json)
  return .done
}
