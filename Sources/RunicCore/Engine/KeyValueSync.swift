import CanonicalJSON
import ObjectStore
import Synchronization

/// Values by key that follow the user: each suite is a record that merges key by key.
///
/// This device has its own copy, which reads and writes are about. Keys that were written are uploaded; what others
/// write reaches only keys that are monitored. Dotted names are plain names. Registered defaults show through reads
/// and are stored nowhere.
public actor KeyValueSync {
  public nonisolated let suite: String
  private let engine: FileSyncEngine
  private let record: KeyValueRecord
  private var file: KeyValueFile?
  private var defaults: [String: SyncValue] = [:]
  public private(set) var monitoredKeys: Set<String> = []
  private nonisolated let changed = Broadcast<Set<String>>()
  private nonisolated let syncsOnChange = Mutex(true)
  private nonisolated let follower = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter suite: 1 to 256 bytes.
  /// - Throws: `RunicError.badID`.
  public init(engine: FileSyncEngine, suite: String = "default") throws {
    _ = try RecordGrammar.id(Array(suite.utf8))
    self.engine = engine
    self.suite = suite
    record = KeyValueRecord(suite: suite)
    let (changes, name) = (engine.changes, suite)
    let task = Task { [weak self] in
      for await merge in changes
      where merge.changes.contains(where: { $0.kind == KeyValueRecord.kind.name && $0.id == name }) {
        await self?.receiveByItself()
      }
    }
    follower.withLock { $0 = task }
  }

  deinit { follower.withLock { $0?.cancel() } }

  /// Whether a change here is sent soon after, and one from elsewhere shows as soon as it is merged. Off: only
  /// `sync()` moves anything.
  public nonisolated var syncOnChange: Bool {
    get { syncsOnChange.withLock { $0 } }
    set { syncsOnChange.withLock { $0 = newValue } }
  }

  /// The monitored keys that changes from elsewhere have changed here: one element for each time.
  public nonisolated var changedKeys: AsyncStream<Set<String>> { changed.stream() }

  // MARK: - Values

  /// What is here, else the registered default.
  ///
  /// - Throws: `SyncError`.
  public func value(forKey key: String) async throws -> SyncValue? {
    try await load().values[key] ?? defaults[key]
  }

  /// All that is here, without defaults.
  public func values() async throws -> [String: SyncValue] { try await load().values }

  /// Writes a value. It lasts when this returns.
  public func set(_ value: SyncValue, forKey key: String) async throws {
    try await change([key: value])
  }

  /// Removes a key, here and, with the next sync, elsewhere.
  public func removeValue(forKey key: String) async throws { try await change([key: nil]) }

  /// Values that reads show where a key has none. Never uploaded.
  public func register(defaults: [String: SyncValue]) { self.defaults.merge(defaults) { $1 } }

  private func change(_ edits: [String: SyncValue?]) async throws {
    _ = try await load()
    try await store { file in
      for (key, value) in edits where file.values[key] != value {
        file.values[key] = value
        file.edited.insert(key)
      }
    }
    guard syncOnChange else { return }
    try await upload(nil)
    await engine.requestSync(.normal)
  }

  // MARK: - Monitoring

  /// Lets changes from elsewhere reach some keys.
  public func monitor(_ keys: [String]) { monitoredKeys.formUnion(keys) }

  public func stopMonitoring(_ keys: [String]) { monitoredKeys.subtract(keys) }

  public func monitor(_ keys: String...) { monitor(keys) }

  public func stopMonitoring(_ keys: String...) { stopMonitoring(keys) }

  // MARK: - Sync

  /// Sends what was written here and brings in what others wrote, of all keys or some. What came is here when this
  /// returns: a read on the next line sees it. Where the remote is away what was written waits.
  @discardableResult
  public func sync(keys: [String]? = nil) async -> Result<SyncResult, SyncError> {
    let chosen = keys.map(Set.init)
    do {
      try await upload(chosen)
      let done = try await engine.sync(options: SyncOptions()).get()
      try await receive(chosen)
      return .success(done)
    } catch { return .failure(SyncError(error)) }
  }

  private func receiveByItself() async {
    guard syncOnChange else { return }
    try? await receive(nil)
  }

  private func upload(_ chosen: Set<String>?) async throws {
    let file = try await load()
    let keys = file.edited.filter { chosen?.contains($0) ?? true }
    if keys.isEmpty { return }
    let edits = Dictionary(uniqueKeysWithValues: keys.map { ($0, file.values[$0]) })
    let record = record
    try await engine.onRecords { try record.write(edits, in: $0) }
    // A key that was written again meanwhile stays an edit.
    try await store { now in
      for key in keys where now.values[key] == file.values[key] { now.edited.remove(key) }
    }
  }

  private func receive(_ chosen: Set<String>?) async throws {
    let keys = monitoredKeys.filter { chosen?.contains($0) ?? true }
    if keys.isEmpty { return }
    let record = record
    let (values, known) = try await engine.onRecords { try record.shown(in: $0) }
    _ = try await load()
    var came: Set<String> = []
    // An edit that is not uploaded yet is never overwritten, and a key of which the record knows nothing stays.
    try await store { file in
      for key in keys where known.contains(key) && !file.edited.contains(key) {
        let value = values[JSONString(key)]
        guard file.values[key] != value else { continue }
        file.values[key] = value
        came.insert(key)
      }
    }
    let seen = came
    if seen.isEmpty { return }
    try await engine.onRecords { try record.note(seen, in: $0) }
    changed.send(seen)
  }

  // MARK: - This device's copy

  private func load() async throws -> KeyValueFile {
    if let file { return file }
    let suite = suite
    let read = try await engine.onRecords { try $0.readKeyValues(suite) }
    // Another call may have read it, and changed it, meanwhile.
    if let file { return file }
    file = read
    return read
  }

  /// Changes the copy at once and makes it last. What waits behind this sees the change, and writes that come later
  /// are written later: the records' thread does one after another.
  private func store(_ change: (inout KeyValueFile) -> Void) async throws {
    guard var next = file else { return }
    change(&next)
    guard next != file else { return }
    file = next
    let (suite, written) = (suite, next)
    try await engine.onRecords { try $0.writeKeyValues(written, suite) }
  }
}

extension FileSyncEngine {
  /// Does something with the repository on the thread for records.
  nonisolated func onRecords<Value: Sendable>(
    _ body: @Sendable (Repository) throws -> Value
  ) async throws -> Value {
    do { return try await records.run(body) } catch { throw SyncError(error) }
  }
}
