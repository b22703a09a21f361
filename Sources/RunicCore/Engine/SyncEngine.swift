/// Something that keeps the records of an app in step with those of other devices. ``FileSyncEngine`` does it through
/// a folder; tests of an app may put a stand-in here.
public protocol SyncEngine: AnyObject, Sendable {
  /// Brings in what others recorded, then sends what they lack.
  func sync(options: SyncOptions) async -> Result<SyncResult, SyncError>
  /// Records whole payloads and sends them.
  ///
  /// - Returns: their ids, in their order. After a failure of the remote they are recorded all the same, and wait.
  func push(records: [any SyncableRecord]) async -> Result<[String], SyncError>
  /// Brings in what others recorded and reads all records of some types.
  func fetch(recordTypes: [String]) async -> Result<[any SyncableRecord], SyncError>
  /// Deletes keyed records.
  ///
  /// - Returns: the ids of those that were there.
  func delete(recordIDs: [String]) async -> Result<[String], SyncError>
  /// Makes anew what is derived from the records. Drops nothing that was not sent.
  func resetSync() async -> Result<Void, SyncError>
}

extension SyncEngine {
  /// A sync with the options that nobody changed.
  public func sync() async -> Result<SyncResult, SyncError> { await sync(options: SyncOptions()) }
}
