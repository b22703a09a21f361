import ObjectStore
import RunicCore
import Synchronization
import Testing
import TestSupport

@Suite struct ScheduleTests {
  @Test(
    arguments: [
      (RemoteError.Reason.timedOut, 4), (.lostConnection, 4), (.vanished, 4), (.unreachable, 1),
      (.authentication, 1), (.readOnly, 1), (.full, 1), (.refused, 1),
    ])
  func whatMayPassIsTriedAgainAfterTwoFourAndEightSeconds(
    reason: RemoteError.Reason, attempts: Int
  ) async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let remote = FailingRemote(bench.time)
    remote.reason = reason
    let engine = try bench.engine("a", openRemote: remote.open)
    let sync = Task { await engine.sync() }
    for attempt in 1..<max(2, attempts) where attempts > 1 {
      #expect(await eventually { remote.attemptCount == attempt && bench.time.nextDue != nil })
      bench.time.move(to: try #require(bench.time.nextDue))
    }
    #expect(await sync.value.failure != nil)
    let times = remote.takeAttempts()
    #expect(times.count == attempts)
    for (index, pause) in zip(times, times.dropFirst()).map({ $1 - $0 }).enumerated() {
      let least = RetrySchedule.pauses[index]
      #expect((least...least + least / 4).contains(pause))
    }
  }

  @Test func aDayOfIntervalsHasTheRightNumberOfSyncs() async throws {
    let time = SimulatedTime()
    let engine = CountingEngine(time)
    let manager = BackgroundSyncManager(syncEngine: engine, config: .default, clock: time.clock)
    let start = time.now
    manager.start()
    #expect(await eventually { engine.times.count == 1 && time.nextDue != nil })
    for step in 1...288 {
      engine.failure = step.isMultiple(of: 3) ? .remoteUnavailable("away") : nil
      time.move(to: start + Int64(step) * 300_000)
      try #require(await eventually { engine.times.count == step + 1 && time.nextDue != nil })
    }
    #expect(engine.times == (0...288).map { start + Int64($0) * 300_000 })
    #expect(manager.statistics.totalSyncs == 289)
    #expect(manager.statistics.failedSyncs == 96)
    manager.stop()
    time.move(to: start + 90_000_000)
    #expect(engine.times.count == 289)
  }

  @Test func otherIntervalsCountFromTheLastSyncOn() async throws {
    let time = SimulatedTime()
    let engine = CountingEngine(time)
    let manager = BackgroundSyncManager(syncEngine: engine, config: .default, clock: time.clock)
    let start = time.now
    manager.start()
    #expect(await eventually { engine.times.count == 1 && time.nextDue == start + 300_000 })
    let hurried = SyncConfiguration(activeSyncInterval: 60)
    manager.updateConfiguration(hurried)
    #expect(manager.configuration == hurried)
    #expect(await eventually { time.nextDue == start + 60_000 })
    time.move(to: start + 60_000)
    #expect(await eventually { engine.times == [start, start + 60_000] })
  }

  /// The wall clock stands still here, as one that is put back may.
  @Test func howLongASyncTookIsNotOfTheWallClock() async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let ticks = Atomic(Int64(0))
    let clock = bench.time.clock { ticks.add(500, ordering: .relaxed).newValue }
    let engine = try FileSyncEngine(path: "/w/a", environment: bench.environment, clock: clock)
    let manager = BackgroundSyncManager(syncEngine: engine, config: .default, clock: clock)
    let result = try await manager.syncNow().get()
    #expect(result.duration == 0.5)
    #expect(manager.statistics.averageDuration == 1.5)
  }

  @Test func becomingActiveReadsOnceMoreAfterEightSecondsUnlessSomethingCame() async throws {
    for (fetched, leaves, expected) in [(0, false, 2), (3, false, 1), (0, true, 1)] {
      let time = SimulatedTime()
      let engine = CountingEngine(time)
      let manager = BackgroundSyncManager(
        syncEngine: engine, config: SyncConfiguration(syncOnBackground: false), clock: time.clock)
      let start = time.now
      manager.start()
      #expect(await eventually { manager.statistics.totalSyncs == 1 && time.nextDue != nil })
      engine.clear(keeping: 0)
      manager.didBecomeActive()
      #expect(await eventually { engine.times.count == 1 && manager.statistics.totalSyncs == 2 })
      #expect(await eventually { time.nextDue == start + SyncTimetable.secondLook })
      if fetched > 0 {
        engine.fetched = fetched
        _ = await manager.syncNow()
        engine.fetched = 0
        engine.clear(keeping: 1)
      }
      if leaves {
        manager.didEnterBackground()
        #expect(await eventually { time.nextDue == start + 3_600_000 })
      }
      time.move(to: start + 60_000)
      #expect(await eventually { engine.times.count >= expected })
      for _ in 0..<50 { await Task.yield() }
      #expect(engine.times.count == expected, "fetched \(fetched), leaves \(leaves)")
    }
  }

  @Test func thePriorityDecidesHowSoonASyncRunsAndWhatWaitsIsSentLater() async throws {
    for priority in SyncPriority.allCases {
      let bench = try EngineBench()
      try bench.begin("a")
      let remote = FailingRemote(bench.time)
      remote.reason = .unreachable
      let engine = try bench.engine("a", openRemote: remote.open)
      let start = bench.time.now
      await engine.enqueue(reading("claude", 1), priority: priority)
      if priority.delay > 0 { #expect(await eventually { bench.time.nextDue == start + priority.delay }) }
      bench.time.move(to: start + priority.delay)
      #expect(await eventually { remote.attemptCount == 1 })
      // The remote stays away: it is left alone for a while, and nothing is lost.
      #expect(await engine.pendingOperationCount == 1)
      let later = start + priority.delay + FileSyncEngine.restAfterFailure
      #expect(await eventually { bench.time.nextDue == later })
      remote.reason = nil
      bench.time.move(to: later)
      #expect(await eventually { await engine.pendingOperationCount == 0 })
    }
  }

  @Test func theMonitorTurnsToErrorAndBackByItself() async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let remote = FailingRemote(bench.time)
    let engine = try bench.engine("a", openRemote: remote.open)
    let monitor = SyncStatusMonitor(syncEngine: engine, clock: bench.time.clock)
    #expect(await eventually { monitor.isRemoteAvailable == true })
    #expect(monitor.status == .idle)
    #expect(monitor.statusDescription == "Not synced yet")
    let version = monitor.refreshVersion
    remote.reason = .unreachable
    #expect(await eventually { bench.time.nextDue != nil })
    bench.time.move(to: bench.time.now + SyncStatusMonitor.interval)
    #expect(await eventually { monitor.syncError != nil })
    #expect(monitor.isRemoteAvailable == false)
    #expect(monitor.statusDescription == monitor.syncError?.localizedDescription)
    remote.reason = nil
    #expect(await eventually { bench.time.nextDue != nil })
    bench.time.move(to: bench.time.now + SyncStatusMonitor.interval)
    #expect(await eventually { monitor.status == .idle && monitor.syncError == nil })
    #expect(monitor.refreshVersion >= version + 2)
    _ = await engine.sync()
    #expect(await eventually { monitor.status == .success && monitor.lastSyncDate != nil })
    #expect(monitor.statusDescription == "Synced")
  }
}
