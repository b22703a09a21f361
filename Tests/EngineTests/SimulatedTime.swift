import ObjectStore
import RunicCore
import Synchronization

/// Time that passes only when a test says so: whoever sleeps in it waits for `advance`.
final class SimulatedTime: Sendable {
  private struct Sleeper {
    let id: Int
    let due: Int64
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Int64 = 1_790_000_000_000
    var next = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  var now: Int64 { state.withLock { $0.now } }

  var clock: SyncClock {
    SyncClock(now: { self.now }, sleep: { try await self.sleep($0) })
  }

  /// The same, but for how long things take.
  func clock(ticks: @escaping @Sendable () -> Int64) -> SyncClock {
    SyncClock(now: { self.now }, ticks: ticks, sleep: { try await self.sleep($0) })
  }

  /// The clock of the core: it never waits here.
  var coreClock: Clock { Clock(now: { self.now }, sleep: { _ in }) }

  private func sleep(_ milliseconds: Int64) async throws {
    // As a real clock: what is due already waits for nobody.
    if milliseconds <= 0 { return try Task.checkCancellation() }
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(id) != nil { return true }
          state.sleepers.append(
            Sleeper(id: id, due: state.now + milliseconds, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: place)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// When the next sleeper is due.
  var nextDue: Int64? { state.withLock { $0.sleepers.map(\.due).min() } }

  func hasSleeper(due: Int64) -> Bool { state.withLock { $0.sleepers.contains { $0.due == due } } }

  /// Moves to a time and wakes whoever is due by then.
  func move(to time: Int64) {
    let woken = state.withLock { state in
      state.now = max(state.now, time)
      let woken = state.sleepers.filter { $0.due <= state.now }
      state.sleepers.removeAll { $0.due <= state.now }
      return woken
    }
    for sleeper in woken.sorted(by: { ($0.due, $0.id) < ($1.due, $1.id) }) { sleeper.continuation.resume() }
  }
}

/// Waits, without sleeping for a fixed time, until a condition holds; gives up after many turns.
func eventually(_ condition: () async -> Bool) async -> Bool {
  for _ in 0..<6_000 {
    if await condition() { return true }
    try? await Task.sleep(for: .microseconds(500))
  }
  return false
}
