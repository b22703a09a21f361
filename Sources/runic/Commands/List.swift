import CanonicalJSON
import RunicCore

/// `runic list`.
let listCommand = Command(
  description: CommandDescription(
    "list", summary: "list the records of a kind", group: .look,
    arguments: [Argument("KIND", .required, kind: .kind)],
    flags: [
      Flag("--since", value: "T", kind: .time, "not before this time; a day counts from its beginning"),
      Flag("--until", value: "T", kind: .time, "before this time; a day counts to its end"),
      Flag(
        "--provider", value: "P", repeatable: true, kind: .provider,
        "of this provider, in either of its names"),
      Flag("--device", value: "D", repeatable: true, kind: .device, "recorded by this device"),
      Flag("--all", "the retracted ones too"),
    ], exitStatus: [.busy, .noRepository],
    details: [
      "In the order of their times, then of their ids. The time of a reading or a request is its own, that of "
        + "any other record the time of its recording, which --json shows as \"time\".",
      "Times are written like 2026-09-05, 2026-09-05T12:00:00Z, 24h, 7d or 2w. A day is one of the zone that the "
        + "variable TZ names, else of the machine's, as in 'runic report'.",
    ],
    examples: [Example("runic list usage --since 7d --provider claude", "lists a week's readings")])
) { invocation, context in
  let filter = try RecordFilter(invocation, context)
  let repository = try Session.open(invocation, context)
  try repository.read { snapshot in
    let kind = try snapshot.kinds.kind(try invocation.required(0))
    let list = try RecordList(of: kind, filter, in: snapshot)
    // A device that is only known from an import has no log, and is right where it has a record.
    if list.rows.isEmpty { for typed in invocation.values("--device") { _ = try snapshot.device(typed) } }
    list.print(context, in: snapshot)
  }
  return .done
}

/// What `list` leaves out.
private struct RecordFilter {
  let range: Range<Int64>
  /// As requests call them.
  let providers: Set<[UInt8]>
  let devices: [DeviceMatch]
  let includesRetracted: Bool

  init(_ invocation: Invocation, _ context: Context) throws {
    range = try invocation.timeRange(now: context.now(), in: context.zone)
    providers = Set(invocation.values("--provider").map { ProviderName.canonical(Array($0.utf8)) })
    devices = invocation.values("--device").map { DeviceMatch($0) }
    includesRetracted = invocation.isSet("--all")
  }

  func accepts(_ record: RecordView, at time: Int64) -> Bool {
    guard range.contains(time) else { return false }
    if !devices.isEmpty, !devices.contains(where: { $0.accepts(record.device, record.deviceName) }) {
      return false
    }
    if providers.isEmpty { return true }
    guard let provider = record.value(of: "providerID")?.stringValue?.utf8 else { return false }
    return providers.contains(ProviderName.canonical(provider))
  }
}

/// The records of a list, in order.
private struct RecordList {
  struct Row {
    let record: RecordView
    let time: Int64
    let isRetracted: Bool
  }

  let kind: Kind
  private(set) var rows: [Row] = []

  init(of kind: Kind, _ filter: RecordFilter, in snapshot: Snapshot) throws {
    self.kind = kind
    let retracted = kind.family == .history ? try snapshot.retracted(kind.name) : []
    try snapshot.forEachRecord(of: kind.name, kind.family) { record in
      let isRetracted = retracted.contains(record.name.id)
      if isRetracted, !filter.includesRetracted { return true }
      let time = record.ownTime(kind)
      if filter.accepts(record, at: time) {
        rows.append(Row(record: record, time: time, isRetracted: isRetracted))
      }
      return true
    }
    rows.sort { a, b in
      a.time != b.time ? a.time < b.time : a.record.name.id.lexicographicallyPrecedes(b.record.name.id)
    }
  }

  func print(_ context: Context, in snapshot: Snapshot) {
    let output = context.output
    let text = RecordText(snapshot: snapshot)
    if output.style.wantsJSON {
      for row in rows {
        output.write(text.json(row.record, isRetracted: row.isRetracted) + [UInt8(ascii: "\n")])
        if output.isBroken { return }
      }
    } else {
      var table = TextTable([
        .init("ID", shrinks: true), .init("TIME", isOptional: true), .init("DEVICE", shrinks: true),
        .init("PAYLOAD", shrinks: true),
      ])
      for row in rows {
        let marks = (row.isRetracted ? " (retracted)" : "") + (row.record.isLocal ? " (local)" : "")
        table.add([
          RecordText.short(row.record.name.id) + marks, context.time(row.time), row.record.deviceName,
          String(decoding: snapshot.payloadWithDefaults(row.record), as: UTF8.self),
        ])
      }
      if !rows.isEmpty { output.table(table) }
    }
    for row in rows { text.warn(of: row.record, kind, on: output) }
  }
}
