import CanonicalJSON

/// The user's preferences: the built-in kind `preferences`, which merges key by key.
///
/// A field that the payload lacks reads as its default; fields of other versions are kept.
public struct UserPreferencesSyncRecord: SyncableRecord, Hashable {
  public let recordID: String
  public private(set) var payload: SyncPayload
  public let metadata: SyncMetadata

  public var recordType: String { "UserPreferences" }
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
    recordID: String = "user-preferences", refreshInterval: Int64? = nil,
    enabledProviders: [String]? = nil, notificationsEnabled: Bool? = nil,
    autoRefreshEnabled: Bool? = nil, theme: String? = nil, displayFormat: String? = nil
  ) {
    self.init(recordID: recordID, payload: [:])
    if let refreshInterval { self.refreshInterval = refreshInterval }
    self.enabledProviders = enabledProviders
    if let notificationsEnabled { self.notificationsEnabled = notificationsEnabled }
    if let autoRefreshEnabled { self.autoRefreshEnabled = autoRefreshEnabled }
    if let theme { self.theme = theme }
    if let displayFormat { self.displayFormat = displayFormat }
  }
}

// MARK: - Fields

extension UserPreferencesSyncRecord {
  /// Seconds; 300 where nobody set it.
  public var refreshInterval: Int64 {
    get { payload["refreshInterval"]?.intValue ?? 300 }
    set { payload["refreshInterval"] = JSONValue.integer(newValue) }
  }

  /// Nil: all of them.
  public var enabledProviders: [String]? {
    get { payload["enabledProviders"]?.textsValue }
    set {
      payload["enabledProviders"] = newValue.map { list in .array(list.map { .string(JSONString($0)) }) }
    }
  }

  public var notificationsEnabled: Bool {
    get { payload["notificationsEnabled"]?.boolValue ?? true }
    set { payload["notificationsEnabled"] = JSONValue.bool(newValue) }
  }

  public var autoRefreshEnabled: Bool {
    get { payload["autoRefreshEnabled"]?.boolValue ?? true }
    set { payload["autoRefreshEnabled"] = JSONValue.bool(newValue) }
  }

  public var theme: String {
    get { payload["theme"]?.textValue ?? "system" }
    set { payload["theme"] = JSONValue.string(JSONString(newValue)) }
  }

  /// `compact` or `full`.
  public var displayFormat: String {
    get { payload["displayFormat"]?.textValue ?? "full" }
    set { payload["displayFormat"] = JSONValue.string(JSONString(newValue)) }
  }
}
