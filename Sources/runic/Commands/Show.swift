import CanonicalJSON
import RunicCore

/// `runic show`.
let showCommand = Command(
  description: CommandDescription(
    "show", summary: "list every write of a record", group: .look,
    arguments: [Argument("KIND", .required, kind: .kind), Argument("ID", .required, kind: .recordID)],
    exitStatus: [.busy, .noRepository],
    details: [
      "The latest first; a star stands before what is shown. What was recorded with --local comes before all else: it "
        + "is in no commit."
    ],
    examples: [Example("runic show alert claude", "who set the thresholds, and when")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let (named, writes) = try repository.read { snapshot in
    let named = try NamedRecord(try invocation.required(0), try invocation.required(1), in: snapshot)
    let writes = try snapshot.writes(of: named.name)
    if writes.isEmpty { throw named.unknown(in: snapshot) }
    return (named, writes)
  }
  if context.output.style.wantsJSON {
    for write in writes { context.output.json(Show.json(write)) }
    return .done
  }
  var table = TextTable([
    .init(""), .init("TIME", isOptional: true), .init("DEVICE", shrinks: true),
    .init("COMMIT", isOptional: true), .init("KEY", shrinks: true),
    .init("VALUE", shrinks: true),
  ])
  for write in writes {
    table.add([
      write.isShown ? "*" : "", context.time(write.time), write.deviceName,
      write.commit.map { RecordText.short($0.hash) } ?? "(local)", write.key?.string ?? "",
      RecordText.text(write.value, absent: write.action == .delete ? "(deleted)" : "(unset)"),
    ])
  }
  context.output.table(table)
  return .done
}

private enum Show {
  static func json(_ write: RecordWrite) -> JSONValue {
    var json: JSONObject = [
      "action": .text(write.action.rawValue), "commit": .text(write.commit?.hash.hex),
      "deleted": .bool(write.value == nil), "device": .text(write.device.hex),
      "deviceName": .text(write.deviceName),
      "generation": write.generation.map(JSONValue.integer) ?? .null,
      "key": write.key.map(JSONValue.string) ?? .null, "shown": .bool(write.isShown),
      "stamp": .text(write.stamp.hex), "time": .time(write.time), "value": RecordText.json(write.value),
    ]
    if write.commit == nil { json["local"] = true }
    return .object(json)
  }
}
