import CanonicalJSON

/// The alert thresholds of one provider: the built-in kind `alert`, which merges key by key.
///
/// A field that the payload lacks reads as its default; fields of other versions are kept.
public struct AlertConfigurationSyncRecord: SyncableRecord, Hashable {
  public let recordID: String
  public private(set) var payload: SyncPayload
  public let metadata: SyncMetadata

  public var recordType: String { "AlertConfiguration" }
  public var version: Int64 { metadata.version }
  public var modifiedAt: Timestamp? { metadata.modifiedAt }
  public var lastModifiedDeviceID: String? { metadata.lastModifiedDeviceID }

  /// A record as it was fetched.
  public init(recordID: String, payload: SyncPayload, metadata: SyncMetadata = SyncMetadata()) {
    self.recordID = recordID
    self.payload = payload
    self.metadata = metadata
  }

  public init(
    providerID: String, warningThreshold: Double? = nil, criticalThreshold: Double? = nil,
    notificationChannels: [String]? = nil, enabled: Bool? = nil
  ) {
    self.init(recordID: providerID, payload: [:])
    self.providerID = providerID
    if let warningThreshold { self.warningThreshold = warningThreshold }
    if let criticalThreshold { self.criticalThreshold = criticalThreshold }
    if let notificationChannels { self.notificationChannels = notificationChannels }
    if let enabled { self.enabled = enabled }
  }
}

// MARK: - Fields

extension AlertConfigurationSyncRecord {
  /// Required; the record's id too.
  public var providerID: String {
    get { payload["providerID"]?.textValue ?? recordID }
    set { payload["providerID"] = JSONValue.string(JSONString(newValue)) }
  }

  /// 0 to 1, not above the critical one.
  public var warningThreshold: Double {
    get { payload["warningThreshold"]?.doubleValue ?? 0.75 }
    set { payload["warningThreshold"] = (JSONValue.number(newValue) ?? .null) }
  }

  /// 0 to 1.
  public var criticalThreshold: Double {
    get { payload["criticalThreshold"]?.doubleValue ?? 0.9 }
    set { payload["criticalThreshold"] = (JSONValue.number(newValue) ?? .null) }
  }

  public var notificationChannels: [String] {
    get { payload["notificationChannels"]?.textsValue ?? ["system"] }
    set { payload["notificationChannels"] = JSONValue.array(newValue.map { .string(JSONString($0)) }) }
  }

  public var enabled: Bool {
    get { payload["enabled"]?.boolValue ?? true }
    set { payload["enabled"] = JSONValue.bool(newValue) }
  }
}
