import CanonicalJSON
import ObjectStore
import Synchronization
import Testing
import TestSupport

@testable import RunicCore

/// What goes on around a sync: hooks, what is counted, and that no lock is held meanwhile.
@Suite struct SyncRoundTests {
  /// Stands in for the programs of the user's.
  private final class Hooks: ProgramRunner {
    struct Call { let name: String, arguments: [String], input: JSONValue, limit: Int64? }

    private let state = Mutex<[Call]>([])
    private let answers: [String: Result<ProgramResult, ProgramError>]
    private let meanwhile: @Sendable () -> Void

    init(
      _ answers: [String: Result<ProgramResult, ProgramError>] = [:],
      meanwhile: @escaping @Sendable () -> Void = {}
    ) {
      (self.answers, self.meanwhile) = (answers, meanwhile)
    }

    var calls: [Call] { state.withLock { $0 } }
    var names: [String] { calls.map(\.name) }

    func run(
      _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
    ) throws(ProgramError) -> ProgramResult {
      let name = call.program.split(separator: "/").last.map(String.init) ?? ""
      meanwhile()
      state.withLock {
        $0.append(
          Call(
            name: name, arguments: call.arguments, input: (try? JSONValue.parse(call.input)) ?? .null,
            limit: call.timeLimit))
      }
      return try answers[name, default: .success(ProgramResult(status: 0))].get()
    }
  }

  private let disk = MemoryFileSystem()
  private let bench: Workbench
  private let a: Repository

  init() throws {
    bench = try Workbench(disk)
    a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
  }

  private func put(_ hooks: [Hook], in repository: Repository, permissions: UInt32 = 0o700) throws {
    try disk.makeDirectories(repository.layout.hooks, permissions: 0o700)
    for hook in hooks {
      let path = "\(repository.layout.hooks)/\(hook.rawValue)"
      try disk.setContents(path, [])
      try disk.setPermissions(path, permissions)
    }
  }

  private func round(
    _ repository: Repository, _ programs: Hooks, failures: @escaping (HookFailure) -> Void = { _ in }
  ) -> SyncRound {
    SyncRound(
      repository, .sync, hooks: HookRunner(repository, programs: programs) { _, _ in },
      failureText: { _, _ in ["code": "broken"] }, onTrack: { _ in }, onHookFailure: failures)
  }

  @discardableResult
  private func sync(
    _ repository: Repository, _ programs: Hooks, failures: @escaping (HookFailure) -> Void = { _ in }
  ) throws -> SyncOutcome {
    try round(repository, programs, failures: failures).run("shared") {
      try repository.sync(with: $0, named: "shared")
    }
  }

  @Test func hooksRunAroundASyncAndHoldNoLock() throws {
    try put(Hook.allCases, in: a)
    let path = a.layout.lock
    let wasFree = Mutex(true)
    let disk = disk
    let hooks = Hooks {
      let lock = try? FileLock.acquireIfFree(path, in: disk)
      if lock == nil { wasFree.withLock { $0 = false } }
    }
    try sync(a, hooks)
    #expect(hooks.names == ["pre-sync"])
    #expect(hooks.calls.first?.arguments == ["shared", "sync"])
    let b = try bench.join("b", of: a)
    try put(Hook.allCases, in: b)
    try b.prefer(["size": 1])
    try sync(b, hooks)
    try sync(a, hooks)
    #expect(hooks.names == ["pre-sync", "pre-sync", "post-merge", "pre-sync", "post-merge"])
    let merged = try #require(hooks.calls.last).input
    #expect(merged["count"] == 1)
    #expect(merged["remote"] == "shared")
    #expect(merged["records"]?.arrayValue?.first?["payload"] == ["size": 1, "theme": "dark"])
    #expect(merged["records"]?.arrayValue?.first?["id"] == "user-preferences")
    #expect(wasFree.withLock { $0 })
  }

  @Test func aFailingPreSyncStopsTheSync() throws {
    try put(Hook.allCases, in: a)
    let hooks = Hooks(["pre-sync": .success(ProgramResult(status: 3, errors: Array("not now\n".utf8)))])
    var failure: HookFailure?
    do { try sync(a, hooks) } catch RunicError.hookFailed(let cause) { failure = cause }
    #expect(failure?.reason == .status(3))
    #expect(failure?.message == "not now")
    #expect(hooks.names == ["pre-sync"])
    #expect(try a.status().unpushed == 1)
  }

  @Test(arguments: [ProgramError.timedOut, .missing(program: "x"), .tooMuchOutput])
  func theOthersStopNothing(_ error: ProgramError) throws {
    let b = try bench.join("b", of: a)
    try put([.postMerge, .onFailure], in: b)
    _ = try a.push("shared")
    let hooks = Hooks(["post-merge": .failure(error), "on-failure": .failure(error)])
    var failed: [Hook] = []
    let outcome = try sync(b, hooks) { failed.append($0.hook) }
    #expect(outcome.fetchedCount == 1)
    #expect(try b.preferences == ["theme": "dark"])
    try b.configure { try $0.setURL("/nowhere", ofRemote: "shared") }
    #expect(throws: (any Error).self) { try sync(b, hooks) { failed.append($0.hook) } }
    #expect(failed == [.postMerge, .onFailure])
    #expect(hooks.calls.last?.input["error"] == ["code": "broken"])
  }

  /// A failure of the system is none of the hook's: its first line is as it must be.
  @Test func aHookThatNobodyCanWaitForHasFailed() throws {
    try put([.preSync], in: a)
    let cause = SystemError(call: "waitpid", path: "pre-sync", code: 10)
    for (code, reason) in [(10, .program(.system(cause))), (8, .notExecutable)]
      as [(Int32, HookFailure.Reason)]
    {
      let error = ProgramError.system(SystemError(call: cause.call, path: cause.path, code: code))
      var failure: HookFailure?
      do { try sync(a, Hooks(["pre-sync": .failure(error)])) } catch RunicError.hookFailed(let cause) {
        failure = cause
      }
      #expect(failure?.reason == reason)
      #expect(failure?.words.contains("no child processes") == (code == 10))
    }
  }

  private func tracking() throws -> Repository {
    let b = try bench.join("b", of: a)
    try put([.postMerge, .onFailure], in: b)
    try b.track(
      TrackedFile(
        path: bench.path("gone.json"),
        record: RecordName(family: .keys, kind: "preferences", id: Array("user-preferences".utf8))))
    _ = try a.push("shared")
    return b
  }

  /// What merged has merged.
  @Test func aMergeIsToldAlsoWhereTrackedFilesCannotBeWritten() throws {
    let (b, hooks) = (try tracking(), Hooks())
    #expect(throws: (any Error).self) {
      try round(b, hooks).run("shared") { remote in
        let outcome = try b.sync(with: remote, named: "shared")
        try? disk.remove(b.layout.ledger)
        try disk.setContents(b.layout.ledger, Array("junk".utf8))
        return outcome
      }
    }
    #expect(hooks.names == ["post-merge", "on-failure"])
  }

  @Test func aMergeThatCannotBeToldIsAFailureOfItsHook() throws {
    let b = try bench.join("b", of: a)
    try put([.postMerge], in: b)
    _ = try a.push("shared")
    let hooks = Hooks()
    var failed: [HookFailure] = []
    _ = try round(b, hooks, failures: { failed.append($0) }).run("shared") { remote in
      let outcome = try b.sync(with: remote, named: "shared")
      // A file where the folder was.
      try disk.rename(b.layout.index, to: "\(b.layout.root)/former")
      try disk.setContents(b.layout.index, [])
      return outcome
    }
    #expect(hooks.names.isEmpty)
    #expect(failed.map(\.reason) == [.noInput] && failed.first?.hook == .postMerge)
  }

  @Test func eachHasATimeLimit() throws {
    try put([.preSync], in: a)
    let hooks = Hooks()
    try sync(a, hooks)
    try a.configure { try $0.set("hooks.timeout", to: "5") }
    try sync(a, hooks)
    #expect(hooks.calls.map(\.limit) == [60_000, 5000])
  }

  @Test func whatCannotBeExecutedIsNoHook() throws {
    try put(Hook.allCases, in: a, permissions: 0o600)
    let hooks = Hooks()
    try sync(a, hooks)
    #expect(hooks.names.isEmpty)
  }

  @Test func bytesAndFailuresAreCounted() throws {
    let hooks = Hooks()
    try sync(a, hooks)
    let sent = try #require(a.readHistory().syncs.last)
    #expect(sent.sent.changes == 1 && sent.sent.files == 2 && sent.sent.bytes > 100)
    #expect(sent.received == SyncHistory.Traffic())
    let b = try bench.join("b", of: a)
    try a.prefer(["theme": "light"])
    try sync(a, hooks)
    try sync(b, hooks)
    let came = try #require(b.readHistory().syncs.last)
    #expect(came.received.changes >= 1 && came.received.bytes > 100)
    try a.configure { try $0.setURL("/nowhere", ofRemote: "shared") }
    #expect(throws: (any Error).self) { try sync(a, hooks) }
    #expect(a.readHistory().syncs.last?.failure == "broken")
    #expect(a.readHistory().statistics.failedSyncs == 1)
  }

  @Test func theSizeOfARemoteIsThatOfItsFiles() throws {
    try a.use("claude", 1)
    let hooks = Hooks()
    try sync(a, hooks)
    let size = try a.size(of: "shared")
    let files = try disk.tree(bench.path("shared"))
    #expect(size.total.files == Int64(files.count))
    #expect(size.total.bytes == Int64(files.values.reduce(0) { $0 + $1.count }))
    #expect(Set(size.devices.flatMap { $0.kinds.map(\.kind) }) == ["preferences", "usage"])
  }

  @Test func recordsOfHistoriesAreToldOfToo() throws {
    let b = try bench.join("b", of: a)
    try put([.postMerge], in: b)
    try sync(a, Hooks())
    for amount in Int64(1)...3 { try a.use("claude", amount) }
    try sync(a, Hooks())
    let hooks = Hooks()
    try sync(b, hooks)
    let merged = try #require(hooks.calls.last).input
    #expect(hooks.names == ["post-merge"])
    #expect(merged["count"] == 4)
    let records = merged["records"]?.arrayValue ?? []
    #expect(records.map { $0["family"] } == ["keys", "history", "history", "history"])
    #expect(Set(records.compactMap { $0["payload"]?["primaryUsed"]?.intValue }) == [1, 2, 3])
    try sync(b, hooks)
    #expect(hooks.names == ["post-merge"])
  }

  /// The wall clock is put back while a sync is at work.
  @Test func howLongASyncTookIsNotOfTheWallClock() throws {
    let wall = Atomic(Int64(1_790_000_000_000))
    let ticks = Atomic(Int64(0))
    let clock = Clock(
      now: { wall.subtract(3_600_000, ordering: .relaxed).newValue },
      ticks: { ticks.add(250, ordering: .relaxed).newValue }, sleep: { _ in })
    let again = try Repository.open(
      at: bench.path("a"),
      environment: Environment(fileSystem: disk, clock: clock, random: bench.random, lockWait: 1000))
    let outcome = try sync(again, Hooks())
    #expect(outcome.pushedCount == 1)
    #expect((0.5..<60).contains(outcome.duration), "\(outcome.duration)")
    let noted = try #require(again.readHistory().syncs.last).duration
    #expect((0.5..<60).contains(noted), "\(noted)")
  }

  @Test func aFileThatIsLeftAloneIsToldOfOnce() throws {
    try a.track(
      TrackedFile(
        path: bench.path("gone.json"),
        record: RecordName(family: .keys, kind: "preferences", id: Array("user-preferences".utf8))))
    var told: [String] = []
    _ = try SyncRound(
      a, .sync, hooks: HookRunner(a, programs: Hooks()) { _, _ in }, failureText: { _, _ in .null },
      onTrack: { told.append($0.file.path) }, onHookFailure: { _ in }
    ).run("shared") { try a.sync(with: $0, named: "shared") }
    #expect(told == [bench.path("gone.json")])
  }
}
