import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic resolve`.
let resolveCommand = Command(
  description: CommandDescription(
    "resolve", summary: "settle a conflict, here and everywhere", group: .settle,
    arguments: [
      Argument("KIND", .required, kind: .kind), Argument("ID", .required, kind: .recordID),
      Argument("KEY", .optional, kind: .recordKey),
    ],
    flags: [
      Flag("--ours", "what this device wrote"), Flag("--theirs", "what others wrote"),
      Flag("--device", value: "D", kind: .device, "what the device D wrote"),
      Flag("--value", value: "V", kind: .text, "a value of your own"),
      Flag("--keep", "keep the record, against a delete"), Flag("--delete", "delete it, against an edit"),
      Recording.ifFlag,
    ], exclusive: [["--ours", "--theirs", "--device", "--value", "--keep", "--delete"]],
    exitStatus: Recording.status,
    details: [
      "Without KEY, all conflicting keys of the record are settled in the same way. --keep and --delete settle "
        + "a delete that met an edit, and nothing else.",
      "There is no --ours on a device that wrote neither side: --device or --value takes one there.",
      "Where one device wrote both sides, as one that was cloned does, --theirs, or that device by its name, takes the "
        + "side that is not shown; --ours keeps what is shown, on that device alone, and --value anywhere.",
    ],
    examples: [
      Example("runic resolve preferences user-preferences theme --theirs", "takes the other device's theme"),
      Example("runic resolve alert claude --keep", "keeps an alert that another device deleted"),
    ])
) { invocation, context in
  let condition = try invocation.condition()
  let key = invocation.positional(2).map { JSONString($0) }
  if key != nil, let flag = ["--keep", "--delete"].first(where: invocation.isSet) {
    throw CommandFailure.usage(
      "resolve: \(flag) settles a record, not a key of it",
      hint: "leave the key out, or take one of --ours, --theirs, --device and --value")
  }
  let repository = try Session.open(invocation, context)
  let (record, count) = try repository.write { transaction in
    let snapshot = try transaction.current
    let record = try NamedRecord(try invocation.required(0), try invocation.required(1), in: snapshot)
    let resolution = try Resolving(invocation, record, key, snapshot).resolution
    let count = try transaction.resolve(
      kind: record.kind, id: record.id, key: key, as: resolution, if: condition)
    return (record, count)
  }
  var json = record.json.objectValue ?? [:]
  json["left"] = .count(count.left)
  json["settled"] = .count(count.settled)
  let part = "\(count.settled) of \(count.settled + count.left) keys of "
  context.output.result("settled \(count.left > 0 ? part : "")\(record.text)", .object(json))
  if count.left > 0 {
    context.output.note("runic: hint: 'runic conflicts' shows who wrote the others")
  }
  return .done
}

/// Reads how a conflict is to be settled.
private struct Resolving {
  let resolution: Resolution

  init(_ invocation: Invocation, _ record: NamedRecord, _ key: JSONString?, _ snapshot: Snapshot) throws {
    if let typed = invocation.flag("--device") {
      resolution = .device(try Self.device(typed, among: try snapshot.writers(of: record.name)))
    } else if let typed = invocation.flag("--value") {
      resolution = .value(try Self.value(typed, record.kind, key))
    } else if let plain = Self.plain.first(where: { invocation.isSet($0.flag) }) {
      resolution = plain.resolution
    } else {
      throw CommandFailure.usage(
        "resolve: it takes one of --ours, --theirs, --device, --value, --keep and --delete",
        hint: invocation.helpHint)
    }
  }

  private static let plain: [(flag: String, resolution: Resolution)] = [
    ("--ours", .ours), ("--theirs", .theirs), ("--keep", .keep), ("--delete", .delete),
  ]

  private static func value(_ typed: String, _ kind: Kind, _ key: JSONString?) throws -> JSONValue {
    if let key { return try kind.value(forField: key, typed: typed) }
    guard case .lastWriterWins = kind.rule else {
      throw CommandFailure.usage("resolve: --value needs a KEY", hint: "name the key after the id")
    }
    guard let whole = (try? JSONValue.parse(Array(typed.utf8)))?.objectValue else {
      throw CommandFailure.usage(
        "--value takes a JSON object for '\(kind.name)', whose records are set as a whole")
    }
    return .object(try kind.checked(whole))
  }

  /// The device among those that take part.
  private static func device(
    _ typed: String, among writers: [(device: DeviceID, name: String)]
  ) throws -> DeviceID {
    let match = DeviceMatch(typed)
    let found = Set(writers.filter { match.accepts($0.device, $0.name) }.map(\.device))
    guard let first = found.first else {
      throw RunicError.unknownDevice(typed, known: writers.map(\.name))
    }
    guard found.count == 1 else {
      throw RunicError.ambiguous(prefix: typed, candidates: found.map(\.hex).sorted())
    }
    return first
  }
}
