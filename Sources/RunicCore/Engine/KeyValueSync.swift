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
  private var known: KnownKeyValues?
  /// What was last told of keys that came from elsewhere.
  private var told: [String: SyncValue?] = [:]
  private var defaults: [String: SyncValue] = [:]
  public private(set) var monitoredKeys: Set<String> = []
  private nonisolated let changed = Broadcast<Set<String>>()
  private nonisolated let syncsOnChange = Mutex(true)
  private nonisolated let follower = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter suite: 1 to 256 bytes.
  /// - Throws: `SyncError.invalidRecord` for another name.
  public init(engine: FileSyncEngine, suite: String = "default") throws {
    _ = try SyncError.of { try RecordGrammar.id(Array(suite.utf8)) }
    self.engine = engine
    self.suite = suite
    record = KeyValueRecord(suite: suite)
    let (changes, name) = (engine.changes, suite)
    let task = Task { [weak self] in
      for await merge in changes {
        for change in merge.changes where change.kind == KeyValueRecord.kind.name && change.id == name {
          await self?.receiveByItself(Set(change.keys))
        }
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
  ///
  /// - Throws: `SyncError.invalidRecord` for one that no record could hold, of about a megabyte or of arrays and
  ///   objects too deep in one another, and where the suite would come to 16 MiB.
  public func set(_ value: SyncValue, forKey key: String) async throws {
    try await change([key: value])
  }

  /// Removes a key, here and, with the next sync, elsewhere.
  public func removeValue(forKey key: String) async throws { try await change([key: nil]) }

  /// Values that reads show where a key has none. Never uploaded.
  public func register(defaults: [String: SyncValue]) { self.defaults.merge(defaults) { $1 } }

  private func change(_ edits: [String: SyncValue?]) async throws {
    for case (let key, let value?) in edits {
      _ = try SyncError.of { try KeyValueRecord.requireRoom(for: value, key: key) }
    }
    try await change { file in
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

  /// - Parameter merged: the keys that a merge changed.
  private func receiveByItself(_ merged: Set<String>) async {
    guard syncOnChange else { return }
    try? await receive(nil, merged)
  }

  private func upload(_ chosen: Set<String>?) async throws {
    let file = try await load()
    let keys = file.edited.filter { chosen?.contains($0) ?? true }
    if keys.isEmpty { return }
    let edits = Dictionary(uniqueKeysWithValues: keys.map { ($0, file.values[$0]) })
    let record = record
    try await engine.onRecords { try record.write(edits, in: $0) }
    // A key that was written again meanwhile stays an edit.
    try await change { now in
      for key in keys where now.values[key] == file.values[key] { now.edited.remove(key) }
    }
  }

  private func receive(_ chosen: Set<String>?, _ merged: Set<String> = []) async throws {
    let keys = monitoredKeys.filter { chosen?.contains($0) ?? true }
    if keys.isEmpty { return }
    let (suite, record) = (suite, record)
    let (came, values) = try await engine.onRecords { repository in
      let taken = try repository.takeKeyValues(keys, from: record, into: suite)
      if !taken.came.isEmpty { try record.note(taken.came, in: repository) }
      return taken
    }
    // Where another object of this suite was faster the change shows here all the same.
    let news = came.union(merged).intersection(values.keys).filter { key in
      if came.contains(key) { return true }
      guard let before = told[key] else { return true }
      return before != values[key] ?? nil
    }
    for key in news { told[key] = .some(values[key] ?? nil) }
    if !news.isEmpty { changed.send(news) }
  }

  // MARK: - This device's copy

  /// The file is everybody's who has this suite open, in this process or another: it is looked at each time.
  private func load() async throws -> KeyValueFile {
    let (suite, before) = (suite, known)
    let now = try await engine.onRecords { try $0.readKeyValues(suite, known: before) }
    known = now
    return now.file
  }

  /// Changes the copy, and makes that last.
  private func change(_ change: @Sendable (inout KeyValueFile) -> Void) async throws {
    let suite = suite
    try await engine.onRecords { try $0.changeKeyValues(suite, change) }
  }
}

extension KeyValueFile {
  /// Takes over what a record shows of some keys. An edit that is not uploaded yet is never overwritten, and a key of
  /// which the record knows nothing stays.
  ///
  /// - Returns: the keys that this changed, and what all keys hold that are as the record shows them.
  mutating func take(
    _ keys: Set<String>, from record: KeyValueRecord.Shown
  ) -> (came: Set<String>, values: [String: SyncValue?]) {
    var came: Set<String> = []
    var shown: [String: SyncValue?] = [:]
    for key in keys where record.known.contains(key) && !edited.contains(key) {
      let value = record.values[JSONString(key)]
      shown[key] = .some(value)
      if self.values[key] == value { continue }
      self.values[key] = value
      came.insert(key)
    }
    return (came, shown)
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
