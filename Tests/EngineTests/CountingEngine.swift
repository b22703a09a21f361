import RunicCore
import Synchronization

/// Stands in for an engine as a test of an app does: notes when it was asked to sync.
final class CountingEngine: SyncEngine {
  private struct State {
    var times: [Int64] = []
    var failure: SyncError?
    var fetched = 0
  }

  private let state = Mutex(State())
  private let time: SimulatedTime

  init(_ time: SimulatedTime) { self.time = time }

  var times: [Int64] { state.withLock { $0.times } }
  var failure: SyncError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }
  var fetched: Int {
    get { state.withLock { $0.fetched } }
    set { state.withLock { $0.fetched = newValue } }
  }
  func clear(keeping count: Int) { state.withLock { $0.times = Array($0.times.prefix(count)) } }

  func sync(options: SyncOptions) async -> Result<SyncResult, SyncError> {
    state.withLock { state in
      state.times.append(time.now)
      if let failure = state.failure { return .failure(failure) }
      return .success(SyncResult(fetchedCount: state.fetched))
    }
  }

  func push(records: [any SyncableRecord]) async -> Result<[String], SyncError> { .success([]) }
  func fetch(recordTypes: [String]) async -> Result<[any SyncableRecord], SyncError> { .success([]) }
  func delete(recordIDs: [String]) async -> Result<[String], SyncError> { .success([]) }
  func resetSync() async -> Result<Void, SyncError> { .success(()) }
}
