import Foundation
import RunicCore
import RunicCoreDates

// The names, types and defaults that apps rest on, written as an app would write them: that this compiles is the
// test.

/// An engine of an app's own, for its tests.
final class StandIn: SyncEngine {
  func sync(options: SyncOptions) async -> Result<SyncResult, SyncError> { .success(SyncResult()) }
  func push(records: [any SyncableRecord]) async -> Result<[String], SyncError> {
    .success(records.map(\.recordID))
  }
  func fetch(recordTypes: [String]) async -> Result<[any SyncableRecord], SyncError> { .success([]) }
  func delete(recordIDs: [String]) async -> Result<[String], SyncError> { .success(recordIDs) }
  func resetSync() async -> Result<Void, SyncError> { .success(()) }
}

/// A record type of an app's own: three properties are enough.
struct Bookmark: SyncableRecord {
  var recordID: String
  var recordType: String { "bookmark" }
  var payload: SyncPayload { ["tags": ["a", "b"], "visits": 3] }
}

/// An observer may wait and throw.
actor Patient: SyncObserver {
  func syncDidStart() async throws {}
  func syncDidComplete(result: SyncResult) async throws {}
}

func words(_ error: SyncError) -> String {
  switch error {
  case .remoteUnavailable(let what), .networkUnavailable(let what), .quotaExceeded(let what),
    .wrongKey(let what), .damaged(let what), .busy(let what), .conflictResolutionFailed(let what),
    .invalidRecord(let what), .timeout(let what):
    what + error.localizedDescription
  }
}

func delay(_ priority: SyncPriority) -> Int {
  switch priority {
  case .low: 3
  case .normal: 2
  case .high: 1
  case .critical: 0
  }
}

func options(_ strategy: ConflictResolutionStrategy) -> SyncOptions {
  switch strategy {
  case .lastWriteWins: SyncOptions()
  case .preferLocal, .preferRemote, .manual, .merge: SyncOptions(conflictStrategy: strategy)
  }
}

func words(_ monitor: SyncStatusMonitor) -> String {
  let (date, error): (Timestamp?, SyncError?) = (monitor.lastSyncDate, monitor.syncError)
  let counts = [monitor.remoteChangeCount, monitor.refreshVersion]
  let seen: Date? = monitor.lastRemoteChangeDate?.date
  return switch monitor.status {
  case .idle, .syncing, .success:
    "\(monitor.statusDescription) \(counts) \(seen ?? .now) \(String(describing: date))"
  case .error: error.map(words) ?? ""
  }
}

/// Whatever setup throws is a `SyncError`.
func opened() -> String {
  guard FileSyncEngine.hasRepository(at: "/nowhere") || FileSyncEngine.hasRepository() else { return "none" }
  do {
    _ = try FileSyncEngine()
    try FileSyncEngine.create(repository: "/nowhere")
    try FileSyncEngine.clone(remote: "/share", repository: "/nowhere", passphrase: "correct horse")
    return "opened"
  } catch let error as SyncError { return words(error) } catch { return "another error" }
}

func engines() async throws {
  let engine = try FileSyncEngine()
  let named = try FileSyncEngine(repository: "/nowhere", remote: nil)
  let pushed: Result<[String], SyncError> = await engine.push(records: [Bookmark(recordID: "x")])
  let fetched: Result<[any SyncableRecord], SyncError> = await engine.fetch(recordTypes: ["bookmark"])
  let deleted: Result<[String], SyncError> = await engine.delete(recordIDs: ["x"])
  let reset: Result<Void, SyncError> = await engine.resetSync()
  let queued: Result<Void, SyncError> = await engine.enqueue(Bookmark(recordID: "x"), priority: .critical)
  let waiting: Int = await engine.pendingOperationCount
  print(pushed, fetched, deleted, reset, queued, waiting, await named.checkAvailability())
  engine.log { line in print(line) }
  let changes: AsyncStream<RemoteChanges> = engine.changes
  for await merge in changes {
    for change in merge.changes { print(change.kind, change.id, change.keys, change.device ?? "") }
  }
}

func conflicts(_ local: any SyncableRecord, _ remote: any SyncableRecord) async {
  let resolver = SyncConflictResolver()
  resolver.registerMergeHandler(for: "bookmark") { local, _ in local }
  resolver.registerMergeHandler(for: "bookmark") { local, remote, base in
    try await Task.sleep(for: .zero)
    return base ?? (local.version > remote.version ? local : remote)
  }
  let settled: any SyncableRecord = await resolver.resolve(local: local, remote: remote, strategy: .merge)
  let facts = (settled.version, settled.modifiedAt?.date, settled.lastModifiedDeviceID)
  print(facts, resolver.conflictStats.resolvedConflicts)
}

@MainActor
func background(_ engine: any SyncEngine) async {
  let manager = BackgroundSyncManager(syncEngine: engine, config: .default)
  let observer = Patient()
  manager.addObserver(observer)
  manager.start()
  manager.didBecomeActive()
  manager.didEnterBackground()
  manager.updateConfiguration(
    SyncConfiguration(activeSyncInterval: 60, syncOnForeground: false, syncOnBackground: true))
  print(await manager.syncNow(options: SyncOptions(conflictStrategy: .manual)))
  let statistics: SyncStatistics = manager.statistics
  let average: Double = statistics.averageDuration
  print(statistics.summary, statistics.successRate, statistics.totalSyncs, average)
  print(statistics.lastSyncDate?.date ?? .distantPast)
  manager.removeObserver(observer)
  manager.stop()
}

func keys(_ engine: FileSyncEngine) async throws {
  let store = try KeyValueSync(engine: engine, suite: "editor")
  await store.register(defaults: ["tab.width": 2, "theme": "dark", "rulers": [80, 110]])
  await store.monitor("tab.width")
  await store.stopMonitoring("tab.width")
  try await store.set(true, forKey: "wraps")
  try await store.removeValue(forKey: "wraps")
  let done: Result<SyncResult, SyncError> = await store.sync(keys: ["theme"])
  print(done, try await store.values(), await store.monitoredKeys)
  for await keys in store.changedKeys { print(keys.sorted()) }
}

func results(_ result: SyncResult) -> [String] {
  let counts: [Int] = [
    result.pushedCount, result.fetchedCount, result.conflictsResolved, result.deletedCount,
  ]
  let seconds: Double = result.duration
  return result.warnings + ["\(counts) \(seconds) \(result.completionDate ?? .now)"]
}

func defaults() -> [Double] {
  let config = SyncConfiguration.default
  return [config.activeSyncInterval, config.backgroundSyncInterval]
    + [config.syncOnForeground, config.syncOnBackground].map { $0 ? 1 : 0 }
}
