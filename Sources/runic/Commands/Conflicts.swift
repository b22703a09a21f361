import CanonicalJSON
import RunicCore

/// `runic conflicts`.
let conflictsCommand = Command(
  description: CommandDescription(
    "conflicts", summary: "list what devices wrote without knowing of each other", group: .settle,
    exitStatus: [.busy, .noRepository],
    details: [
      "What is shown stands until an edit or 'runic resolve' settles it. Where a delete and an edit meet, no key "
        + "is named."
    ],
    examples: [Example("runic conflicts", "lists all open conflicts")])
) { invocation, context in
  let conflicts = try Session.open(invocation, context).read { try $0.conflicts() }
  if context.output.style.wantsJSON {
    for conflict in conflicts { context.output.json(ConflictText.json(conflict)) }
    return .done
  }
  if conflicts.isEmpty {
    context.output.note("no conflicts")
    return .done
  }
  var table = TextTable([
    .init("RECORD", shrinks: true), .init("KEY", shrinks: true), .init("SHOWN", shrinks: true),
    .init("OTHER", shrinks: true), .init("DEVICE", shrinks: true), .init("TIME", isOptional: true),
  ])
  for conflict in conflicts {
    for other in conflict.others {
      table.add([
        "\(conflict.name.kind) \(RecordText.short(conflict.name.id))", conflict.key?.string ?? "",
        RecordText.text(conflict.shown, absent: conflict.concernsDelete ? "(deleted)" : "(unset)"),
        RecordText.text(other.value, absent: conflict.concernsDelete ? "(deleted)" : "(unset)"),
        other.deviceName, context.time(other.time),
      ])
    }
  }
  context.output.table(table)
  context.output.note(
    "runic: hint: settle one with 'runic resolve KIND ID [KEY] --ours|--theirs|--device D|--value V' "
      + "(--ours where this device wrote a side), a delete with --keep or --delete")
  return .done
}

/// Conflicts in the form in which commands print them.
enum ConflictText {
  static func json(_ conflict: RecordConflict) -> JSONValue {
    [
      "id": RecordText.id(conflict.name.id), "key": conflict.key.map(JSONValue.string) ?? .null,
      "kind": .text(conflict.name.kind),
      "others": .array(
        conflict.others.map { other in
          [
            "deleted": .bool(other.isDelete), "device": .text(other.device.hex),
            "deviceName": .text(other.deviceName), "time": .time(other.time),
            "value": RecordText.json(other.value),
          ]
        }), "shown": RecordText.json(conflict.shown), "shownDeleted": .bool(conflict.shown == nil),
    ]
  }
}
