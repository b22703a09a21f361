import RunicCore

/// Both change one key without knowing of each other; a handler adds up what both did.
func settleConflict(_ one: Device, _ other: Device) async {
  other.engine.conflictResolver.registerMergeHandler(for: "UserPreferences") { local, remote, base in
    guard var merged = local as? UserPreferencesSyncRecord,
      let remote = remote as? UserPreferencesSyncRecord, let base = base as? UserPreferencesSyncRecord
    else { return local }
    merged.refreshInterval += remote.refreshInterval - base.refreshInterval
    return merged
  }
  for (device, change) in [(one, 30 as Int64), (other, 5)] {
    guard case .success(let records) = await device.engine.read(recordTypes: ["UserPreferences"]),
      var mine = records.first as? UserPreferencesSyncRecord
    else { return }
    mine.refreshInterval += change
    await device.engine.enqueue(mine)
  }
  await one.say(one.engine.sync())
  switch await other.engine.sync(options: SyncOptions(conflictStrategy: .merge)) {
  case .success(let done): print("\(other.name): \(done.conflictsResolved) conflict settled")
  case .failure(let error): print("\(other.name): \(error.localizedDescription)")
  }
  await other.show()
}

/// Prints how syncs go.
final class Narrator: SyncObserver {
  /// An element for each sync that ended. An observer hears of it on a thread of its own, soon after.
  let ends = AsyncStream<Void>.makeStream()

  func syncDidStart() { print("observer: start") }
  func syncDidProgress(current: Int, total: Int) { print("observer: \(current) of \(total)") }
  func syncDidComplete(result: SyncResult) {
    print("observer: done")
    ends.continuation.yield()
  }
  func syncDidFail(error: SyncError) { print("observer: \(error.localizedDescription)") }
}

/// Syncs by itself, as an app does it between its start and its end.
func runInTheBackground(_ engine: FileSyncEngine) async {
  let manager = BackgroundSyncManager(syncEngine: engine)
  let monitor = SyncStatusMonitor(syncEngine: engine)
  let narrator = Narrator()
  manager.addObserver(narrator)
  switch await manager.syncNow() {
  case .success: print("manager: \(manager.statistics.totalSyncs) sync, \(manager.statistics.successRate) %")
  case .failure(let error): print("manager: \(error.localizedDescription)")
  }
  for await _ in narrator.ends.stream { break }
  print("monitor: \(monitor.statusDescription), remote there: \(await monitor.checkAvailability())")
}
