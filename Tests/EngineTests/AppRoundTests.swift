import CanonicalJSON
import Dispatch
import ObjectStore
import Synchronization
import TestSupport
import Testing

@testable import RunicCore

/// A sync of an app is the round of the command line: hooks, tracked files and history go with it.
@Suite struct AppRoundTests {
  /// Stands in for the user's programs.
  private final class Programs: ProgramRunner {
    struct Call { let name: String, arguments: [String], input: JSONValue }

    private let state = Mutex<(calls: [Call], statuses: [String: Int32])>(([], [:]))
    private let gate: DispatchSemaphore?

    init(gate: DispatchSemaphore? = nil) { self.gate = gate }

    var calls: [Call] { state.withLock { $0.calls } }
    var names: [String] { calls.map(\.name) }
    func fail(_ hook: Hook, with status: Int32) { state.withLock { $0.statuses[hook.rawValue] = status } }

    func run(
      _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
    ) throws(ProgramError) -> ProgramResult {
      let name = call.program.split(separator: "/").last.map(String.init) ?? ""
      let input = (try? JSONValue.parse(call.input)) ?? .null
      let status = state.withLock { state in
        state.calls.append(Call(name: name, arguments: call.arguments, input: input))
        return state.statuses[name] ?? 0
      }
      gate?.wait()
      return ProgramResult(status: status, errors: Array("what a hook says\n".utf8))
    }
  }

  private let bench: EngineBench
  private let first: Repository
  private let record = RecordName(family: .keys, kind: "editor", id: Array("main".utf8))

  init() throws {
    bench = try EngineBench()
    first = try bench.begin("a")
  }

  private func engine(
    _ name: String, _ programs: Programs,
    openRemote: (@Sendable (Repository, String) throws -> any Remote)? = nil
  ) throws -> FileSyncEngine {
    var environment = bench.environment
    environment.remotes = RemoteOptions(runner: programs)
    try bench.fileSystem.makeDirectories("/w/\(name)/hooks", permissions: 0o700)
    for hook in Hook.allCases {
      try bench.fileSystem.setContents("/w/\(name)/hooks/\(hook.rawValue)", [])
      try bench.fileSystem.setPermissions("/w/\(name)/hooks/\(hook.rawValue)", 0o700)
    }
    return try FileSyncEngine(
      path: "/w/\(name)", environment: environment, clock: bench.time.clock, openRemote: openRemote)
  }

  @Test func hooksRunAroundWhateverAnAppSyncs() async throws {
    let programs = Programs()
    let (a, b) = (try engine("a", Programs()), try bench.join("b", of: first))
    _ = b
    let other = try engine("b", programs)
    _ = try await a.push(records: [AlertConfigurationSyncRecord(providerID: "claude")]).get()
    _ = try await other.sync().get()
    _ = try await other.push(records: [reading("claude", 1)]).get()
    _ = try await other.fetch(recordTypes: ["alert"]).get()
    #expect(programs.names == ["pre-sync", "post-merge", "pre-sync", "pre-sync"])
    #expect(programs.calls.map { $0.arguments.last } == ["sync", "sync", "push", "pull"])
    let merged = programs.calls[1].input
    #expect(merged["count"] == 1)
    #expect(merged["records"]?.arrayValue?.first?["id"] == "claude")
  }

  @Test func aFailingPreSyncStopsASyncAndWhatWasRecordedWaits() async throws {
    let programs = Programs()
    programs.fail(.preSync, with: 3)
    let a = try engine("a", programs)
    let lines = Mutex<[String]>([])
    a.log { line in lines.withLock { $0.append(line) } }
    await a.enqueue(reading("claude", 1))
    #expect(await a.sync().failure == .busy("the hook pre-sync ended with status 3"))
    #expect(await a.pendingOperationCount == 1)
    #expect(programs.names == ["pre-sync"])
    #expect(lines.withLock { !$0.isEmpty && $0.allSatisfy { !$0.contains("what a hook says") } })
    programs.fail(.preSync, with: 0)
    #expect(try await a.sync().get().pushedCount == 1)
  }

  @Test func theOthersOnlyWarn() async throws {
    let programs = Programs()
    programs.fail(.postMerge, with: 1)
    programs.fail(.onFailure, with: 1)
    let remote = FailingRemote(bench.time)
    try bench.join("b", of: first)
    let (a, b) = (try bench.engine("a"), try engine("b", programs, openRemote: remote.open))
    _ = try await a.push(records: [reading("claude", 1)]).get()
    let done = try await b.sync().get()
    #expect(done.fetchedCount == 1)
    #expect(done.warnings == ["the hook post-merge ended with status 1"])
    remote.reason = .refused
    guard case .networkUnavailable? = await b.sync().failure else { return #expect(Bool(false)) }
    #expect(programs.names.last == "on-failure")
    #expect(programs.calls.last?.input["error"]?["code"] == "network-unavailable")
  }

  @Test func aHookThatHangsHoldsUpNoRecord() async throws {
    let gate = DispatchSemaphore(value: 0)
    let programs = Programs(gate: gate)
    let a = try engine("a", programs)
    let sync = Task { await a.sync() }
    #expect(await eventually { !programs.calls.isEmpty })
    #expect(await a.enqueue(reading("claude", 1)).failure == nil)
    #expect(try await a.read(recordTypes: ["usage"]).get().count == 1)
    gate.signal()
    #expect(await sync.value.failure == nil)
  }

  @Test func trackedFilesAreTakenBeforeAndWrittenAfter() async throws {
    let other = try bench.join("b", of: first)
    let (a, b) = (try bench.engine("a"), try bench.engine("b"))
    await a.declare(Kind("editor", .perKey(key: nil)))
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    // Tracked after the engines were opened, as another process does it.
    for (device, text) in [(first, "{\"size\": 1.0, \"tabs\": true}"), (other, "{}")] {
      let path = "/w/\(device.deviceName).json"
      try bench.fileSystem.setContents(path, Array(text.utf8))
      try device.track(TrackedFile(path: path, record: record))
    }
    _ = try await a.sync().get()
    _ = try await b.sync().get()
    func text(_ name: String) throws -> String {
      String(decoding: try bench.fileSystem.contents("/w/\(name).json"), as: UTF8.self)
    }
    #expect(try SettingsText(bench.fileSystem.contents("/w/b.json")).payload == ["size": 1, "tabs": true])
    // An edit here and another there: taken before the pull, so that neither is lost.
    try bench.fileSystem.setContents("/w/a.json", Array("{\"size\": 2, \"tabs\": true}".utf8))
    try bench.fileSystem.setContents("/w/b.json", Array("{\"size\": 1, \"tabs\": false}".utf8))
    for engine in [a, b, a] { _ = try await engine.sync().get() }
    #expect(try text("a") == "{\"size\": 2, \"tabs\": false}")
    #expect(try text("b") == "{\"size\": 2, \"tabs\": false}")
    try bench.fileSystem.setContents("/w/b.json", Array("{\"size\": 2".utf8))
    #expect(try await b.sync().get().warnings.first?.contains("'/w/b.json' was left alone") == true)
  }

  @Test func theHistoryTellsOfItsSyncs() async throws {
    let remote = FailingRemote(bench.time)
    let a = try bench.engine("a", openRemote: remote.open)
    await a.enqueue(reading("claude", 1))
    _ = try await a.sync().get()
    remote.reason = .full
    _ = await a.sync()
    let syncs = first.readHistory().syncs
    #expect(syncs.map(\.sent.changes) == [1, 0])
    #expect(syncs.first?.sent.bytes ?? 0 > 100)
    #expect(syncs.map(\.failure) == [nil, "quota-exceeded"])
  }

  /// A push that meets a clone of this device brings in what the clone recorded: `changes` tells of it.
  @Test func whatAPushMergesIsTold() async throws {
    let a = try bench.engine("a")
    await a.enqueue(reading("claude", 1))
    _ = try await a.sync().get()
    try bench.fileSystem.makeDirectories("/w/clone/tmp", permissions: 0o700)
    for (path, bytes) in try bench.fileSystem.tree("/w/a") {
      let copy = "/w/clone/\(path)"
      try bench.fileSystem.makeDirectories(parent(of: copy), permissions: 0o700)
      try bench.fileSystem.setContents(copy, bytes)
      try bench.fileSystem.setPermissions(copy, 0o600)
    }
    let clone = try bench.engine("clone")
    _ = try await clone.push(records: [AlertConfigurationSyncRecord(providerID: "codex")]).get()
    let told = Mutex<[String]>([])
    let changes = a.changes
    let listening = Task {
      for await merge in changes { told.withLock { $0 += merge.changes.map(\.id) } }
    }
    defer { listening.cancel() }
    _ = try await a.push(records: [AlertConfigurationSyncRecord(providerID: "claude")]).get()
    #expect(await eventually { told.withLock { $0 } == ["codex"] })
  }
}
