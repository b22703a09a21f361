import ObjectStore
import Synchronization

/// How an engine stands.
public enum SyncStatus: Hashable, Sendable {
  case idle
  case syncing
  case success
  case error(SyncError)
}

/// What an app shows of its syncs: kept up by the engine's events, and by a look at the remote now and then.
public final class SyncStatusMonitor: Sendable {
  private struct State {
    var status = SyncStatus.idle
    var lastSyncDate: Timestamp?
    var syncError: SyncError?
    var isRemoteAvailable: Bool?
    var remoteChangeCount = 0
    var lastRemoteChangeDate: Timestamp?
    var refreshVersion = 0
    var tasks: [Task<Void, Never>] = []
  }

  private let engine: FileSyncEngine
  private let clock: SyncClock
  private let state = Mutex(State())
  private let listener = MonitorListener()

  /// How often it looks whether the remote is there, in milliseconds.
  package static let lookInterval: Int64 = 30_000

  public convenience init(syncEngine: FileSyncEngine) { self.init(syncEngine: syncEngine, clock: .system) }

  package init(syncEngine: FileSyncEngine, clock: SyncClock) {
    engine = syncEngine
    self.clock = clock
    let changes = syncEngine.changes
    listener.monitor.withLock { $0 = WeakMonitor(monitor: self) }
    syncEngine.addObserver(listener)
    let follow = Task { [weak self] in
      for await change in changes { self?.note(change) }
    }
    let look = Task { [weak self] in
      while !Task.isCancelled {
        _ = await self?.checkAvailability()
        do { try await clock.sleep(Self.lookInterval) } catch { return }
      }
    }
    state.withLock { $0.tasks = [follow, look] }
  }

  deinit {
    engine.removeObserver(listener)
    for task in state.withLock({ $0.tasks }) { task.cancel() }
  }

  // MARK: - What it shows

  public var status: SyncStatus { state.withLock { $0.status } }
  /// When a sync last succeeded.
  public var lastSyncDate: Timestamp? { state.withLock { $0.lastSyncDate } }
  /// Why the last sync or look failed; nil once one went well.
  public var syncError: SyncError? { state.withLock { $0.syncError } }
  /// Whether the remote was there at the last look; nil before the first.
  public var isRemoteAvailable: Bool? { state.withLock { $0.isRemoteAvailable } }
  /// Merges that brought something.
  public var remoteChangeCount: Int { state.withLock { $0.remoteChangeCount } }
  public var lastRemoteChangeDate: Timestamp? { state.withLock { $0.lastRemoteChangeDate } }
  /// Grows with every change of what this monitor shows or of what the records hold through a merge.
  public var refreshVersion: Int { state.withLock { $0.refreshVersion } }

  /// One line for people.
  public var statusDescription: String {
    switch status {
    case .idle: "Idle"
    case .syncing: "Syncing"
    case .success: "Up to date"
    case .error(let error): error.localizedDescription
    }
  }

  /// Looks whether the remote can be reached now. Without a remote the answer is no, and no error.
  @discardableResult
  public func checkAvailability() async -> Bool {
    guard engine.remoteName != nil else { return false }
    let isThere = await engine.checkAvailability()
    update { state in
      let wasThere = state.isRemoteAvailable
      state.isRemoteAvailable = isThere
      if !isThere, wasThere != false || state.syncError == nil {
        let error = SyncError.remoteUnavailable(engine.remoteName ?? "")
        (state.status, state.syncError) = (.error(error), error)
      } else if isThere, wasThere == false, state.status != .syncing {
        (state.status, state.syncError) = (.idle, nil)
      }
    }
    return isThere
  }

  // MARK: - What it hears

  fileprivate func note(_ event: SyncEvent) {
    update { state in
      switch event {
      case .start: state.status = .syncing
      case .progress: break
      case .completion(let result):
        (state.status, state.syncError) = (.success, nil)
        state.lastSyncDate = result.completedAt
        state.isRemoteAvailable = engine.remoteName == nil ? nil : true
      case .failure(let error):
        (state.status, state.syncError) = (.error(error), error)
        switch error {
        case .remoteUnavailable, .networkUnavailable, .timeout: state.isRemoteAvailable = false
        default: break
        }
      }
    }
  }

  private func note(_ change: RemoteChanges) {
    let now = Timestamp(milliseconds: clock.now())
    state.withLock { state in
      state.remoteChangeCount += 1
      state.lastRemoteChangeDate = now
      state.refreshVersion += 1
    }
  }

  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      let before = (state.status, state.syncError, state.isRemoteAvailable, state.lastSyncDate)
      change(&state)
      if before != (state.status, state.syncError, state.isRemoteAvailable, state.lastSyncDate) {
        state.refreshVersion += 1
      }
    }
  }
}

private struct WeakMonitor: Sendable {
  weak let monitor: SyncStatusMonitor?
}

/// Stands between engine and monitor, so that the engine does not hold the monitor.
private final class MonitorListener: SyncObserver {
  let monitor = Mutex<WeakMonitor?>(nil)

  private func tell(_ event: SyncEvent) { monitor.withLock { $0?.monitor }?.note(event) }

  func syncDidStart() { tell(.start) }
  func syncDidProgress(current: Int, total: Int) {}
  func syncDidComplete(result: SyncResult) { tell(.completion(result)) }
  func syncDidFail(error: SyncError) { tell(.failure(error)) }
}
