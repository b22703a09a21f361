import RunicCore

/// Two devices of one user, in two folders, that share a third: `FollowMe FOLDER`.
@main
struct FollowMe {
  static func main() async {
    guard CommandLine.arguments.count == 2 else { return print("usage: FollowMe FOLDER") }
    do { try await run(in: CommandLine.arguments[1]) } catch { print("FollowMe: \(error)") }
  }

  static func run(in folder: String) async throws {
    let laptop = try Device("laptop", in: folder, isFirst: true)
    await laptop.record()
    let desktop = try Device("desktop", in: folder, isFirst: false)
    await desktop.show()
    await desktop.follow(laptop)
    await settleConflict(laptop, desktop)
    await runInTheBackground(desktop.engine)
    await laptop.forget("claude")
  }
}

/// What an app holds on one device.
struct Device {
  let name: String
  let engine: FileSyncEngine
  let settings: KeyValueSync

  init(_ name: String, in folder: String, isFirst: Bool) throws {
    let (repository, remote) = ("\(folder)/\(name)", "\(folder)/shared")
    if isFirst {
      try FileSyncEngine.create(
        repository: repository, name: name, remote: remote, passphrase: "correct horse")
    } else {
      try FileSyncEngine.clone(
        remote: remote, repository: repository, name: name, passphrase: "correct horse")
    }
    self.name = name
    engine = try FileSyncEngine(repository: repository)
    settings = try KeyValueSync(engine: engine)
    // Here only `sync()` moves anything, so that every run prints the same.
    settings.syncOnChange = false
  }

  /// Records offline; sends later.
  func record() async {
    let reading = UsageSnapshotSyncRecord(providerID: "claude", primaryUsed: 42, primaryLimit: 100)
    switch await engine.enqueue(reading) {
    case .success: print("\(name): recorded")
    case .failure(.invalidRecord(let what)): print("\(name): refused: \(what)")
    case .failure(let error): print("\(name): \(error.localizedDescription)")
    }
    await engine.enqueue(UserPreferencesSyncRecord(refreshInterval: 60, theme: "dark"), priority: .high)
    await engine.enqueue(AlertConfigurationSyncRecord(providerID: "claude", warningThreshold: 0.5))
    print("\(name): \(await engine.pendingOperationCount) changes wait")
    await say(engine.sync())
  }

  /// Reads what all devices recorded.
  func show() async {
    switch await engine.fetch(recordTypes: ["UsageSnapshot", "UserPreferences", "AlertConfiguration"]) {
    case .success(let records):
      for case let usage as UsageSnapshotSyncRecord in records {
        print("\(name): \(usage.providerID) used \(usage.primaryUsed) on \(usage.deviceName ?? "?")")
      }
      for case let preferences as UserPreferencesSyncRecord in records {
        print("\(name): every \(preferences.refreshInterval) s, \(preferences.theme)")
      }
      for case let alert as AlertConfigurationSyncRecord in records {
        print("\(name): warns at \(alert.warningThreshold), critical at \(alert.criticalThreshold)")
      }
    case .failure(let error): print("\(name): \(error.localizedDescription)")
    }
  }

  func say(_ result: Result<SyncResult, SyncError>) {
    switch result {
    case .success(let done): print("\(name): \(done.pushedCount) went, \(done.fetchedCount) came")
    case .failure(.networkUnavailable), .failure(.remoteUnavailable): print("\(name): later")
    case .failure(let error): print("\(name): \(error.localizedDescription)")
    }
  }

  /// Settings by key, and a stream of those that others changed.
  func follow(_ other: Device) async {
    do {
      await settings.register(defaults: ["ui.size": 12])
      await settings.monitor("ui.size", "ui.accent")
      var changes = settings.changedKeys.makeAsyncIterator()
      try await other.settings.set("green", forKey: "ui.accent")
      await other.settings.sync()
      await settings.sync()
      for key in await changes.next() ?? [] {
        print("\(name): \(key) is \(try await settings.value(forKey: key)?.textValue ?? "gone")")
      }
      let size = try await settings.value(forKey: "ui.size")?.intValue ?? 0
      print("\(name): ui.size is \(size), by default")
    } catch {
      print("\(name): \(error)")
    }
  }

  func forget(_ id: String) async {
    switch await engine.delete(recordIDs: [id]) {
    case .success(let ids): print("\(name): deleted \(ids.joined(separator: ", "))")
    case .failure(let error): print("\(name): \(error.localizedDescription)")
    }
    await say(engine.sync())
  }
}
