import CanonicalJSON
import ObjectStore
import RunicCore
import Synchronization
import Testing
import TestSupport

@Suite struct KeyValueSyncTests {
  private func stores(
    _ bench: EngineBench, syncOnChange: Bool = false
  ) throws -> (a: KeyValueSync, b: KeyValueSync) {
    let (a, b) = try bench.pair()
    let stores = (a: try KeyValueSync(engine: a), b: try KeyValueSync(engine: b))
    (stores.a.syncOnChange, stores.b.syncOnChange) = (syncOnChange, syncOnChange)
    return stores
  }

  @Test func onlyMonitoredKeysReceiveAndAReadAfterTheSyncSeesThem() async throws {
    let (a, b) = try stores(EngineBench())
    try await a.set("dark", forKey: "ui.theme")
    try await a.set(3, forKey: "count")
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    #expect(try await b.values().isEmpty)
    await b.monitor("ui.theme")
    var changed = b.changedKeys.makeAsyncIterator()
    _ = try await b.sync().get()
    #expect(try await b.values() == ["ui.theme": "dark"])
    #expect(await changed.next() == ["ui.theme"])
    await b.stopMonitoring("ui.theme")
    try await a.set("light", forKey: "ui.theme")
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    #expect(try await b.value(forKey: "ui.theme") == "dark")
  }

  @Test func aRemovedKeyIsRemovedElsewhereAndAMissingOneNever() async throws {
    let (a, b) = try stores(EngineBench())
    for store in [a, b] { await store.monitor("x", "y") }
    try await a.set(1, forKey: "x")
    try await b.set(2, forKey: "y")
    for store in [a, b, a] { _ = try await store.sync().get() }
    #expect(try await a.values() == ["x": 1, "y": 2])
    try await a.removeValue(forKey: "x")
    for store in [a, b] { _ = try await store.sync().get() }
    #expect(try await b.values() == ["y": 2])
  }

  @Test func defaultsShowAndAreNeverUploaded() async throws {
    let (a, b) = try stores(EngineBench())
    await a.register(defaults: ["size": 12])
    await b.monitor("size")
    #expect(try await a.value(forKey: "size") == 12)
    for store in [a, b] { _ = try await store.sync().get() }
    #expect(try await b.value(forKey: "size") == nil)
  }

  @Test func aSecondSyncNeverRevertsALocalEdit() async throws {
    let (a, b) = try stores(EngineBench())
    for store in [a, b] { await store.monitor("x") }
    try await a.set(1, forKey: "x")
    for store in [a, b] { _ = try await store.sync().get() }
    try await b.set(2, forKey: "x")
    for _ in 0..<2 {
      _ = try await b.sync().get()
      #expect(try await b.value(forKey: "x") == 2)
    }
    _ = try await a.sync().get()
    #expect(try await a.value(forKey: "x") == 2)
  }

  @Test func namedKeysAloneAreSynced() async throws {
    let (a, b) = try stores(EngineBench())
    await b.monitor("x", "y")
    try await a.set(1, forKey: "x")
    try await a.set(2, forKey: "y")
    _ = try await a.sync(keys: ["x"]).get()
    _ = try await b.sync().get()
    #expect(try await b.values() == ["x": 1])
  }

  @Test func aChangeShowsByItselfWhereThatIsOn() async throws {
    let bench = try EngineBench()
    let (a, b) = try stores(bench, syncOnChange: true)
    await b.monitor("x")
    try await a.set(1, forKey: "x")
    #expect(await eventually { bench.time.nextDue != nil })
    let due = try #require(bench.time.nextDue)
    bench.time.move(to: due)
    #expect(
      await eventually {
        _ = await b.sync()
        return (try? await b.value(forKey: "x")) == 1
      })
  }

  /// Lets time pass, from one thing that is due to the next, until a condition holds.
  private func passTime(_ bench: EngineBench, until condition: () async -> Bool) async -> Bool {
    await eventually {
      if await condition() { return true }
      if let due = bench.time.nextDue { bench.time.move(to: due) }
      return false
    }
  }

  /// What a stream of changed keys told so far.
  private final class Heard: Sendable {
    private let told = Mutex<[Set<String>]>([])

    init(_ store: KeyValueSync) {
      let changes = store.changedKeys
      Task { [weak self] in
        for await keys in changes { self?.told.withLock { $0.append(keys) } }
      }
    }

    var keys: [Set<String>] { told.withLock { $0 } }
  }

  @Test func changesFromElsewhereArriveByTheEnginesOwnSyncs() async throws {
    let bench = try EngineBench()
    let (first, second) = try bench.pair()
    let (a, b) = (try KeyValueSync(engine: first), try KeyValueSync(engine: second))
    let deaf = try KeyValueSync(engine: second, suite: "other")
    let manager = BackgroundSyncManager(syncEngine: second, clock: bench.time.clock)
    manager.start()
    defer { manager.stop() }
    await b.monitor("ui.theme")
    await deaf.monitor("ui.theme")
    let changed = Heard(b)
    // Nobody calls `sync()`: what is written is sent by itself, and what comes shows by itself.
    try await a.set("dark", forKey: "ui.theme")
    try await a.set(3, forKey: "count")
    #expect(await passTime(bench) { (try? await b.values().isEmpty) == false })
    #expect(await eventually { changed.keys == [["ui.theme"]] })
    #expect(try await b.values() == ["ui.theme": "dark"])
    #expect(try await deaf.values().isEmpty)
    // What is monitored no longer stays as it is, and what is from now on comes.
    await b.stopMonitoring("ui.theme")
    await b.monitor("size")
    try await a.set("light", forKey: "ui.theme")
    try await a.removeValue(forKey: "count")
    try await a.set(12, forKey: "size")
    #expect(await passTime(bench) { (try? await b.value(forKey: "size")) == 12 })
    #expect(await eventually { changed.keys == [["ui.theme"], ["size"]] })
    #expect(try await b.values() == ["size": 12, "ui.theme": "dark"])
    // A key that was removed elsewhere is removed here, and told.
    try await a.removeValue(forKey: "size")
    #expect(await passTime(bench) { (try? await b.value(forKey: "size")) == .some(nil) })
    #expect(await eventually { changed.keys == [["ui.theme"], ["size"], ["size"]] })
  }

  @Test func withSyncOnChangeOffNothingMovesByItself() async throws {
    let bench = try EngineBench()
    let (first, second) = try bench.pair()
    let (a, b) = (try KeyValueSync(engine: first), try KeyValueSync(engine: second))
    let loud = try KeyValueSync(engine: first, suite: "loud")
    b.syncOnChange = false
    await b.monitor("x")
    try await a.set(1, forKey: "x")
    try await loud.set(1, forKey: "x")
    _ = try await a.sync().get()
    // The merge happens, by the engine; a suite that listens sees it.
    let listener = try KeyValueSync(engine: second, suite: "loud")
    await listener.monitor("x")
    _ = try await second.sync().get()
    #expect(await eventually { (try? await listener.value(forKey: "x")) == 1 })
    #expect(try await b.value(forKey: "x") == nil)
    _ = try await b.sync().get()
    #expect(try await b.value(forKey: "x") == 1)
  }

  @Test func twoObjectsOfOneSuiteShareWhatItHolds() async throws {
    let bench = try EngineBench()
    let (first, second) = try bench.pair()
    let (one, two) = (try KeyValueSync(engine: first), try KeyValueSync(engine: first))
    for store in [one, two] {
      store.syncOnChange = false
      await store.monitor("z")
    }
    try await one.set(1, forKey: "x")
    try await two.set(2, forKey: "y")
    // What the other wrote meanwhile is neither hidden nor undone.
    try await one.set(3, forKey: "x")
    #expect(try await one.values() == ["x": 3, "y": 2])
    #expect(try await two.values() == ["x": 3, "y": 2])
    let other = try KeyValueSync(engine: second)
    await other.monitor("x", "y")
    _ = try await two.sync().get()
    _ = try await other.sync().get()
    #expect(try await other.values() == ["x": 3, "y": 2])
    // Both tell of what comes.
    for store in [one, two] { store.syncOnChange = true }
    let heard = [Heard(one), Heard(two)]
    try await other.set(9, forKey: "z")
    _ = try await other.sync().get()
    _ = try await first.sync().get()
    #expect(await eventually { heard.allSatisfy { $0.keys == [["z"]] } })
  }

  // MARK: - Bounds

  /// One change holds 1 MiB; what gathered in between is more.
  @Test func moreEditsThanOneChangeHoldsAreUploaded() async throws {
    let (a, b) = try stores(EngineBench())
    await b.monitor("k0", "k1", "k2", "k3", "k4")
    for number in 0..<5 {
      try await a.set(
        SyncValue.string(JSONString(String(repeating: "\(number)", count: 300_000))), forKey: "k\(number)")
    }
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    #expect(try await b.values() == a.values())
    #expect(try await b.values().count == 5)
    // Keys that were removed go the same way, and so does what comes after.
    for number in 0..<4 { try await a.removeValue(forKey: "k\(number)") }
    try await a.set(1, forKey: "k4")
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    #expect(try await b.values() == ["k4": 1])
  }

  @Test func aValueThatNoChangeHoldsIsRefusedAndHoldsUpNothing() async throws {
    let (a, b) = try stores(EngineBench())
    await b.monitor("x", "long")
    let long = SyncValue.string(JSONString(String(repeating: "a", count: 1 << 20)))
    var deep: SyncValue = [:]
    for _ in 0..<127 { deep = ["a": deep] }
    for value in [long, deep] {
      await #expect {
        try await a.set(value, forKey: "long")
      } throws: {
        if case .invalidRecord? = $0 as? SyncError { true } else { false }
      }
    }
    #expect(try await a.value(forKey: "long") == nil)
    try await a.set(1, forKey: "x")
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    #expect(try await b.values() == ["x": 1])
  }

  /// The deepest that a record can hold stays readable here too.
  @Test func aValueAsDeepAsARecordHoldsIsKept() async throws {
    let (a, b) = try stores(EngineBench())
    await b.monitor("deep")
    var deep: SyncValue = [:]
    for _ in 0..<126 { deep = ["a": deep] }
    try await a.set(deep, forKey: "deep")
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    #expect(try await b.value(forKey: "deep") == deep)
  }
}
