import Foundation
import ObjectStore
import RunicCore
import Synchronization
import Testing
import TestSupport

@Suite struct FileSyncEngineTests {
  @Test func recordsOfOneDeviceAreFetchedOnTheOther() async throws {
    let (a, b) = try EngineBench().pair()
    let ids = try await a.push(records: [
      reading("claude", 10), UserPreferencesSyncRecord(theme: "dark"),
      AlertConfigurationSyncRecord(providerID: "claude", warningThreshold: 0.5),
    ]).get()
    #expect(ids.count == 3)
    #expect(ids.dropFirst() == ["user-preferences", "claude"])
    let fetched = try await b.fetch(recordTypes: ["UsageSnapshot", "preferences", "AlertConfiguration"]).get()
    #expect(fetched.map(\.recordType) == ["UsageSnapshot", "UserPreferences", "AlertConfiguration"])
    let usage = try #require(fetched[0] as? UsageSnapshotSyncRecord)
    #expect(usage.primaryUsed == 10 && usage.recordID == ids[0] && usage.deviceName == "a")
    #expect(usage.version > 0 && usage.modifiedAt != nil && usage.lastModifiedDeviceID?.utf8.count == 32)
    #expect((fetched[1] as? UserPreferencesSyncRecord)?.theme == "dark")
    let alert = try #require(fetched[2] as? AlertConfigurationSyncRecord)
    #expect(alert.warningThreshold == 0.5 && alert.criticalThreshold == 0.9)
    #expect(alert.payload["criticalThreshold"] == nil)
  }

  @Test func aFolderHasARepositoryOnceOneWasMade() throws {
    let place = NSTemporaryDirectory() + "runic-engine-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: place) }
    #expect(!FileSyncEngine.hasRepository(at: place))
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    #expect(!FileSyncEngine.hasRepository(at: place))
    try FileSyncEngine.create(repository: "\(place)/repository", name: "a")
    #expect(FileSyncEngine.hasRepository(at: "\(place)/repository"))
  }

  @Test func aFetchedRecordThatIsChangedWritesTheChangedKeyAlone() async throws {
    let (a, b) = try EngineBench().pair()
    _ = await a.push(records: [UserPreferencesSyncRecord(refreshInterval: 60, theme: "dark")])
    var mine = try #require(
      try await b.fetch(recordTypes: ["preferences"]).get().first as? UserPreferencesSyncRecord)
    _ = await a.push(records: [UserPreferencesSyncRecord(refreshInterval: 90, theme: "dark")])
    mine.theme = "light"
    _ = await b.push(records: [mine])
    #expect(try await b.sync().get().openConflicts == 0)
    let merged = try await b.fetch(recordTypes: ["preferences"]).get().first as? UserPreferencesSyncRecord
    #expect(merged?.theme == "light")
    #expect(merged?.refreshInterval == 90)
  }

  @Test func aRecordThatNobodyFetchedWaitsUntilASideIsPicked() async throws {
    let (a, b) = try EngineBench().pair()
    _ = await a.push(records: [UserPreferencesSyncRecord(theme: "dark")])
    _ = await b.sync()
    _ = await b.push(records: [UserPreferencesSyncRecord(theme: "light")])
    let waiting = try await b.sync().get()
    #expect(waiting.warnings.count == 1)
    #expect(try await theme(b) == "dark")
    _ = await b.push(records: [UserPreferencesSyncRecord(theme: "light")])
    _ = await b.sync(options: SyncOptions(conflictStrategy: .preferLocal))
    #expect(try await theme(b) == "light")
  }

  private func theme(_ engine: FileSyncEngine) async throws -> String? {
    let records = try await engine.read(recordTypes: ["preferences"]).get()
    return (records.first as? UserPreferencesSyncRecord)?.theme
  }

  @Test func aDeletedRecordIsGoneOnTheOtherSideAndCounted() async throws {
    let (a, b) = try EngineBench().pair()
    _ = await a.push(records: [AlertConfigurationSyncRecord(providerID: "claude")])
    _ = await b.sync()
    #expect(try await a.delete(recordIDs: ["claude", "nothing"]).get() == ["claude"])
    _ = await a.sync()
    #expect(try await b.sync().get().deletedCount == 1)
    #expect(try await b.fetch(recordTypes: ["alert"]).get().isEmpty)
    // What it held before is no base for what it makes anew.
    _ = await a.push(records: [AlertConfigurationSyncRecord(providerID: "claude")])
    #expect(try await a.read(recordTypes: ["alert"]).get().count == 1)
    let id = try await a.push(records: [reading("codex", 1)]).get()
    #expect(try #require(await a.delete(recordIDs: id).failure).subject.contains("history"))
  }

  @Test func aRefusedRecordHoldsUpNoOther() async throws {
    let bench = try EngineBench()
    try bench.begin("a", hasRemote: false)
    let engine = try bench.engine("a")
    async let good = engine.enqueue(reading("claude", 1))
    async let bad = engine.enqueue(SyncRecord(recordType: "nothing", recordID: "x", payload: [:]))
    async let broken = engine.enqueue(
      AlertConfigurationSyncRecord(providerID: "p", warningThreshold: 1, criticalThreshold: 0.5))
    #expect(await good.failure == nil)
    for refused in [await bad, await broken] {
      guard case .failure(.invalidRecord) = refused else {
        Issue.record("\(refused)")
        continue
      }
    }
    #expect(try await engine.read(recordTypes: ["usage"]).get().count == 1)
    #expect(try await engine.sync().get().pushedCount == 0)
  }

  @Test func whatWasEnqueuedIsThereAfterAPowerCut() async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let engine = try bench.engine("a")
    for amount in 1...5 { #expect(await engine.enqueue(reading("claude", Int64(amount))).failure == nil) }
    for model in [MemoryFileSystem.PowerCut.lastSynced, .namesBeforeContents] {
      let after = try EngineBench(bench.fileSystem.crash(model)).engine("a")
      #expect(try await after.read(recordTypes: ["usage"]).get().count == 5)
      #expect(await after.pendingOperationCount == 5)
      #expect(try await after.sync().get().pushedCount == 5)
      #expect(await after.pendingOperationCount == 0)
    }
  }

  @Test func resetSyncDropsNothingUnsent() async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let engine = try bench.engine("a")
    await engine.enqueue(reading("claude", 1))
    #expect(await engine.resetSync().failure == nil)
    #expect(await engine.pendingOperationCount == 1)
    #expect(try await engine.fetch(recordTypes: ["usage"]).get().count == 1)
  }

  @Test func everyMergeIsOneElementAndAReadAfterItSeesAllOfIt() async throws {
    let (a, b) = try EngineBench().pair()
    var changes = b.changes.makeAsyncIterator()
    for round in 1...3 {
      _ = await a.push(records: [
        reading("claude", Int64(round)), UserPreferencesSyncRecord(refreshInterval: Int64(round)),
      ])
      _ = await b.sync()
    }
    for round in 1...3 {
      let merge = try #require(await changes.next())
      #expect(merge.changes.map(\.kind) == ["preferences", "usage"])
      #expect(merge.changes.first?.keys == ["refreshInterval"])
      #expect(merge.changes.allSatisfy { $0.deviceName == "a" })
      #expect(try await b.read(recordTypes: ["usage"]).get().count >= round)
    }
  }

  @Test func observersHearStartStepsAndEndInOrderAndASlowOneHoldsUpNothing() async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let remote = FailingRemote(bench.time)
    let engine = try bench.engine("a", openRemote: remote.open)
    let gate = Mutex(false)
    let (recorder, slow) = (Recorder(), Recorder { while !gate.withLock({ $0 }) { Clock.system.sleep(1) } })
    engine.addObserver(recorder)
    engine.addObserver(slow)
    await engine.enqueue(reading("claude", 1))
    #expect(try await engine.sync().get().pushedCount == 1)
    remote.reason = .unreachable
    #expect(await engine.sync().failure != nil)
    let expected = ["start", "progress 1/3", "progress 2/3", "progress 3/3", "complete 1", "start", "fail"]
    #expect(await eventually { recorder.events == expected })
    #expect(slow.events.isEmpty)
    gate.withLock { $0 = true }
    #expect(await eventually { slow.events == expected })
  }

  @Test func aJoinThatDiedIsBroughtToItsEndWhenAnEngineOpens() async throws {
    let bench = try EngineBench()
    try bench.begin("a", hasRemote: false)
    let before = try bench.engine("a")
    await before.enqueue(reading("claude", 1))
    // As a crash between the two renames of a join leaves it.
    try bench.fileSystem.rename("/w/a", to: "/w/a.join-1")
    try bench.fileSystem.makeDirectories("/w/a.before-join-1", permissions: 0o700)
    #expect(try await bench.engine("a").read(recordTypes: ["usage"]).get().count == 1)
    #expect(throws: SyncError.damaged("there is no repository at '/w/nothing'")) {
      try bench.engine("nothing")
    }
  }
}
