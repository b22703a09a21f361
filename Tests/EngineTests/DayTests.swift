import ObjectStore
import RunicCore
import RunicCoreDates
import Synchronization
import Testing
import TestSupport

/// Fails as it is told, for so many attempts, and notes when each came.
private final class ScriptedRemote: Sendable {
  private struct State {
    var reason: RemoteError.Reason?
    var failures = 0
    var attempts: [Int64] = []
  }

  private let state = Mutex(State())
  private let time: SimulatedTime

  init(_ time: SimulatedTime) { self.time = time }

  func fail(_ reason: RemoteError.Reason?, times: Int) {
    state.withLock { ($0.reason, $0.failures) = (reason, times) }
  }

  /// Takes the times of the attempts so far.
  func takeAttempts() -> [Int64] {
    state.withLock { state in
      defer { state.attempts = [] }
      return state.attempts
    }
  }

  func open(_ repository: Repository, _ name: String) throws -> any Remote {
    try state.withLock { state in
      state.attempts.append(time.now)
      if let reason = state.reason, state.failures > 0 {
        state.failures -= 1
        throw RemoteError(reason, place: "test")
      }
    }
    return try repository.remote(repository.configuration.remote(name))
  }
}

/// A day of an app, in simulated time, through the engine itself.
@Suite struct DayTests {
  private struct Weather {
    let reason: RemoteError.Reason?
    let failures: Int
    /// After how many seconds each attempt comes; a sync that gets through opens the remote twice.
    let attempts: [Int64]
    let isSuccess: Bool
  }

  private static let always = 100
  private static let weathers: [Weather] =
    [
      Weather(reason: nil, failures: 0, attempts: [0, 0], isSuccess: true),
      Weather(reason: .timedOut, failures: 1, attempts: [0, 2, 2], isSuccess: true),
      Weather(reason: .lostConnection, failures: 3, attempts: [0, 2, 6, 14, 14], isSuccess: true),
    ]
    + [.timedOut, .lostConnection, .vanished].map {
      Weather(reason: $0, failures: always, attempts: [0, 2, 6, 14], isSuccess: false)
    }
    + [
      .unreachable, .empty, .notARepository, .inUse, .linked, .readOnly, .forbidden, .full, .quota,
      .didNotArrive, .failed, .unknownHost, .refused, .changedHostKey, .unknownHostKey, .authentication,
      .unknownModule, .noise, .missingThere, .tooOldThere, .missingHere, .tooOldHere, .interrupted,
    ].map {
      Weather(reason: $0, failures: always, attempts: [0], isSuccess: false)
    }

  @Test func aDayOfFailuresOfEveryKindHasTheRightAttemptsAndLosesNothing() async throws {
    let bench = try EngineBench()
    let repository = try bench.begin("a")
    let remote = ScriptedRemote(bench.time)
    let engine = try bench.engine("a") { try remote.open($0, $1) }
    let manager = BackgroundSyncManager(
      syncEngine: engine, config: SyncConfiguration(activeSyncInterval: 600), clock: bench.time.clock)
    let (start, syncs) = (bench.time.now, 144)
    manager.start()
    for sync in 0..<syncs {
      let weather = Self.weathers[sync % Self.weathers.count]
      try record(sync, in: repository)
      remote.fail(weather.reason, times: weather.failures)
      let begin = start + Int64(sync) * 600_000
      if sync > 0 {
        try #require(await eventually { bench.time.nextDue == begin }, "sync \(sync)")
        bench.time.move(to: begin)
      }
      while manager.statistics.totalSyncs == sync {
        // Nothing but a pause between two attempts is due so soon.
        if let due = bench.time.nextDue, due < begin + 60_000 { bench.time.move(to: due) }
        await Task.yield()
      }
      let attempts = remote.takeAttempts().map { $0 - begin }
      #expect(attempts.count == weather.attempts.count, "sync \(sync): \(attempts)")
      for (came, seconds) in zip(attempts, weather.attempts) {
        // Each pause has up to a quarter of jitter.
        #expect((seconds * 1000...seconds * 1250).contains(came), "sync \(sync): \(attempts)")
      }
    }
    manager.stop()
    let succeeded = (0..<syncs).count { Self.weathers[$0 % Self.weathers.count].isSuccess }
    #expect(manager.statistics.successfulSyncs == succeeded && manager.statistics.totalSyncs == syncs)
    remote.fail(nil, times: 0)
    #expect(await engine.sync().failure == nil)
    #expect(await engine.pendingOperationCount == 0)
    try bench.join("b", of: repository)
    let there = try await bench.engine("b").fetch(recordTypes: ["usage"]).get()
    let used = Set(there.compactMap { ($0 as? UsageSnapshotSyncRecord)?.primaryUsed })
    #expect(used == Set((0..<syncs).map(Int64.init)))
  }

  /// As the command line does it beside the app.
  private func record(_ amount: Int, in repository: Repository) throws {
    _ = try repository.write { transaction in
      let kind = try transaction.current.kinds.kind("usage")
      return try transaction.record(reading("claude", Int64(amount)).payload, kind: kind)
    }
  }

  @Test(arguments: ["1969-12-31T23:59:59.5Z", "2026-09-05T12:00:00Z", "9999-12-31T23:59:59.999Z"])
  func datesAndTimestampsAreTheSameInstant(text: String) throws {
    let timestamp = try #require(Timestamp(text))
    #expect(Timestamp(timestamp.date)?.milliseconds == timestamp.milliseconds)
  }

  @Test func whatWasFetchedAndTheSyncItselfHaveTheirDates() async throws {
    let (a, b) = try EngineBench().pair()
    #expect(reading("claude", 1).modifiedDate == nil)
    #expect(await a.push(records: [reading("claude", 1)]).failure == nil)
    let fetched = try #require(try await b.fetch(recordTypes: ["usage"]).get().first)
    #expect(try Timestamp(#require(fetched.modifiedDate)) == fetched.modifiedAt)
    let done = try await b.sync().get()
    #expect(try Timestamp(#require(done.completionDate)) == done.completedAt)
    #expect(SyncResult().completionDate == nil)
  }

  @Test func aDateThatNoTimestampCanSayIsNone() throws {
    let last = try #require(Timestamp("9999-12-31T23:59:59Z"))
    #expect(Timestamp(last.date.addingTimeInterval(1)) == nil)
    #expect(Timestamp(last.date.addingTimeInterval(.infinity)) == nil)
  }
}
