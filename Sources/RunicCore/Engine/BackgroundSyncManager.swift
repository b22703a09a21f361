import ObjectStore
import Synchronization

/// Syncs at intervals while an app runs, sooner when it comes to the front or leaves it, and counts how it went.
public final class BackgroundSyncManager: Sendable {
  private struct State {
    var configuration: SyncConfiguration
    var statistics = SyncStatistics()
    var isActive = true
    var loop: Task<Void, Never>?
    /// The second look after becoming active.
    var secondLook: Task<Void, Never>?
    /// Merges that brought something, so far.
    var remoteChanges: UInt64 = 0
  }

  private let engine: any SyncEngine
  private let clock: SyncClock
  private let observers = ObserverList()
  private let state: Mutex<State>
  private let changes: Mutex<Task<Void, Never>?>

  /// How long after becoming active it reads again where no remote change has come, in milliseconds.
  package static let secondLookDelay: Int64 = 8000

  public convenience init(syncEngine: any SyncEngine, config: SyncConfiguration = .default) {
    self.init(syncEngine: syncEngine, config: config, clock: .system)
  }

  package init(syncEngine: any SyncEngine, config: SyncConfiguration, clock: SyncClock) {
    engine = syncEngine
    self.clock = clock
    state = Mutex(State(configuration: config))
    changes = Mutex(nil)
    guard let stream = (syncEngine as? FileSyncEngine)?.changes else { return }
    let task = Task { [weak self] in
      for await _ in stream { self?.state.withLock { $0.remoteChanges &+= 1 } }
    }
    changes.withLock { $0 = task }
  }

  deinit {
    changes.withLock { $0?.cancel() }
    state.withLock { state in
      state.loop?.cancel()
      state.secondLook?.cancel()
    }
  }

  /// The syncs that this manager ran.
  public var statistics: SyncStatistics { state.withLock { $0.statistics } }

  /// The manager holds an observer until it is removed.
  public func addObserver(_ observer: any SyncObserver) { observers.add(observer) }

  public func removeObserver(_ observer: any SyncObserver) { observers.remove(observer) }

  // MARK: - Intervals

  /// Begins to sync at intervals, at once the first time. Does nothing where it has begun.
  public func start() {
    state.withLock { state in
      if state.loop == nil { state.loop = loop(syncsAtOnce: true) }
    }
  }

  /// Ends it. A sync that runs goes on to its end.
  public func stop() {
    state.withLock { state in
      state.loop?.cancel()
      state.secondLook?.cancel()
      (state.loop, state.secondLook) = (nil, nil)
    }
  }

  /// The next interval is counted anew, by the new configuration.
  public func updateConfiguration(_ configuration: SyncConfiguration) {
    state.withLock { state in
      state.configuration = configuration
      restart(&state, syncsAtOnce: false)
    }
  }

  private func restart(_ state: inout State, syncsAtOnce: Bool) {
    guard state.loop != nil else { return }
    state.loop?.cancel()
    state.loop = loop(syncsAtOnce: syncsAtOnce)
  }

  private func loop(syncsAtOnce: Bool) -> Task<Void, Never> {
    let clock = clock
    return Task { [weak self] in
      if syncsAtOnce { await self?.syncByItself() }
      while !Task.isCancelled {
        guard let pause = self?.interval else { return }
        do { try await clock.sleep(pause) } catch { return }
        if Task.isCancelled { return }
        await self?.syncByItself()
      }
    }
  }

  private var interval: Int64 {
    state.withLock { $0.configuration.interval(isActive: $0.isActive) }
  }

  private func syncByItself() async { _ = await syncNow() }

  // MARK: - Front and back

  /// The app came to the front: the active interval holds, and a sync runs where the configuration says so. Eight
  /// seconds later it looks once more if no remote change has come since: folders that sync tools carry are late.
  public func didBecomeActive() {
    state.withLock { state in
      state.isActive = true
      restart(&state, syncsAtOnce: state.configuration.syncOnForeground)
      if state.loop == nil, state.configuration.syncOnForeground { syncSoon() }
      state.secondLook?.cancel()
      let (clock, seen) = (clock, state.remoteChanges)
      state.secondLook = Task { [weak self] in
        do { try await clock.sleep(Self.secondLookDelay) } catch { return }
        guard !Task.isCancelled, let self, self.state.withLock({ $0.remoteChanges }) == seen else { return }
        _ = await self.syncNow()
      }
    }
  }

  /// The app left the front: the background interval holds, the second look is off, and a sync runs where the
  /// configuration says so.
  public func didEnterBackground() {
    state.withLock { state in
      state.isActive = false
      state.secondLook?.cancel()
      state.secondLook = nil
      restart(&state, syncsAtOnce: state.configuration.syncOnBackground)
      if state.loop == nil, state.configuration.syncOnBackground { syncSoon() }
    }
  }

  private func syncSoon() {
    Task { [weak self] in _ = await self?.syncNow() }
  }

  // MARK: - One sync

  /// Syncs now, whatever the interval says.
  @discardableResult
  public func syncNow(options: SyncOptions? = nil) async -> Result<SyncResult, SyncError> {
    observers.tell(.start)
    let relay = ProgressRelay(observers)
    (engine as? FileSyncEngine)?.addObserver(relay)
    let begin = clock.now()
    let result = await engine.sync(options: options ?? SyncOptions())
    await (engine as? FileSyncEngine)?.removeAfterDelivery(relay)
    note(result, begin: begin, end: clock.now())
    return result
  }

  private func note(_ result: Result<SyncResult, SyncError>, begin: Int64, end: Int64) {
    let succeeded = if case .success = result { true } else { false }
    state.withLock { state in
      if let time = Timestamp(milliseconds: end) {
        state.statistics = state.statistics.recording(
          succeeded: succeeded, duration: Double(max(0, end - begin)) / 1000, at: time)
      }
      // Another engine than this library's has no stream of changes.
      if !(engine is FileSyncEngine), case .success(let done) = result, done.fetchedCount > 0 {
        state.remoteChanges &+= 1
      }
    }
    switch result {
    case .success(let done): observers.tell(.completion(done))
    case .failure(let error): observers.tell(.failure(error))
    }
  }
}

/// Passes the steps of an engine's sync on to the observers of a manager.
private final class ProgressRelay: SyncObserver {
  private let observers: ObserverList

  init(_ observers: ObserverList) { self.observers = observers }

  func syncDidProgress(current: Int, total: Int) {
    observers.tell(.progress(current: current, total: total))
  }
}

extension FileSyncEngine {
  /// Removes an observer once it was told all that was said so far.
  nonisolated func removeAfterDelivery(_ observer: any SyncObserver) async {
    await observers.drain(observer)
    observers.remove(observer)
  }
}
