import ObjectStore
import RunicCore
import Synchronization
import Testing
import TestSupport

private struct Refusal: Error {}

@Suite struct ConflictTests {
  /// Two devices that both changed one key since they last met; `b` has not synced yet.
  private func conflict(
    _ bench: EngineBench? = nil
  ) async throws -> (a: FileSyncEngine, b: FileSyncEngine) {
    let bench = try bench ?? EngineBench()
    let (a, b) = try bench.pair()
    _ = await a.push(records: [UserPreferencesSyncRecord(refreshInterval: 10, theme: "dark")])
    for engine in [b, a] { _ = await engine.fetch(recordTypes: ["preferences"]) }
    _ = await a.push(records: [UserPreferencesSyncRecord(refreshInterval: 20, theme: "dark")])
    bench.time.move(to: bench.time.now + 5)
    await b.enqueue(UserPreferencesSyncRecord(refreshInterval: 30, theme: "dark"))
    return (a, b)
  }

  private func interval(_ engine: FileSyncEngine) async throws -> Int64? {
    let records = try await engine.read(recordTypes: ["preferences"]).get()
    return (records.first as? UserPreferencesSyncRecord)?.refreshInterval
  }

  @Test(
    arguments: [
      (ConflictResolutionStrategy.lastWriteWins, 30, 0, 1), (.manual, 30, 0, 1), (.preferLocal, 30, 1, 0),
      (.preferRemote, 20, 1, 0), (.merge, 30, 0, 1),
    ] as [(ConflictResolutionStrategy, Int64, Int, Int)])
  func eachStrategySettlesAsItSays(
    strategy: ConflictResolutionStrategy, shown: Int64, resolved: Int, open: Int
  ) async throws {
    let (_, b) = try await conflict()
    let done = try await b.sync(options: SyncOptions(conflictStrategy: strategy)).get()
    #expect(try await interval(b) == shown)
    #expect(done.conflictsResolved == resolved)
    #expect(done.openConflicts == open)
    #expect(done.warnings == (strategy == .manual ? ["1 conflict is open"] : []))
  }

  @Test func aHandlerSettlesAndItsAnswerReachesTheOtherSide() async throws {
    let (a, b) = try await conflict()
    b.conflictResolver.registerMergeHandler(for: "UserPreferences") { local, remote in
      guard var merged = local as? UserPreferencesSyncRecord, let other = remote as? UserPreferencesSyncRecord
      else { return local }
      #expect(merged.refreshInterval == 30 && other.refreshInterval == 20)
      merged.refreshInterval += other.refreshInterval
      return merged
    }
    let done = try await b.sync(options: SyncOptions(conflictStrategy: .merge)).get()
    #expect(done.conflictsResolved == 1 && done.openConflicts == 0)
    #expect(b.conflictResolver.conflictStats.resolvedConflicts == 1)
    #expect(try await a.sync().get().openConflicts == 0)
    #expect(try await interval(a) == 50)
  }

  @Test func aHandlerThatThrowsLeavesTheConflictOpenAndHarmsNoSync() async throws {
    let (a, b) = try await conflict()
    b.conflictResolver.registerMergeHandler(for: "preferences") { _, _, base in
      #expect((base as? UserPreferencesSyncRecord)?.refreshInterval == 10)
      throw Refusal()
    }
    let done = try await b.sync(options: SyncOptions(conflictStrategy: .merge)).get()
    #expect(done.openConflicts == 1 && done.warnings.count == 1 && done.pushedCount == 1)
    #expect(b.conflictResolver.conflictStats.failedConflicts == 1)
    #expect(try await a.sync().get().fetchedCount == 1)
  }

  /// It need not heed that it is cancelled, and may answer once the sync is over.
  @Test func aHandlerThatTakesTooLongHasFailedAndItsLateAnswerCountsForNothing() async throws {
    let bench = try EngineBench()
    let (_, b) = try await conflict(bench)
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let answered = Atomic<Bool>(false)
    let started = Atomic<Bool>(false)
    b.conflictResolver.registerMergeHandler(for: "preferences") { local, _ in
      started.store(true, ordering: .relaxed)
      await Task { for await _ in gate { break } }.value
      answered.store(true, ordering: .relaxed)
      return local
    }
    let sync = Task { try await b.sync(options: SyncOptions(conflictStrategy: .merge)).get() }
    #expect(await eventually { started.load(ordering: .relaxed) })
    let limit = bench.time.now + 30_000
    #expect(await eventually { bench.time.hasSleeper(due: limit) })
    bench.time.move(to: limit)
    let done = try await sync.value
    #expect(done.conflictsResolved == 0 && done.openConflicts == 1 && done.warnings.count == 1)
    opener.yield()
    #expect(await eventually { answered.load(ordering: .relaxed) })
    for _ in 0..<1000 { await Task.yield() }
    let counts = b.conflictResolver.conflictStats
    #expect(counts.failedConflicts == 1 && counts.resolvedConflicts == 0 && counts.totalConflicts == 1)
  }

  @Test func aHandlerGetsWhatBothBeganFromAndMayChangeOtherKeys() async throws {
    let (a, b) = try await conflict()
    b.conflictResolver.registerMergeHandler(for: "UserPreferences") { local, remote, base in
      guard var merged = local as? UserPreferencesSyncRecord,
        let other = remote as? UserPreferencesSyncRecord,
        let base = base as? UserPreferencesSyncRecord
      else { return local }
      #expect(base.theme == "dark")
      merged.refreshInterval += other.refreshInterval - base.refreshInterval
      merged.theme = "light"
      return merged
    }
    let done = try await b.sync(options: SyncOptions(conflictStrategy: .merge)).get()
    #expect(done.conflictsResolved == 1 && done.openConflicts == 0)
    #expect(try await a.sync().get().openConflicts == 0)
    #expect(try await interval(a) == 40)
    let merged = try await a.read(recordTypes: ["preferences"]).get().first as? UserPreferencesSyncRecord
    #expect(merged?.theme == "light")
  }

  @Test func anAnswerThatTheKindDoesNotAllowSettlesNothingAndHarmsNoSync() async throws {
    let answers: [UserPreferencesSyncRecord] = [
      UserPreferencesSyncRecord(refreshInterval: -1), UserPreferencesSyncRecord(recordID: "another"),
    ]
    for answer in answers {
      let (_, b) = try await conflict()
      b.conflictResolver.registerMergeHandler(for: "preferences") { _, _ in answer }
      let done = try await b.sync(options: SyncOptions(conflictStrategy: .merge)).get()
      #expect(done.openConflicts == 1 && done.warnings.count == 1 && done.conflictsResolved == 0)
      #expect(try await interval(b) == 30)
      #expect(b.conflictResolver.conflictStats.failedConflicts == 1)
      #expect(try await b.read(recordTypes: ["preferences"]).get().map(\.recordID) == ["user-preferences"])
    }
  }

  @Test func theResolverAloneNeedsNoEngine() async {
    let resolver = SyncConflictResolver()
    let earlier = SyncRecord(
      recordType: "note", recordID: "1", payload: ["a": 1], metadata: SyncMetadata(version: 1))
    let later = SyncRecord(
      recordType: "note", recordID: "1", payload: ["a": 2], metadata: SyncMetadata(version: 2))
    #expect(await resolver.resolve(local: earlier, remote: later, strategy: .preferLocal).version == 1)
    #expect(await resolver.resolve(local: later, remote: earlier, strategy: .preferRemote).version == 1)
    #expect(await resolver.resolve(local: earlier, remote: later).version == 2)
    resolver.registerMergeHandler(for: "UsageSnapshot") { _, _ in throw Refusal() }
    _ = await resolver.resolve(local: reading("x", 1), remote: reading("x", 2), strategy: .merge)
    #expect(resolver.conflictStats.failedConflicts == 0)
  }
}
