import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic log`.
let logCommand = Command(
  description: CommandDescription(
    "log", summary: "list commits, the latest first", group: .look,
    arguments: [Argument("KIND", .optional, kind: .kind), Argument("ID", .optional, kind: .recordID)],
    flags: [
      Flag("--graph", "draw a line for each device, and name the commits that each replaces"),
      Flag("--count", short: "-n", value: "N", kind: .number, "at most so many"),
    ], exitStatus: [.busy, .noRepository],
    details: ["With KIND and ID, only the commits that changed that record; with KIND alone, that kind's."],
    examples: [Example("runic log -n 10", "lists the latest commits of all devices")])
) { invocation, context in
  let limit = try invocation.integer("--count", in: 1...Int64(Int32.max)).map { Int($0) }
  let repository = try Session.open(invocation, context)
  let entries = try repository.read { snapshot in
    let entries = try LogEntries(snapshot, LogScope(invocation, snapshot), limit: limit).sorted
    if entries.isEmpty, let kind = invocation.positional(0), let id = invocation.positional(1) {
      let named = try NamedRecord(kind, id, in: snapshot)
      guard try snapshot.record(named.name)?.isLocal == true else { throw named.unknown(in: snapshot) }
      context.output.note(
        "\(named.text) is local: no commit has it until 'runic promote \(named.kind.name) \(id)'")
    }
    return entries
  }
  if context.output.style.wantsJSON {
    for entry in entries { context.output.json(entry.json) }
    return .done
  }
  let devices = entries.reduce(into: [DeviceID]()) { if !$0.contains($1.device) { $0.append($1.device) } }
  let graph = invocation.isSet("--graph") ? devices : []
  var table = TextTable([
    .init(graph.isEmpty ? "COMMIT" : "  COMMIT"), .init("TIME", isOptional: true),
    .init("DEVICE", shrinks: true), .init("CHANGES", shrinks: true),
    .init(graph.isEmpty ? "" : "REPLACES", shrinks: true),
  ])
  for entry in entries {
    let lines = graph.map { $0 == entry.device ? "*" : "|" }.joined(separator: " ")
    let commit = RecordText.short(entry.commit.hash)
    table.add([
      lines.isEmpty ? commit : "\(lines) \(commit)", context.time(entry.time), entry.deviceName, entry.text,
      graph.isEmpty ? "" : entry.replaced.map(RecordText.short).joined(separator: " "),
    ])
  }
  if !entries.isEmpty { context.output.table(table) }
  return .done
}

/// Which commits are listed.
private struct LogScope {
  private let kind: Kind?
  private let id: [UInt8]?

  init(_ invocation: Invocation, _ snapshot: Snapshot) throws {
    guard let typed = invocation.positional(0) else {
      (kind, id) = (nil, nil)
      return
    }
    let kind = try snapshot.kinds.kind(typed)
    self.kind = kind
    id = try invocation.positional(1).map { try snapshot.recordID($0, kind: kind) }
  }

  var isEverything: Bool { kind == nil }

  /// A retraction counts as a change of the record that it retracts.
  func accepts(_ name: RecordName) -> Bool {
    guard let kind else { return true }
    return name.kind == kind.name && (id == nil || name.id == id)
  }
}

/// A commit as `log` lists it.
private struct LogEntry {
  private static let shownRecords = 5

  let commit: CommitName
  let device: DeviceID
  let deviceName: String
  let stamp: Stamp
  let time: Int64
  private var changes = 0
  /// The commits of which a change replaces or settles a write.
  private var replaces: Set<Digest> = []
  private var records: [(kind: String, id: [UInt8])] = []

  /// Nil where the commit changed nothing in the scope.
  init?(_ logged: LoggedCommit, _ scope: LogScope, _ snapshot: Snapshot) throws {
    commit = logged.commit
    device = logged.device
    deviceName = snapshot.name(of: logged.device)
    stamp = logged.stamp
    time = logged.time
    try logged.forEachChange { change in
      guard scope.accepts(change.name) else { return }
      changes += 1
      replaces.formUnion(change.replaces)
      if records.count < Self.shownRecords { records.append((change.name.kind, change.name.id)) }
    }
    if changes == 0, !scope.isEverything { return nil }
  }

  var replaced: [Digest] { replaces.sorted { $0.hex < $1.hex } }

  var text: String {
    if changes == 0 { return "(nothing)" }
    let names = records.map { "\($0.kind) \(RecordText.short($0.id))" }.joined(separator: ", ")
    return changes > records.count ? "\(names) and \(changes - records.count) more" : names
  }

  var json: JSONValue {
    [
      "changeCount": .count(changes), "commit": .text(commit.hash.hex), "device": .text(device.hex),
      "deviceName": .text(deviceName),
      "records": .array(records.map { ["id": RecordText.id($0.id), "kind": .text($0.kind)] }),
      "replaces": .texts(replaced.map(\.hex)), "sequence": .integer(commit.sequence),
      "stamp": .text(stamp.hex), "time": .time(time),
    ]
  }
}

/// The latest commits; older ones than wanted are dropped as they come.
private struct LogEntries {
  private(set) var sorted: [LogEntry] = []

  init(_ snapshot: Snapshot, _ scope: LogScope, limit: Int?) throws {
    try snapshot.forEachCommit { logged in
      if let entry = try LogEntry(logged, scope, snapshot) { sorted.append(entry) }
      if let limit, sorted.count >= 2 * limit + 1000 { keepLatest(limit) }
      return true
    }
    keepLatest(limit ?? sorted.count)
  }

  private mutating func keepLatest(_ limit: Int) {
    sorted.sort { a, b in
      a.stamp != b.stamp
        ? a.stamp > b.stamp : (a.device, -a.commit.sequence) < (b.device, -b.commit.sequence)
    }
    if sorted.count > limit { sorted.removeSubrange(limit...) }
  }
}

extension Change {
  /// The commits whose writes it lists: those that it replaces, and those that it settles.
  fileprivate var replaces: [Digest] {
    switch self {
    case .add: []
    case .set(let write): write.writes.values.flatMap(\.replaces) + write.settles
    case .delete(let delete): delete.settles
    }
  }
}
