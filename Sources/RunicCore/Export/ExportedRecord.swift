import ObjectStore

/// All that is known of one record, on its way from one repository to another (`docs/export.md`).
public enum ExportedRecord: Hashable, Sendable {
  case history(ExportedHistory)
  case keyed(ExportedKeyed)
}

/// A history's record: its winning payload and the earliest `add` of it.
public struct ExportedHistory: Hashable, Sendable {
  public let kind: String
  public let id: [UInt8]
  /// Canonical JSON.
  public let payload: ArraySlice<UInt8>
  public let rank: Rank
  public let stamp: Stamp
  /// Without a commit: the id alone tells whether the record is there.
  public let origin: Origin

  public init(
    kind: String, id: [UInt8], payload: ArraySlice<UInt8>, rank: Rank, stamp: Stamp, origin: Origin
  ) {
    self.kind = kind
    self.id = id
    self.payload = payload
    self.rank = rank
    self.stamp = stamp
    self.origin = origin
  }
}

/// A keyed record: every head of every register of every generation, and every delete that can still matter.
public struct ExportedKeyed: Hashable, Sendable {
  /// What one commit wrote and nothing replaced since.
  public struct Write: Hashable, Sendable {
    public let generation: Int64
    /// Canonical JSON; nil inside unsets.
    public let values: [RegisterKey: [UInt8]?]
    public let stamp: Stamp
    /// With the commit.
    public let origin: Origin
    public let isResolution: Bool
    public let isSettled: Bool
  }

  public struct Delete: Hashable, Sendable {
    public let generation: Int64
    public let stamp: Stamp
    /// With the commit.
    public let origin: Origin
    public let isSettled: Bool
  }

  public let kind: String
  public let id: [UInt8]
  /// By generation, stamp and commit.
  public let writes: [Write]
  /// By stamp and commit.
  public let deletes: [Delete]
  /// The stamp of a generation's latest write, where none of its writes that are left has it.
  public let latest: [Int64: Stamp]

  public init(kind: String, id: [UInt8], writes: [Write], deletes: [Delete], latest: [Int64: Stamp]) {
    self.kind = kind
    self.id = id
    self.writes = writes
    self.deletes = deletes
    self.latest = latest
  }
}
