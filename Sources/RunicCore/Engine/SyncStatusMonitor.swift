import Synchronization

/// What an app shows of its syncs: whether one runs, how the last one went, whether the remote is there, what came.
///
/// It follows an engine from the moment it is made, and asks every half minute whether the remote is there: the
/// status turns to error when it goes, and back when it returns.
public final class SyncStatusMonitor: Sendable {
  public enum Status: Hashable, Sendable, CaseIterable {
    /// No sync was made yet, and nothing is wrong.
    case idle
    case syncing
    case success
    case error
  }

  private struct State {
    var status = Status.idle
    var lastSyncDate: Timestamp?
    var syncError: SyncError?
    var isRemoteAvailable: Bool?
    var remoteChangeCount = 0
    var lastRemoteChangeDate: Timestamp?
    var refreshVersion = 0
  }

  /// How often it asks for the remote, in milliseconds.
  package static let interval: Int64 = 30_000

  private let engine: FileSyncEngine
  private let clock: SyncClock
  private let state = Mutex(State())
  private let ends = Mutex<[@Sendable () -> Void]>([])

  public convenience init(syncEngine: FileSyncEngine) { self.init(syncEngine: syncEngine, clock: .system) }

  package init(syncEngine: FileSyncEngine, clock: SyncClock) {
    engine = syncEngine
    self.clock = clock
    let events = engine.events.listen { [weak self] in self?.note($0) }
    let changes = engine.remoteChanges.listen { [weak self] in self?.note($0) }
    let watch = Task { [weak self] in
      while !Task.isCancelled {
        _ = await self?.checkAvailability()
        do { try await clock.sleep(Self.interval) } catch { return }
        if self == nil { return }
      }
    }
    ends.withLock {
      $0 = [
        { syncEngine.events.remove(events) }, { syncEngine.remoteChanges.remove(changes) },
        { watch.cancel() },
      ]
    }
  }

  deinit {
    for end in ends.withLock({ $0 }) { end() }
  }

  // MARK: - Looking

  public var status: Status { state.withLock { $0.status } }
  /// When a sync last succeeded.
  public var lastSyncDate: Timestamp? { state.withLock { $0.lastSyncDate } }
  /// What is wrong; nil where nothing is.
  public var syncError: SyncError? { state.withLock { $0.syncError } }
  /// Whether the remote was there when it was last asked for; nil before that, and without a remote.
  public var isRemoteAvailable: Bool? { state.withLock { $0.isRemoteAvailable } }
  /// Merges that brought something since the monitor was made.
  public var remoteChangeCount: Int { state.withLock { $0.remoteChangeCount } }
  public var lastRemoteChangeDate: Timestamp? { state.withLock { $0.lastRemoteChangeDate } }
  /// Grows with every change of what the monitor shows, and with every change from elsewhere.
  public var refreshVersion: Int { state.withLock { $0.refreshVersion } }

  /// One line for people.
  public var statusDescription: String {
    let (status, error) = state.withLock { ($0.status, $0.syncError) }
    return switch status {
    case .idle: "Not synced yet"
    case .syncing: "Syncing"
    case .success: "Synced"
    case .error: error?.localizedDescription ?? "The last sync failed"
    }
  }

  /// Asks for the remote now.
  ///
  /// - Returns: whether it can be reached and is this repository; false without a remote.
  @discardableResult
  public func checkAvailability() async -> Bool {
    guard engine.hasRemote else { return false }
    let error = await engine.availabilityError()
    change { state in
      state.isRemoteAvailable = error == nil
      guard state.status != .syncing else { return }
      if let error {
        (state.status, state.syncError) = (.error, error)
      } else if state.status == .error, state.syncError?.concernsAvailability == true {
        (state.status, state.syncError) = (state.lastSyncDate == nil ? .idle : .success, nil)
      }
    }
    return error == nil
  }

  // MARK: - Following

  private func note(_ event: SyncEvent) {
    change { state in
      switch event {
      case .start: state.status = .syncing
      case .progress: break
      case .completion(let result):
        (state.status, state.syncError) = (.success, nil)
        state.lastSyncDate = result.completedAt
      case .failure(let error): (state.status, state.syncError) = (.error, error)
      }
    }
  }

  private func note(_ changes: RemoteChanges) {
    let now = Timestamp(milliseconds: clock.now())
    change { state in
      state.remoteChangeCount += 1
      state.lastRemoteChangeDate = now
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      let before = (state.status, state.syncError, state.isRemoteAvailable, state.remoteChangeCount)
      let date = state.lastSyncDate
      body(&state)
      let after = (state.status, state.syncError, state.isRemoteAvailable, state.remoteChangeCount)
      if before != after || date != state.lastSyncDate { state.refreshVersion += 1 }
    }
  }
}

extension SyncError {
  /// Whether it may be over once the remote can be reached.
  var concernsAvailability: Bool {
    switch self {
    case .remoteUnavailable, .networkUnavailable, .timeout: true
    default: false
    }
  }
}
