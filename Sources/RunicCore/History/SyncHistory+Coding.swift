import CanonicalJSON
import ObjectStore

// {"conflicts":[{"id","key","kind","met","settled":{"device","time","way"}}],"format":1,
//  "statistics":{"duration","last","successful","total"},"syncs":[{…}]}

extension SyncHistory {
  var json: JSONObject {
    [
      "conflicts": .array(conflicts.map(\.json)), "format": 1,
      "statistics": [
        "duration": JSONValue.number(statistics.totalDuration) ?? 0,
        "last": statistics.lastSyncDate.map { .string(JSONString($0.text)) } ?? .null,
        "successful": .integer(Int64(statistics.successfulSyncs)),
        "total": .integer(Int64(statistics.totalSyncs)),
      ], "syncs": .array(syncs.map(\.json)),
    ]
  }

  /// What makes no sense is left out: this file may be lost.
  init?(json: JSONObject) {
    guard json["format"]?.intValue == 1, let counts = json["statistics"] else { return nil }
    statistics = SyncStatistics(
      totalSyncs: Int(clamping: counts["total"]?.intValue ?? 0),
      successfulSyncs: Int(clamping: counts["successful"]?.intValue ?? 0),
      totalDuration: counts["duration"]?.doubleValue ?? 0,
      lastSyncDate: counts["last"]?.textValue.flatMap { Timestamp($0) })
    syncs = (json["syncs"]?.arrayValue ?? []).compactMap(Sync.init(json:)).suffix(Self.limit)
    conflicts = (json["conflicts"]?.arrayValue ?? []).compactMap(MetConflict.init(json:)).suffix(Self.limit)
  }
}

extension SyncHistory.Sync {
  fileprivate var json: JSONValue {
    [
      "conflicts": .integer(Int64(conflicts)), "duration": JSONValue.number(duration) ?? 0,
      "failure": failure.map { .string(JSONString($0)) } ?? .null,
      "operation": .string(JSONString(operation)),
      "received": received.json, "remote": .string(JSONString(remote)), "retries": .integer(Int64(retries)),
      "sent": sent.json, "settled": .integer(Int64(settled)), "time": .integer(time),
    ]
  }

  fileprivate init?(json: JSONValue) {
    guard let time = json["time"]?.intValue, let remote = json["remote"]?.textValue,
      let operation = json["operation"]?.textValue, let duration = json["duration"]?.doubleValue
    else { return nil }
    self.init(time: time, remote: remote, operation: operation, duration: duration)
    sent = SyncHistory.Traffic(json: json["sent"])
    received = SyncHistory.Traffic(json: json["received"])
    retries = Int(clamping: json["retries"]?.intValue ?? 0)
    conflicts = Int(clamping: json["conflicts"]?.intValue ?? 0)
    settled = Int(clamping: json["settled"]?.intValue ?? 0)
    failure = json["failure"]?.textValue
  }
}

extension SyncHistory.Traffic {
  public var json: JSONValue {
    ["bytes": .integer(bytes), "changes": .integer(changes), "files": .integer(files)]
  }

  fileprivate init(json: JSONValue?) {
    self.init(
      changes: json?["changes"]?.intValue ?? 0, files: json?["files"]?.intValue ?? 0,
      bytes: json?["bytes"]?.intValue ?? 0)
  }
}

extension MetConflict {
  fileprivate var json: JSONValue {
    let settled = settlement.map { settled -> JSONValue in
      [
        "device": .string(JSONString(settled.deviceName)), "time": .integer(settled.time),
        "way": .string(JSONString(settled.way.rawValue)),
      ]
    }
    return [
      "id": .string(JSONString(utf8: place.record.id) ?? ""), "key": place.key.map(JSONValue.string) ?? .null,
      "kind": .string(JSONString(place.record.kind)), "met": .integer(met), "settled": settled ?? .null,
    ]
  }

  fileprivate init?(json: JSONValue) {
    guard let kind = json["kind"]?.textValue, let id = json["id"]?.stringValue,
      let met = json["met"]?.intValue
    else { return nil }
    let record = RecordName(family: .keys, kind: kind, id: id.utf8)
    self.init(place: ConflictPlace(record: record, key: json["key"]?.stringValue), met: met)
    guard let settled = json["settled"], !settled.isNull else { return }
    settlement = ConflictSettlement(
      way: settled["way"]?.textValue.flatMap(ConflictSettlement.Way.init(rawValue:)) ?? .edited,
      deviceName: settled["device"]?.textValue ?? "", time: settled["time"]?.intValue ?? 0)
  }
}

extension RepositoryLayout {
  /// What the last syncs did (`docs/watch.md`).
  public var history: String { "\(root)/history" }
}

extension Repository {
  /// What is known of the last syncs; nothing where the file is lost or broken.
  public func readHistory() -> SyncHistory {
    let json = try? files.readObject(layout.history)
    return json.flatMap { SyncHistory(json: $0) } ?? SyncHistory()
  }

  /// Changes the history; that it cannot be kept, as on a full disk, harms nothing. Of two processes that write
  /// at once, one is forgotten.
  @discardableResult
  func changeHistory(_ change: (inout SyncHistory) throws -> Void) rethrows -> SyncHistory {
    var history = readHistory()
    let before = history
    try change(&history)
    if history != before { try? files.writeLightly(history.json, to: layout.history) }
    return history
  }

  /// The history, brought up to what is open and settled by now. Its last sync may be one in which nothing moved,
  /// of which only the time is known.
  public func history() throws -> SyncHistory {
    var history = try read { snapshot in try changeHistory { try note(&$0, snapshot) } }
    let times = try configuration.remotes.flatMap { remote in
      try ["pull", "push"].compactMap { try lastSync(with: remote.name, $0) }
    }
    let known = history.statistics
    if let last = times.max().flatMap({ Timestamp(milliseconds: $0) }),
      known.lastSyncDate.map({ $0 < last }) ?? true
    {
      history.statistics = SyncStatistics(
        totalSyncs: known.totalSyncs, successfulSyncs: known.successfulSyncs,
        totalDuration: known.totalDuration, lastSyncDate: last)
    }
    return history
  }

  private func note(_ history: inout SyncHistory, _ snapshot: Snapshot) throws {
    let open = try snapshot.conflicts().map { ConflictPlace(record: $0.name, key: $0.key) }
    try history.note(open: open, now: environment.clock.now()) { try snapshot.settlement(of: $0) }
  }

  /// Notes a sync that has ended.
  func note(_ sync: SyncHistory.Sync) {
    _ = try? read { snapshot in
      try changeHistory { history in
        history.note(sync)
        try note(&history, snapshot)
      }
    }
  }
}
