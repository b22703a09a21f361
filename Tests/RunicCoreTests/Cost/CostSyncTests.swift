import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// What a pull, a push and a shared folder cost.
@Suite struct CostSyncTests {
  /// Devices that have written one commit each, straight into a shared folder.
  private func populate(_ bench: Workbench, _ first: Repository, devices count: Int) throws {
    try bench.fileSystem.makeDirectories(bench.path("attic"), permissions: 0o700)
    let store = Store(
      root: bench.path("shared"), temporary: bench.path("attic"), fileSystem: bench.fileSystem,
      random: bench.random)
    for number in 0..<count {
      let identity = DeviceIdentity(
        key: SigningKey.generate(from: bench.random), name: "device \(number)", platform: "test")
      let writer = LogWriter(store: store, keys: first.keys, identity: identity, base: nil)
      try writer.append(CommitDraft(stamp: UInt64(number) + 1, time: 1, changes: []))
      _ = try writer.publish(time: 1)
    }
  }

  @Test(arguments: [1, 1000])
  func aPullOfNothingReadsTheMarkerAndListsOneFolder(devices: Int) throws {
    let disk = MemoryFileSystem()
    let faulty = FaultyFileSystem(disk)
    let bench = try Workbench(faulty)
    let a = try bench.begin("a")
    try a.use("claude", 1)
    _ = try a.push("shared")
    try populate(bench, a, devices: devices)
    _ = try a.pull("shared")
    #expect(try a.read { try $0.devices().count } == devices + 1)
    let remote = CountingRemote(try a.remote(try a.configuration.remote("shared")))
    faulty.resetCounters()
    faulty.startTrace()
    let outcome = try a.pull(from: remote, named: "shared")
    #expect(outcome.fetchedCount == 0)
    #expect(remote.calls == ["look"])
    let trace = faulty.trace.filter { $0.path.hasPrefix(bench.path("shared")) }
    #expect(Set(trace.filter { $0.call == .open }.map(\.path)) == [bench.path("shared/runic.json")])
    #expect(trace.filter { $0.call == .list }.map(\.path) == [bench.path("shared/heads")])
    #expect(faulty.counters.bytesWritten == 0)
    // Nothing is opened on this side for each device either.
    #expect(faulty.counters[.open] < 60)
  }

  @Test func aPushOfNothingReadsAndListsNoMore() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 1)
    _ = try a.push("shared")
    let remote = CountingRemote(try a.remote(try a.configuration.remote("shared")))
    _ = try a.push(to: remote, named: "shared")
    #expect(remote.calls == ["look"])
  }

  @Test(arguments: [1, 3])
  func aThousandPushesLeaveFewFiles(devices count: Int) throws {
    let bench = try Workbench()
    let first = try bench.begin("d0")
    _ = try first.push("shared")
    var devices = [first]
    for number in 1..<max(1, count) { devices.append(try bench.join("d\(number)", of: first)) }
    var most = 0
    for number in 0..<1000 {
      let device = devices[number % count]
      try device.use("claude", Int64(number))
      _ = try device.push("shared")
      if count > 1, number % 10 == 0 { _ = try device.pull("shared") }
      if number % 50 == 49 { most = max(most, try bench.shared().count) }
    }
    #expect(most < 100)
    print("files in the shared folder of \(count): at most \(most)")
    for device in devices { _ = try device.pull("shared") }
    for device in devices {
      #expect(try device.usageCount == 1000)
      #expect(try device.faults() == [])
    }
    #expect(try first.faultsOfRemote() == [])
  }

  @Test func aPullOfAHundredThousandRecordsReadsNoMoreThanOneObjectAtATime() throws {
    let disk = MemoryFileSystem()
    let bench = try Workbench(disk)
    let a = try bench.begin("a")
    try a.useMany(100_000)
    _ = try a.push("shared")
    let faulty = FaultyFileSystem(disk)
    let far = try Workbench(faulty, seed: 4)
    let b = try far.join("b", of: a)
    let shared = try bench.shared().values.reduce(0) { $0 + $1.count }
    faulty.resetCounters()
    let outcome = try b.pull("shared")
    #expect(outcome.fetchedCount == 100_000)
    #expect(try b.usageCount == 100_000)
    // Every file once from there, and from here again to check it and to apply it; the index on top.
    print(
      "a pull of 100,000: \(faulty.counters.bytesRead) read, \(faulty.counters.bytesWritten) written, \(shared) shared"
    )
    #expect(faulty.counters.bytesWritten < 12 * shared + (64 << 20))
  }
}
