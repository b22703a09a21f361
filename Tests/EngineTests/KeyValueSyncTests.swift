import ObjectStore
import RunicCore
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
}
