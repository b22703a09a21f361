import ObjectStore
import RunicCore
import Testing
import TestSupport

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
}
