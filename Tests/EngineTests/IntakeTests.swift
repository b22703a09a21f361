import ObjectStore
import RunicCore
import Testing
import TestSupport

/// What becomes of whole payloads of keyed records: bases, batches, and what waits for a side to be picked.
@Suite struct IntakeTests {
  private func theme(_ engine: FileSyncEngine) async throws -> String? {
    let records = try await engine.read(recordTypes: ["preferences"]).get()
    return (records.first as? UserPreferencesSyncRecord)?.theme
  }

  private func note(_ text: String, _ id: String = "n") -> SyncRecord {
    SyncRecord(recordType: "note", recordID: id, payload: ["text": .string(JSONString(text))])
  }

  private func notes(_ engine: FileSyncEngine) async throws -> [SyncRecord] {
    try await engine.read(recordTypes: ["note"]).get().compactMap { $0 as? SyncRecord }
  }

  @Test(arguments: [ConflictResolutionStrategy.preferLocal, .preferRemote])
  func whatWaitsForASideIsThereAfterAPowerCut(strategy: ConflictResolutionStrategy) async throws {
    let bench = try EngineBench()
    let (a, b) = try bench.pair()
    _ = await a.push(records: [UserPreferencesSyncRecord(theme: "dark")])
    _ = await b.sync()
    #expect(await b.enqueue(UserPreferencesSyncRecord(theme: "light")).failure == nil)
    let after = try EngineBench(bench.fileSystem.crash(.lastSynced)).engine("b")
    #expect(try await after.sync().get().warnings.count == 1)
    #expect(try await theme(after) == "dark")
    let done = try await after.sync(options: SyncOptions(conflictStrategy: strategy)).get()
    #expect(done.warnings.isEmpty)
    #expect(try await theme(after) == (strategy == .preferLocal ? "light" : "dark"))
    #expect(try await after.sync().get().warnings.isEmpty)
  }

  @Test func aDecisionWritesOnlyTheKeysThatWaited() async throws {
    let (a, b) = try EngineBench().pair()
    _ = await a.push(records: [UserPreferencesSyncRecord(refreshInterval: 10, theme: "dark")])
    _ = await b.sync()
    await b.enqueue(UserPreferencesSyncRecord(refreshInterval: 10, theme: "light"))
    _ = await a.fetch(recordTypes: ["preferences"])
    _ = await a.push(records: [UserPreferencesSyncRecord(refreshInterval: 20, theme: "dark")])
    _ = await b.sync()
    _ = await b.sync(options: SyncOptions(conflictStrategy: .preferLocal))
    let merged = try await b.read(recordTypes: ["preferences"]).get().first as? UserPreferencesSyncRecord
    #expect(merged?.theme == "light" && merged?.refreshInterval == 20)
  }

  @Test func whatWaitedIsForgottenOnceTheAppHandsOverWhatTheRecordSays() async throws {
    let (a, b) = try EngineBench().pair()
    _ = await a.push(records: [UserPreferencesSyncRecord(theme: "dark")])
    _ = await b.sync()
    for theme in ["light", "dark"] { await b.enqueue(UserPreferencesSyncRecord(theme: theme)) }
    #expect(try await b.sync(options: SyncOptions(conflictStrategy: .preferLocal)).get().warnings.isEmpty)
    #expect(try await theme(b) == "dark")
  }

  @Test func ofOneRecordManyTimesInABatchTheLastStandsInOneCommit() async throws {
    let bench = try EngineBench()
    let repository = try bench.begin("a", hasRemote: false)
    let engine = try bench.engine("a")
    let results = await withTaskGroup(of: Bool.self) { group in
      for interval in 1...300 {
        group.addTask {
          await engine.enqueue(UserPreferencesSyncRecord(refreshInterval: Int64(interval))).failure == nil
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(results)
    let commits = try repository.read { try $0.devices().compactMap { $0.commit?.sequence }.max() ?? 0 }
    #expect((1..<150).contains(commits))
    // What stands is the base of what comes next: no conflict of the device with itself.
    await engine.enqueue(UserPreferencesSyncRecord(refreshInterval: 1000))
    #expect(try await engine.sync().get().openConflicts == 0)
    let read = try await engine.read(recordTypes: ["preferences"]).get().first as? UserPreferencesSyncRecord
    #expect(read?.refreshInterval == 1000)
  }

  @Test func ofARecordTwiceInABatchTheOneThatIsRefusedLeavesTheOther() async throws {
    let bench = try EngineBench()
    try bench.begin("a", hasRemote: false)
    let engine = try bench.engine("a")
    let good = AlertConfigurationSyncRecord(providerID: "p", warningThreshold: 0.5)
    let bad = AlertConfigurationSyncRecord(providerID: "p", warningThreshold: 1, criticalThreshold: 0.5)
    #expect(await engine.push(records: [good, bad]).failure != nil)
    let read = try await engine.read(recordTypes: ["alert"]).get().first as? AlertConfigurationSyncRecord
    #expect(read?.warningThreshold == 0.5)
  }

  @Test func aStalePayloadOfOneRegisterUndoesNoEditFromElsewhere() async throws {
    let (a, b) = try EngineBench().pair()
    #expect(await a.declare(Kind("note", .lastWriterWins(key: nil))).failure == nil)
    _ = await a.push(records: [note("one")])
    _ = await b.fetch(recordTypes: ["note"])
    await b.enqueue(note("one"))
    _ = await a.push(records: [note("two")])
    _ = await b.sync()
    // The app has not looked: what it holds is no edit.
    await b.enqueue(note("one"))
    #expect(try await notes(b).map(\.payload) == [note("two").payload])
    await b.enqueue(note("three"))
    #expect(try await b.sync().get().openConflicts == 0)
    #expect(try await notes(b).map(\.payload) == [note("three").payload])
  }

  @Test func aPayloadOfOneRegisterThatNobodyFetchedWaits() async throws {
    let (a, b) = try EngineBench().pair()
    #expect(await a.declare(Kind("note", .lastWriterWins(key: nil))).failure == nil)
    _ = await a.push(records: [note("one")])
    _ = await b.sync()
    await b.enqueue(note("mine"))
    #expect(try await b.sync().get().warnings.count == 1)
    _ = try await b.sync(options: SyncOptions(conflictStrategy: .preferLocal)).get()
    #expect(try await notes(b).map(\.payload) == [note("mine").payload])
    #expect(try await a.sync().get().openConflicts == 0)
    #expect(try await notes(a).map(\.payload) == [note("mine").payload])
  }

  @Test func aRecordThatWasDeletedElsewhereComesBackWholeWhenItIsHandedOverAgain() async throws {
    for hasFetched in [true, false] {
      let (a, b) = try EngineBench().pair()
      let alert = AlertConfigurationSyncRecord(
        providerID: "p", warningThreshold: 0.5, criticalThreshold: 0.75)
      _ = await a.push(records: [alert])
      _ = await b.fetch(recordTypes: ["alert"])
      _ = await a.delete(recordIDs: ["p"])
      _ = await a.sync()
      _ = await b.sync()
      // Without a look the same payload is no edit; an edited one is.
      await b.enqueue(alert)
      #expect(try await b.sync().get().fetchedCount == 0)
      let edited = AlertConfigurationSyncRecord(
        providerID: "p", warningThreshold: hasFetched ? 0.5 : 0.25, criticalThreshold: 0.75)
      if hasFetched { #expect(try await b.fetch(recordTypes: ["alert"]).get().isEmpty) }
      await b.enqueue(edited)
      let read = try await b.read(recordTypes: ["alert"]).get().map(\.payload)
      #expect(read == [edited.payload], "fetched: \(hasFetched)")
    }
  }

  /// Twenty thousand with `RUNIC_KEYED_RECORDS=20000`: then all bases together are over what one file may hold.
  private static var recordCount: Int {
    ProcessEnvironment.value("RUNIC_KEYED_RECORDS").flatMap { Int($0) } ?? 600
  }

  @Test func tensOfThousandsOfKeyedRecordsKeepTheLedgerReadable() async throws {
    let bench = try EngineBench()
    try bench.begin("a", hasRemote: false)
    let engine = try bench.engine("a")
    let count = Self.recordCount
    func preferences(_ number: Int, _ theme: String) -> UserPreferencesSyncRecord {
      UserPreferencesSyncRecord(
        recordID: "user-\(number)", refreshInterval: 60, notificationsEnabled: true, autoRefreshEnabled: true,
        theme: theme, displayFormat: "full")
    }
    #expect(await engine.push(records: (0..<count).map { preferences($0, "dark") }).failure == nil)
    let fetched = try await engine.fetch(recordTypes: ["preferences"]).get()
    #expect(fetched.count == count)
    // No file holds more than a small part, however many there are.
    let folder = "/w/a/local"
    let lengths = try bench.fileSystem.list(folder).filter { $0.name.hasPrefix("bases-") }.map {
      try bench.fileSystem.status("\(folder)/\($0.name)")?.length ?? 0
    }
    #expect(lengths.count > 200 && (lengths.max() ?? 0) < lengths.reduce(0, +) / 50)
    #expect(await engine.enqueue(preferences(7, "light")).failure == nil)
    #expect(try await engine.sync().get().openConflicts == 0)
  }
}
