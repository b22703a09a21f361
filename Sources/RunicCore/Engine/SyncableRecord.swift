import CanonicalJSON

/// The payload of a record: a JSON object.
public typealias SyncPayload = JSONObject
/// A value in a payload: JSON.
public typealias SyncValue = JSONValue

/// A record as an app holds it: a type, an id and a payload. A type of an app's own needs only these three.
///
/// `version`, `modifiedAt` and `lastModifiedDeviceID` come from the commits, never from a payload; a record that was
/// not fetched has none.
public protocol SyncableRecord: Sendable {
  /// 1 to 256 bytes. That of a history's record follows from its payload, and is empty until it was fetched.
  var recordID: String { get }
  /// `"UsageSnapshot"`, `"UserPreferences"`, `"AlertConfiguration"` for the built-in kinds, else the kind's name.
  var recordType: String { get }
  /// The whole payload. A key that was there when it was fetched and is gone is an edit too: it is removed.
  var payload: SyncPayload { get }
  /// Grows with every change that shows.
  var version: Int64 { get }
  var modifiedAt: Timestamp? { get }
  var lastModifiedDeviceID: String? { get }
}

extension SyncableRecord {
  public var version: Int64 { 0 }
  public var modifiedAt: Timestamp? { nil }
  public var lastModifiedDeviceID: String? { nil }
}

/// What the commits say of a record.
public struct SyncMetadata: Hashable, Sendable {
  public let version: Int64
  public let modifiedAt: Timestamp?
  public let lastModifiedDeviceID: String?

  public init(version: Int64 = 0, modifiedAt: Timestamp? = nil, lastModifiedDeviceID: String? = nil) {
    self.version = version
    self.modifiedAt = modifiedAt
    self.lastModifiedDeviceID = lastModifiedDeviceID
  }

  init(_ view: RecordView) {
    self.init(
      version: Int64(truncatingIfNeeded: view.stamp.rawValue & UInt64(Int64.max)),
      modifiedAt: Timestamp(milliseconds: view.time), lastModifiedDeviceID: view.device.hex)
  }
}

/// A record of any kind.
public struct SyncRecord: SyncableRecord, Hashable {
  public let recordID: String
  public let recordType: String
  public var payload: SyncPayload
  public let metadata: SyncMetadata

  public init(
    recordType: String, recordID: String, payload: SyncPayload, metadata: SyncMetadata = SyncMetadata()
  ) {
    self.recordType = recordType
    self.recordID = recordID
    self.payload = payload
    self.metadata = metadata
  }

  public var version: Int64 { metadata.version }
  public var modifiedAt: Timestamp? { metadata.modifiedAt }
  public var lastModifiedDeviceID: String? { metadata.lastModifiedDeviceID }
}

extension RecordView {
  /// The record as an app reads it.
  func syncable(payload: JSONObject? = nil) -> any SyncableRecord {
    let id = String(decoding: name.id, as: UTF8.self)
    let (payload, metadata) = (payload ?? object, SyncMetadata(self))
    return switch (name.kind, name.family) {
    case (BuiltInName.usage, .history):
      UsageSnapshotSyncRecord(recordID: id, payload: payload, metadata: metadata)
    case (BuiltInName.preferences, .keys):
      UserPreferencesSyncRecord(recordID: id, payload: payload, metadata: metadata)
    case (BuiltInName.alert, .keys):
      AlertConfigurationSyncRecord(recordID: id, payload: payload, metadata: metadata)
    default:
      SyncRecord(
        recordType: KindRegistry.recordType(name.kind), recordID: id, payload: payload, metadata: metadata)
    }
  }
}
