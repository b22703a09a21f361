import CanonicalJSON
import RunicCore

/// `runic get`.
let getCommand = Command(
  description: CommandDescription(
    "get", summary: "show a record, or one of its keys", group: .look,
    arguments: [
      Argument("KIND", .required, kind: .kind), Argument("ID", .optional, kind: .recordID),
      Argument("KEY", .optional, kind: .recordKey),
    ],
    flags: [Flag("--at", value: "COMMIT|TIME", kind: .commit, "in the state of the commits up to then")],
    exitStatus: [.busy, .noRepository],
    details: [
      "A key's value is printed bare: a string without its quotes, anything else as JSON.",
      "A day after --at is its beginning, in the zone that the variable TZ names, else in the machine's.",
    ],
    examples: [
      Example("runic get preferences user-preferences theme", "prints the theme"),
      Example("runic get alert claude --at 7d", "shows an alert as it was a week ago"),
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  try repository.read { snapshot in
    let named = try NamedRecord(try invocation.required(0), invocation.positional(1), in: snapshot)
    let record = try Get.record(named, at: invocation.flag("--at"), context, in: snapshot)
    let text = RecordText(snapshot: snapshot)
    text.warn(of: record, named.kind, on: context.output)
    let payload = (try JSONValue.parse(snapshot.payloadWithDefaults(record))).objectValue ?? [:]
    if let key = invocation.positional(2) {
      try Get.print(key, of: payload, named, on: context.output)
    } else if context.output.style.wantsJSON {
      context.output.write(text.json(record) + [UInt8(ascii: "\n")])
    } else {
      Get.print(payload, record, on: context.output)
    }
  }
  return .done
}

private enum Get {
  /// - Parameter moment: as typed; nil: now.
  static func record(
    _ named: NamedRecord, at moment: String?, _ context: Context, in snapshot: Snapshot
  ) throws -> RecordView {
    guard let moment else {
      guard let record = try snapshot.record(named.name) else { throw named.unknown(in: snapshot) }
      return record
    }
    guard let record = try snapshot.record(named.name, at: try snapshot.moment(moment, context)) else {
      throw try named.unknown(at: moment, in: snapshot)
    }
    return record
  }

  static func print(
    _ key: String, of payload: JSONObject, _ named: NamedRecord, on output: Output
  ) throws(CommandFailure) {
    guard let value = named.kind.withDefaults(payload)[JSONString(key)] else {
      let nearest = Suggestion.nearest(to: key, among: payload.map(\.key.string))
      throw .failed(
        "\(named.text) has no key '\(key)'", code: "unknown-key",
        hint: nearest.map { "did you mean '\($0)'?" } ?? "without a key, all of them are printed")
    }
    if output.style.wantsJSON {
      output.json(value)
    } else {
      // Bare, as scripts want it: whatever the value holds is data, not a message.
      output.line(RecordText.bare(value))
    }
  }

  static func print(_ payload: JSONObject, _ record: RecordView, on output: Output) {
    var table = TextTable([.init("", shrinks: true), .init("", shrinks: true)])
    for (key, value) in payload { table.add([key.string, RecordText.bare(value)]) }
    output.table(table)
    output.detail(
      "\(record.isLocal ? "local, " : "")by \(record.deviceName) at \(Timestamp.text(milliseconds: record.time)), fingerprint \(record.fingerprint.hex)"
    )
  }
}
