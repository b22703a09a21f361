import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

@Suite struct EnqueueLoadTests {
  /// A million with `RUNIC_ENQUEUES=1000000`.
  private static var count: Int { ProcessEnvironment.value("RUNIC_ENQUEUES").flatMap { Int($0) } ?? 20_000 }

  @Test func ofManyEnqueuesAtOnceNoneIsLost() async throws {
    let bench = try EngineBench()
    try bench.begin("a", hasRemote: false)
    let engine = try bench.engine("a")
    let (count, tasks) = (Self.count, 1000)
    let failures = await withTaskGroup(of: Int.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var failures = 0
          for amount in stride(from: task, to: count, by: tasks) {
            let priority = SyncPriority.allCases[amount % 4]
            if await engine.enqueue(reading("claude", Int64(amount)), priority: priority).failure != nil {
              failures += 1
            }
          }
          return failures
        }
      }
      return await group.reduce(0, +)
    }
    #expect(failures == 0)
    let stored = try await engine.read(recordTypes: ["usage"]).get()
    #expect(Set(stored.compactMap { ($0 as? UsageSnapshotSyncRecord)?.primaryUsed }).count == count)
  }

  @Test func callsThatWaitTogetherShareACommit() async throws {
    let bench = try EngineBench()
    let repository = try bench.begin("a", hasRemote: false)
    let engine = try bench.engine("a")
    await withTaskGroup(of: Void.self) { group in
      for amount in 0..<500 { group.addTask { await engine.enqueue(reading("claude", Int64(amount))) } }
    }
    let commits = try repository.read { try $0.devices().compactMap { $0.commit?.sequence }.max() ?? 0 }
    #expect((1..<250).contains(commits))
  }

  /// Without a push nobody else puts the index in order; each enqueue would ask more runs than the one before.
  @Test func manyEnqueuesWithoutAPushLeaveFewRuns() async throws {
    let bench = try EngineBench()
    let repository = try bench.begin("a", hasRemote: false)
    let engine = try bench.engine("a")
    await engine.declare(Kind("note", .history(key: nil)))
    let text = JSONValue.string(JSONString(String(repeating: "abcdefghij", count: 3000)))
    for round in Int64(0)..<60 {
      let records = (Int64(0)..<10).map { number in
        SyncRecord(
          recordType: "note", recordID: "", payload: ["number": .integer(round * 10 + number), "text": text])
      }
      _ = try await engine.push(records: records).get()
    }
    let runs = try repository.read { $0.index.table.runCount }
    #expect(runs <= RecordIntake.mostRuns + 1)
    #expect(try await engine.read(recordTypes: ["note"]).get().count == 600)
  }
}
