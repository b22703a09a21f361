import CanonicalJSON

/// A quota reading: the built-in kind `usage`, a history. Its id follows from its payload.
///
/// A field that the payload lacks reads as its default; fields of other versions are kept.
public struct UsageSnapshotSyncRecord: SyncableRecord, Hashable {
  public let recordID: String
  public private(set) var payload: SyncPayload
  public let metadata: SyncMetadata

  public var recordType: String { "UsageSnapshot" }
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
    providerID: String, primaryUsed: Int64, primaryLimit: Int64? = nil,
    secondaryUsed: Int64? = nil, secondaryLimit: Int64? = nil, costUSD: Double? = nil,
    accountEmail: String? = nil, updatedAt: Timestamp? = nil, deviceName: String? = nil,
    platform: String? = nil
  ) {
    self.init(recordID: "", payload: [:])
    self.providerID = providerID
    self.primaryUsed = primaryUsed
    self.primaryLimit = primaryLimit
    self.secondaryUsed = secondaryUsed
    self.secondaryLimit = secondaryLimit
    self.costUSD = costUSD
    self.accountEmail = accountEmail
    self.updatedAt = updatedAt
    self.deviceName = deviceName
    self.platform = platform
  }
}

// MARK: - Fields

extension UsageSnapshotSyncRecord {
  /// Required.
  public var providerID: String {
    get { payload["providerID"]?.textValue ?? "" }
    set { payload["providerID"] = JSONValue.string(JSONString(newValue)) }
  }

  /// Required.
  public var primaryUsed: Int64 {
    get { payload["primaryUsed"]?.intValue ?? 0 }
    set { payload["primaryUsed"] = JSONValue.integer(newValue) }
  }

  public var primaryLimit: Int64? {
    get { payload["primaryLimit"]?.intValue }
    set { payload["primaryLimit"] = newValue.map { JSONValue.integer($0) } }
  }

  public var secondaryUsed: Int64? {
    get { payload["secondaryUsed"]?.intValue }
    set { payload["secondaryUsed"] = newValue.map { JSONValue.integer($0) } }
  }

  public var secondaryLimit: Int64? {
    get { payload["secondaryLimit"]?.intValue }
    set { payload["secondaryLimit"] = newValue.map { JSONValue.integer($0) } }
  }

  /// US dollars.
  public var costUSD: Double? {
    get { payload["costUSD"]?.doubleValue }
    set { payload["costUSD"] = newValue.map { JSONValue.number($0) ?? .null } }
  }

  public var accountEmail: String? {
    get { payload["accountEmail"]?.textValue }
    set { payload["accountEmail"] = newValue.map { JSONValue.string(JSONString($0)) } }
  }

  /// When it was read; filled in when it is recorded.
  public var updatedAt: Timestamp? {
    get { payload["updatedAt"]?.timeValue }
    set { payload["updatedAt"] = newValue.map { JSONValue.string(JSONString($0.text)) } }
  }

  /// Filled in when it is recorded.
  public var deviceName: String? {
    get { payload["deviceName"]?.textValue }
    set { payload["deviceName"] = newValue.map { JSONValue.string(JSONString($0)) } }
  }

  /// Filled in when it is recorded.
  public var platform: String? {
    get { payload["platform"]?.textValue }
    set { payload["platform"] = newValue.map { JSONValue.string(JSONString($0)) } }
  }
}
