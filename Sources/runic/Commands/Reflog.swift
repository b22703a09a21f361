import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic reflog [DEVICE]`.
let reflogCommand = Command(
  description: CommandDescription(
    "reflog", summary: "show a device's heads and commits", group: .look,
    arguments: [Argument("DEVICE", .optional, kind: .device)],
    flags: [Flag("--count", short: "-n", value: "N", kind: .number, "at most N commits")],
    exitStatus: [.busy, .noRepository],
    details: [
      "Without a name, shows this device's, newest first. A log that forked is shown branch by branch."
    ],
    examples: [
      Example("runic reflog", "lists what this device wrote, newest first"),
      Example("runic reflog laptop -n 5", "the newest five commits of another device"),
    ])
) { invocation, context in
  let limit = try invocation.integer("--count", in: 1...Int64.max) ?? .max
  let repository = try Session.open(invocation, context)
  let output = context.output
  var table = TextTable([
    .init("", .right), .init("COMMIT", shrinks: true), .init("TIME"), .init("CHANGES", .right),
    .init("HEAD", isOptional: true),
  ])
  try repository.read { snapshot in
    let device = try invocation.positional(0).map { try snapshot.device($0).id } ?? repository.deviceID
    let name = snapshot.name(of: device)
    var shown: Int64 = 0
    try snapshot.forEachLogEntry(of: device) { entry in
      if output.style.wantsJSON { output.json(json(entry, name)) } else { table.add(cells(entry, context)) }
      shown += 1
      return shown < limit && !output.isBroken
    }
  }
  if output.style.wantsJSON { return .done }
  if table.rows.isEmpty { output.note("no commits here") } else { output.table(table) }
  return .done
}

private func json(_ entry: LogEntry, _ name: String) -> JSONValue {
  [
    "changes": .count(entry.changes), "commit": .text(entry.commit.hash.hex),
    "device": .text(entry.device.hex), "deviceName": .text(name),
    "heads": .texts(entry.heads.map { TreeName.head($0).name }),
    "sequence": .integer(entry.commit.sequence), "stamp": .text(entry.stamp.hex), "time": .time(entry.time),
  ]
}

private func cells(_ entry: LogEntry, _ context: Context) -> [String] {
  [
    "\(entry.commit.sequence)", String(entry.commit.hash.hex.prefix(12)), context.time(entry.time),
    "\(entry.changes)", entry.heads.map { String($0.digest.hex.prefix(12)) }.joined(separator: " "),
  ]
}
