import CanonicalJSON
import RunicCore

/// `runic revert`.
let revertCommand = Command(
  description: CommandDescription(
    "revert", summary: "bring a keyed record, or one key, back to what it was", group: .record,
    arguments: [
      Argument("KIND", .required, kind: .kind), Argument("ID", .required, kind: .recordID),
      Argument("KEY", .optional, kind: .recordKey),
    ], flags: [Flag("--to", value: "COMMIT|TIME", kind: .commit, "the state of the commits up to then")],
    exitStatus: Recording.status,
    details: [
      "The state of that moment becomes a new edit, also of a record that is deleted now. 'runic show' lists the "
        + "writes of a record.",
      "A day after --to is its beginning, in the zone that the variable TZ names, else in the machine's.",
    ],
    examples: [
      Example("runic revert preferences user-preferences theme --to 24h", "takes back a day's edits")
    ])
) { invocation, context in
  let target = try invocation.requiredFlag("--to")
  let repository = try Session.open(invocation, context)
  let (record, past) = try repository.read { snapshot in
    let record = try NamedRecord(try invocation.required(0), try invocation.required(1), in: snapshot)
    guard record.kind.family == .keys else {
      throw RunicError.wrongFamily(kind: record.kind.name, family: record.kind.family)
    }
    let past = try snapshot.record(record.name, at: try snapshot.moment(target, context))
    guard let past else { throw try record.unknown(at: target, in: snapshot) }
    return (record, past)
  }
  let patch = Revert.patch(to: past.object, key: invocation.positional(2).map { JSONString($0) })
  let isStored = try repository.write { try $0.patch(kind: record.kind, id: record.id, patch) }
  context.output.result(
    isStored ? "reverted \(record.text)" : "\(record.text) is as it was",
    ["changed": .bool(isStored), "id": RecordText.id(record.id), "kind": .text(record.kind.name)])
  return .done
}

private enum Revert {
  static func patch(to past: JSONObject, key: JSONString?) -> Patch {
    guard let key else { return Patch(replacingAllBy: past) }
    guard let value = past[key] else { return Patch(unset: [key]) }
    return Patch(set: [key: value])
  }
}
