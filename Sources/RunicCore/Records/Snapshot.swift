import CanonicalJSON
import ObjectStore

/// The state of all records at one moment.
///
/// It stays as it was opened, whatever is written meanwhile.
public final class Snapshot {
  let index: Index
  let repository: Repository
  public let kinds: KindRegistry
  let local: LocalRecords

  init(index: Index, repository: Repository) throws {
    self.index = index
    self.repository = repository
    kinds = try index.kinds ?? Self.registry(index)
    if !index.hasPending { index.kinds = kinds }
    local = try LocalRecords(repository: repository)
  }

  private static func registry(_ index: Index) throws -> KindRegistry {
    var kinds = KindRegistry()
    try index.table.scan(prefix: IndexKey.kind(BuiltInName.kind, .keys)) { key, value in
      if let name = IndexKey.name(key),
        let payload = try KeyedState(decoding: Array(value)).payload,
        let object = try? JSONValue.parse(payload).objectValue
      {
        kinds.declare(name.id, object)
      }
      return true
    }
    return kinds
  }

  // MARK: - Records

  /// One record, local ones included; nil where it is not there, or deleted.
  public func record(_ name: RecordName) throws -> RecordView? {
    let stored = try storedRecord(name)
    return local.view(of: name, over: stored) ?? stored
  }

  /// One record as it is in the store, whatever local ones say.
  func storedRecord(_ name: RecordName) throws -> RecordView? {
    switch name.family {
    case .history: try index.history(name).map { view(name, $0) }
    case .keys: try index.keyed(name).flatMap { try view(name, $0) }
    }
  }

  /// What a kind's records show where they say nothing: this device's own defaults, never stored.
  public func defaults(of kind: String) -> JSONObject { repository.configuration.defaults[kind] ?? [:] }

  /// A record's payload with the defaults of its kind, as canonical JSON. Its fingerprint is that without them.
  public func payloadWithDefaults(_ record: RecordView) -> [UInt8] {
    var payload = repository.configuration.defaults(of: record.name)
    if payload.isEmpty { return record.payload }
    for (key, value) in record.object { payload[key] = value }
    return payload.canonicalBytes
  }

  /// Hands over every record of a kind, in the order of their ids; false ends the walk.
  public func forEachRecord(
    of kind: String, _ family: Family, _ body: (RecordView) throws -> Bool
  ) throws {
    let shadowed = local.names(of: kind, family)
    var goesOn = true
    try index.table.scan(prefix: IndexKey.kind(kind, family)) { key, value in
      guard let name = IndexKey.name(key), !shadowed.contains(name) else { return true }
      if let view = try view(name, encoded: value) { goesOn = try body(view) }
      return goesOn
    }
    for name in shadowed.sorted(by: { $0.id.lexicographicallyPrecedes($1.id) }) where goesOn {
      if let view = try record(name) { goesOn = try body(view) }
    }
  }

  /// The ids of a history's records that are retracted.
  public func retracted(_ kind: String) throws -> Set<[UInt8]> {
    var ids: Set<[UInt8]> = []
    try forEachRecord(of: kind, .keys) { record in
      if record.object["retracted"]?.boolValue == true { ids.insert(record.name.id) }
      return true
    }
    return ids
  }

  private func view(_ name: RecordName, encoded: UnsafeRawBufferPointer) throws -> RecordView? {
    let bytes = Array(encoded)
    switch name.family {
    case .history: return view(name, try HistoryState(decoding: bytes))
    case .keys: return try view(name, try KeyedState(decoding: bytes))
    }
  }

  func view(_ name: RecordName, _ state: HistoryState) -> RecordView {
    let added = state.added
    return RecordView(
      name: name, payload: Array(state.payload), device: added.writer.device,
      deviceName: self.name(of: added.writer), stamp: added.stamp, time: added.writer.time)
  }

  func view(_ name: RecordName, _ state: KeyedState) throws -> RecordView? {
    guard let payload = state.payload, let head = state.latestShownHead else { return nil }
    return RecordView(
      name: name, payload: payload, device: head.writer.device, deviceName: self.name(of: head.writer),
      stamp: head.stamp, time: head.writer.time)
  }

  // MARK: - Devices

  /// What people call a device: as its newest head says, else as it was called when its change was brought in.
  func name(of writer: Writer) -> String {
    if let log = index.logs[writer.device], !log.name.isEmpty { return log.name }
    if let name = writer.deviceName { return String(decoding: name, as: UTF8.self) }
    return name(of: writer.device)
  }

  /// What people call a device: this one's own name, else as its newest head says, else its id in hex.
  public func name(of device: DeviceID) -> String {
    if device == repository.deviceID { return repository.deviceName }
    guard let log = index.logs[device], !log.name.isEmpty else { return device.hex }
    return log.name
  }

  /// This device and all whose logs are known, by id.
  ///
  /// - Complexity: a lookup in the index for each.
  public func devices() throws -> [DeviceView] {
    var ids = Set(index.logs.keys)
    ids.insert(repository.deviceID)
    return try ids.sorted().map(view(of:))
  }

  private func view(of device: DeviceID) throws -> DeviceView {
    let log = index.logs[device]
    return DeviceView(
      id: device, name: name(of: device), platform: log?.platform ?? repository.identity.platform,
      commit: log?.newest, time: log?.headTime ?? 0, isOwn: repository.device.isOwn(device),
      isCurrent: device == repository.deviceID, isForked: log?.isForked ?? false,
      isRetired: try isRetired(device),
      farAhead: log?.farAhead)
  }

  /// Whether the user said that nothing more is to come of a device.
  func isRetired(_ device: DeviceID) throws -> Bool {
    let said = RecordName(family: .keys, kind: BuiltInName.device, id: Array(device.hex.utf8))
    return try record(said)?.object["retired"]?.boolValue == true
  }
}

extension KeyedState {
  /// The shown payload: the whole object overlaid by the keys, as canonical JSON; nil where nothing is shown.
  var payload: [UInt8]? { shown?.payload }
}

extension ShownRecord {
  /// Canonical JSON.
  var payload: [UInt8] {
    if registers.isEmpty, let whole { return whole }
    let members = members { whole in
      let object = (try? JSONValue.parse(whole))?.objectValue ?? [:]
      return object.map { (key: $0.key.utf8, value: $0.value.canonicalBytes) }
    }
    var bytes = [UInt8(ascii: "{")]
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      (JSONString(utf8: member.key) ?? "").write(into: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes += member.value
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}
