import Synchronization

/// Syncs an app by itself: at the active or the background interval, when the app comes and goes, and when asked.
///
/// It reads again, once, eight seconds after the app became active where no change has come from elsewhere by then:
/// what another device sent just before may need so long to arrive in a shared folder.
public final class BackgroundSyncManager: Sendable {
  private struct State {
    var timetable: SyncTimetable
    var statistics = SyncStatistics()
    var timer: Task<Void, Never>?
    /// A timer that was replaced while it woke finds another number here.
    var round = 0
  }

  private let engine: any SyncEngine
  private let clock: SyncClock
  private let observers = ObserverList()
  private let state: Mutex<State>
  /// Of a file engine, which tells what merges bring.
  private let listener = Mutex<Int?>(nil)

  /// A manager that does nothing before `start()`.
  public convenience init(syncEngine: any SyncEngine, config: SyncConfiguration = .default) {
    self.init(syncEngine: syncEngine, config: config, clock: .system)
  }

  package init(syncEngine: any SyncEngine, config: SyncConfiguration = .default, clock: SyncClock) {
    engine = syncEngine
    self.clock = clock
    state = Mutex(State(timetable: SyncTimetable(config)))
    if let engine = syncEngine as? FileSyncEngine {
      let id = engine.remoteChanges.listen { [weak self] _ in self?.remoteChangeCame() }
      listener.withLock { $0 = id }
    }
  }

  deinit {
    state.withLock { $0.timer?.cancel() }
    if let id = listener.withLock({ $0 }) { (engine as? FileSyncEngine)?.remoteChanges.remove(id) }
  }

  // MARK: - Coming and going

  /// Syncs at once, and from then on by itself. Does nothing where it runs already.
  public func start() { change { $0.start(at: $1) } }

  /// Ends syncing by itself; one that is under way comes to its end.
  public func stop() {
    change { timetable, _ in timetable.stop() }
  }

  /// The app came to the front.
  public func didBecomeActive() { change { $0.becomeActive(at: $1) } }

  /// The app went to the background.
  public func didEnterBackground() { change { $0.enterBackground(at: $1) } }

  /// Goes on under other intervals: the next sync by itself is due an interval of these after the last one began.
  public func updateConfiguration(_ config: SyncConfiguration) { change { $0.update(config, at: $1) } }

  /// Syncs now, whether started or not. The next sync by itself comes an interval later.
  public func syncNow(options: SyncOptions? = nil) async -> Result<SyncResult, SyncError> {
    change { $0.syncBegan(at: $1) }
    return await sync(options ?? SyncOptions())
  }

  // MARK: - Looking on

  /// Of the syncs that this manager made.
  public var statistics: SyncStatistics { state.withLock { $0.statistics } }

  /// When it syncs; `updateConfiguration(_:)` changes it.
  public var configuration: SyncConfiguration { state.withLock { $0.timetable.configuration } }

  /// Whether it was started and not stopped since.
  public var isRunning: Bool { state.withLock { $0.timetable.isRunning } }

  /// The manager holds an observer until it is removed.
  public func addObserver(_ observer: any SyncObserver) { observers.add(observer) }

  /// What waits for the observer already is still told.
  public func removeObserver(_ observer: any SyncObserver) { observers.remove(observer) }

  // MARK: - At work

  private func sync(_ options: SyncOptions) async -> Result<SyncResult, SyncError> {
    let begin = clock.ticks()
    let result = await observedSync(options)
    let duration = clock.seconds(since: begin)
    var succeeded = false
    if case .success(let done) = result {
      succeeded = true
      if done.fetchedCount > 0 { remoteChangeCame() }
    }
    if let time = Timestamp(milliseconds: clock.now()) {
      state.withLock { state in
        state.statistics = state.statistics.recording(
          succeeded: succeeded, duration: duration, at: time)
      }
    }
    return result
  }

  /// A file engine tells the steps itself, in order with all else.
  private func observedSync(_ options: SyncOptions) async -> Result<SyncResult, SyncError> {
    if let engine = engine as? FileSyncEngine { return await engine.sync(options, telling: observers) }
    observers.tell(.start)
    let result = await engine.sync(options: options)
    switch result {
    case .success(let done): observers.tell(.completion(done))
    case .failure(let error): observers.tell(.failure(error))
    }
    return result
  }

  private func remoteChangeCame() {
    change { timetable, _ in timetable.remoteChangeCame() }
  }

  /// Changes the timetable and sets the timer by it.
  private func change(_ body: (inout SyncTimetable, Int64) -> Void) {
    let now = clock.now()
    state.withLock { state in
      let before = state.timetable.due
      body(&state.timetable, now)
      if state.timetable.due != before || state.timer == nil { setTimer(&state, now: now) }
    }
  }

  private func setTimer(_ state: inout State, now: Int64) {
    state.timer?.cancel()
    state.timer = nil
    state.round &+= 1
    guard let due = state.timetable.due else { return }
    let (clock, round) = (clock, state.round)
    state.timer = Task { [weak self] in
      do { try await clock.sleep(max(0, due &- now)) } catch { return }
      await self?.syncDue(round)
    }
  }

  private func syncDue(_ round: Int) async {
    let isDue = state.withLock { state in
      guard state.round == round else { return false }
      state.timetable.syncBegan(at: clock.now())
      // Set below: until then nothing is due, unless the app comes or goes.
      state.timer = nil
      return true
    }
    guard isDue else { return }
    _ = await sync(SyncOptions())
    state.withLock { state in
      if state.timer == nil { setTimer(&state, now: clock.now()) }
    }
  }
}
