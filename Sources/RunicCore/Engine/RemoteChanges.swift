import CanonicalJSON
import ObjectStore

/// A record that a merge changed.
public struct RemoteChange: Hashable, Sendable {
  /// As `SyncableRecord.recordType` says it.
  public let recordType: String
  /// The kind's own name.
  public let kind: String
  public let id: String
  /// The keys whose values changed; empty for a history, or where only a conflict came.
  public let keys: [String]
  /// The device that the shown value is from, and what people call it; nil where the record was deleted.
  public let device: String?
  public let deviceName: String?
  public let isDeleted: Bool
}

/// All that one merge brought.
public struct RemoteChanges: Hashable, Sendable {
  public let changes: [RemoteChange]
}

extension Repository {
  /// Does something that may merge, and compares what the records showed before with what they show now.
  ///
  /// - Parameter tell: is handed what was merged, all of it at once, also where `body` fails later on.
  func noting<Value>(
    _ tell: @Sendable (RemoteChanges) -> Void, during body: () throws -> Value
  ) throws -> Value {
    let before = try read { $0 }
    var merged: Set<RecordName> = []
    onMerge = { merged.insert($0) }
    let done = Result { try body() }
    onMerge = nil
    if !merged.isEmpty {
      let changes = try read { after in
        try merged.sorted().map { try RemoteChange($0, before: before.record($0), after: after.record($0)) }
      }
      tell(RemoteChanges(changes: changes))
    }
    return try done.get()
  }
}

extension RemoteChange {
  init(_ name: RecordName, before: RecordView?, after: RecordView?) throws {
    kind = name.kind
    recordType = KindRegistry.recordType(name.kind)
    id = String(decoding: name.id, as: UTF8.self)
    keys = name.family == .keys ? Self.changedKeys(before?.object ?? [:], after?.object ?? [:]) : []
    device = after?.device.hex
    deviceName = after?.deviceName
    isDeleted = before != nil && after == nil
  }

  private static func changedKeys(_ before: JSONObject, _ after: JSONObject) -> [String] {
    let keys = Set(before.map(\.key)).union(after.map(\.key))
    return keys.filter { before[$0] != after[$0] }.sorted().map(\.string)
  }
}
