import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// What a command costs does not depend on how much history there is.
@Suite struct CostRecordTests {
  /// The counters of each of some commands in a row.
  private func costs(
    of count: Int, after records: Int, _ act: (Repository, Int) throws -> Void
  ) throws -> [FaultyFileSystem.Counters] {
    let disk = MemoryFileSystem()
    let faulty = FaultyFileSystem(disk)
    let bench = try Workbench(faulty)
    let a = try bench.begin("a")
    if records > 0 { try a.useMany(records) }
    try a.use("first", 1)
    return try (0..<count).map { number in
      faulty.resetCounters()
      try act(a, number)
      return faulty.counters
    }
  }

  private func expectSameWork(_ act: (Repository, Int) throws -> Void) throws {
    let small = try costs(of: 64, after: 0, act)
    let large = try costs(of: 64, after: 100_000, act)
    let calls = { (costs: [FaultyFileSystem.Counters]) in costs.map(\.total).reduce(0, +) / costs.count }
    let most = { (costs: [FaultyFileSystem.Counters]) in costs.map(\.total).max() ?? 0 }
    // The index may have some runs more, each opened with a few calls.
    #expect(calls(large) <= calls(small) + 60, "on average")
    #expect(most(large) <= most(small) + 120, "at most")
    // A roll-up's part, and as much again for a run of the index.
    for cost in large {
      #expect(cost.bytesWritten <= 2 << 20)
      #expect(cost.bytesRead <= 2 << 20)
    }
    let bytes = { (costs: [FaultyFileSystem.Counters]) in
      costs.map { $0.bytesRead + $0.bytesWritten }.sorted()[costs.count / 2]
    }
    #expect(bytes(large) <= bytes(small) + 256 << 10, "in the middle")
    print("record: calls \(calls(small)) and \(calls(large)), bytes \(bytes(small)) and \(bytes(large))")
  }

  @Test func aRecordAmongAHundredThousandDoesTheWorkOfOneAmongFew() throws {
    try expectSameWork { try $0.use("claude", Int64($1)) }
  }

  @Test func anEditAmongAHundredThousandRecordsDoesTheWorkOfOneAmongFew() throws {
    try expectSameWork { try $0.prefer(["size": .integer(Int64($1))]) }
  }

  /// Nothing is read but what is needed, however often: a record again stores nothing.
  @Test func aRecordThatIsThereAlreadyWritesNothing() throws {
    for cost in try costs(of: 3, after: 1000, { repository, _ in try repository.use("first", 1) }) {
      #expect(cost.bytesWritten == 0)
      #expect(cost[.rename] == 0)
      #expect(cost[.sync] == 0)
    }
  }
}
