import CanonicalJSON
import ObjectStore
import RunicCore

/// What the repository holds.
extension LiveValues {
  func kinds(_ point: CompletionPoint) throws -> [Candidate] {
    try open(point).read { snapshot in
      snapshot.kinds.usable.map { Candidate($0.name, $0.family == .history ? "history" : "keys") }
    }
  }

  func recorded(_ kind: ValueKind, _ point: CompletionPoint) throws -> [Candidate] {
    let repository = try open(point)
    if kind == .keySlot { return try repository.slots().map { Candidate($0.id.hex, $0.added?.text ?? "") } }
    return try repository.read { snapshot in
      switch kind {
      case .recordID: try recordIDs(point, snapshot)
      case .recordKey: try keys(point, snapshot).map { Candidate($0.name, $0.value) }
      case .assignment: try assignments(point, snapshot)
      case .device: try devices(snapshot)
      case .commit: try commits(of: repository.deviceID, snapshot)
      default: try providers(snapshot)
      }
    }
  }

  // MARK: - Records

  /// The kind that the command line names: by an argument, or by the command's own second word.
  private func kind(_ point: CompletionPoint, _ snapshot: Snapshot) throws -> Kind? {
    let index = point.command?.arguments.firstIndex { $0.kind == .kind }
    if let index, point.positionals.indices.contains(index) {
      return try snapshot.kinds.kind(point.positionals[index])
    }
    guard let word = point.command?.name.last else { return nil }
    return try? snapshot.kinds.kind(word)
  }

  private func recordIDs(_ point: CompletionPoint, _ snapshot: Snapshot) throws -> [Candidate] {
    guard let kind = try kind(point, snapshot) else { return [] }
    let ids = try snapshot.ids(of: kind, beginningWith: Array(point.typed.utf8), limit: Self.limit)
    return ids.map { id in
      let short = RecordText.short(id)
      let whole = String(decoding: id, as: UTF8.self)
      return Candidate(short.utf8.count >= point.typed.utf8.count ? short : whole)
    }
  }

  /// The record that the command line names, or the one that its kind has by default.
  private func record(_ point: CompletionPoint, _ kind: Kind, _ snapshot: Snapshot) throws -> RecordView? {
    let index = point.command?.arguments.firstIndex { $0.kind == .recordID }
    let typed = index.flatMap { point.positionals.indices.contains($0) ? point.positionals[$0] : nil }
    guard let id = typed ?? point.flag("--id") ?? kind.defaultID else { return nil }
    let name = RecordName(
      family: kind.family, kind: kind.name, id: try snapshot.recordID(id, kind: kind))
    return try snapshot.record(name)
  }

  /// The fields that the kind knows, and those that the record has, with what they hold.
  private func keys(_ point: CompletionPoint, _ snapshot: Snapshot) throws -> [(name: String, value: String)]
  {
    guard let kind = try kind(point, snapshot) else { return [] }
    let payload = try record(point, kind, snapshot)?.object ?? [:]
    let known = kind.fields.map(\.name.string)
    let others = payload.map(\.key.string).filter { !known.contains($0) }
    return (known + others).sorted().map { name in
      (name, payload[JSONString(name)].map(RecordText.bare) ?? "")
    }
  }

  private func assignments(_ point: CompletionPoint, _ snapshot: Snapshot) throws -> [Candidate] {
    let keys = try keys(point, snapshot)
    let (name, value) = FlagSyntax.split(point.typed)
    if value == nil {
      let given = point.positionals.map { FlagSyntax.split($0).name }
      return keys.filter { !given.contains($0.name) }
        .map { Candidate("\($0.name)=", $0.value, isWhole: false) }
    }
    let field = try kind(point, snapshot)?.fields.first { $0.name.string == name }
    let values = field?.type == .bool ? ["false", "true"] : Self.known[name] ?? []
    let held = keys.first { $0.name == name }.map(\.value)
    return (values + [held ?? ""]).filter { !$0.isEmpty }.map { Candidate("\(name)=\($0)") }
  }

  /// The values of preferences that runic itself obeys.
  private static let known = ["displayFormat": ["compact", "full"], "theme": ["dark", "light"]]

  // MARK: - Devices, commits, providers

  private func devices(_ snapshot: Snapshot) throws -> [Candidate] {
    try snapshot.devices().map { Candidate($0.name, String($0.id.hex.prefix(RecordText.shortLength))) }
  }

  private func commits(of device: DeviceID, _ snapshot: Snapshot) throws -> [Candidate] {
    var found: [Candidate] = []
    try snapshot.forEachLogEntry(of: device) { entry in
      found.append(
        Candidate(
          RecordText.short(entry.commit.hash),
          "\(Timestamp.text(milliseconds: entry.time)), \(counted(entry.changes, "change"))"))
      return found.count < 20
    }
    return found
  }

  private func providers(_ snapshot: Snapshot) throws -> [Candidate] {
    var names = Importers.all.map(\.name) + ["anthropic", "openai"]
    let alerts = try snapshot.ids(of: .alert, beginningWith: [], limit: Self.limit)
    names += alerts.map { String(decoding: $0, as: UTF8.self) }
    names += try snapshot.preferences()["enabledProviders"]?.arrayValue?.compactMap(\.textValue) ?? []
    return Set(names).sorted().map { Candidate($0) }
  }
}
