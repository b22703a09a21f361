import CanonicalJSON
import ObjectStore
import RunicCore
import Testing
import TestSupport

// What holds for every importer: sums do not move, nothing is read twice, nothing is said that must not be.

private let log = ".claude/projects/-work-x/s1.jsonl"

private func line(_ id: String, _ change: (inout ClaudeFixture) -> Void = { _ in }) -> String {
  var fixture = ClaudeFixture(id: id)
  change(&fixture)
  return fixture.line
}

@Suite struct ImportRulesTests {
  @Test func importedTwiceTheSecondStoresNothing() throws {
    let bench = try ImportBench([log: lines(line("m1"), line("m2"))])
    #expect(try bench.collect().requests == .init(new: 2))
    let store = try bench.store()
    // Once as it is, once with all that is derived gone.
    #expect(try bench.collect().requests == .init())
    try bench.fileSystem.remove("\(bench.repository.layout.root)/imports")
    #expect(try bench.collect().requests == .init(known: 2))
    #expect(try bench.store() == store)
  }

  @Test func theSameLogsOnTwoMachinesAreTheSameRecords() throws {
    let bench = try ImportBench([log: lines(line("m1"), line("m2"))])
    let other = try bench.bench.join("b", of: bench.repository)
    try bench.collect()
    bench.bench.clock.milliseconds += 86_400_000
    try bench.collect(into: other)
    for device in [bench.repository, other, bench.repository] {
      _ = try device.pull("shared")
      _ = try device.push("shared")
    }
    #expect(try bench.requests() == bench.requests(in: other))
    #expect(try bench.total() == 200)
    // A machine that was set up anew adds nothing either.
    let third = try bench.bench.join("c", of: bench.repository)
    _ = try third.pull("shared")
    #expect(try bench.collect(into: third).requests == .init(known: 2))
  }

  @Test func importedAtOnceByTwoProcessesNothingIsCountedTwice() throws {
    let bench = try ImportBench([
      log: lines(line("m1")), ".claude/projects/-work-x/s2.jsonl": lines(line("m2")),
    ])
    let other = try Repository.open(at: bench.repository.layout.root, environment: bench.bench.environment)
    let variables = bench.variables
    let search = LogSearch(fileSystem: bench.fileSystem) { variables[$0] }
    var inner: CollectOutcome?
    // The other one runs when this one has read, and stored nothing yet.
    let outer = try bench.repository.collectUsage(
      CollectOptions(), search: search, programs: FakePrograms(),
      progress: { _ in if inner == nil { inner = try? bench.collect(into: other) } })
    #expect(inner?.requests == .init(new: 2))
    #expect(outer.requests == .init(known: 2))
    #expect(try bench.total() == 200)
  }

  /// What another process stores while this one waits for the lock is known by the time this one has it.
  @Test func storedWhileThisOneWaitsNothingIsStoredAgain() throws {
    let bench = try ImportBench([log: lines(line("m1"), line("m2"))])
    let held = try bench.fileSystem.open(bench.repository.layout.lock, .openOrCreate(permissions: 0o600))
    #expect(try bench.fileSystem.lock(held))
    let wait = FirstWait {
      bench.fileSystem.close(held)
      let outcome = try bench.collect()
      return (outcome, try bench.store())
    }
    let environment = Environment(
      fileSystem: bench.fileSystem,
      clock: Clock(now: bench.bench.clock.clock.now, sleep: { wait.end(after: $0) }),
      random: bench.bench.random, lockWait: 1000)
    let slow = try Repository.open(at: bench.repository.layout.root, environment: environment)
    let outcome = try bench.collect(into: slow)
    let other = try #require(wait.result)
    #expect(other.outcome.requests == .init(new: 2))
    #expect(outcome.requests == .init(known: 2))
    #expect(try bench.store() == other.store)
  }

  @Test func theGreatestRankWinsWhicheverMachineHadIt() throws {
    let bench = try ImportBench([log: lines(line("m1") { $0.usage = ClaudeFixture.usage(10, 1) })])
    let other = try bench.bench.join("b", of: bench.repository)
    try bench.collect()
    try bench.write(log, lines(line("m1")))
    try bench.collect(into: other)
    for device in [bench.repository, other, bench.repository] {
      _ = try device.pull("shared")
      _ = try device.push("shared")
    }
    #expect(try bench.requests() == ["m1 claude-opus-4-1 10/20/30/40"])
    #expect(try bench.requests(in: other) == bench.requests())
  }

  @Test func whatIsGoneOrRewrittenStays() throws {
    let bench = try ImportBench([log: lines(line("m1"), line("m2"))])
    try bench.collect()
    try bench.write(log, lines(line("m3")))
    #expect(try bench.collect().requests == .init(new: 1))
    try bench.fileSystem.remove(bench.absolute(log))
    #expect(try bench.collect().requests == .init())
    #expect(try bench.requests().count == 3)
  }

  @Test func anImportersNumbersReplaceTypedOnes() throws {
    let bench = try ImportBench([log: lines(line("m1"))])
    let typed: JSONObject = [
      "inputTokens": 999_999, "occurredAt": "2026-09-05T12:00:00Z", "outputTokens": 1,
      "providerID": "anthropic",
      "requestID": "m1",
    ]
    let bytes = typed.canonicalBytes
    var fingerprinter = Fingerprinter()
    let id = try Kind.request.naturalID(of: bytes[...], using: &fingerprinter)
    try bench.repository.write { _ = try $0.add(kind: .request, id: id, payload: bytes[...]) }
    #expect(try bench.collect().requests == .init(updated: 1))
    #expect(try bench.requests() == ["m1 claude-opus-4-1 10/20/30/40"])
  }

  // MARK: - Reading again

  @Test func unchangedLogsAreNotOpened() throws {
    let bench = try ImportBench([
      log: lines(line("m1")), ".codex/sessions/2026/09/05/rollout-2026-09-05T12-00-00-s.jsonl": "\n",
    ])
    try bench.collect()
    let counted = FaultyFileSystem(bench.fileSystem)
    let outcome = try bench.collect(through: counted)
    #expect(counted.counters[.open] == 0)
    #expect(outcome.unchangedFiles == 2)
    #expect(outcome.bytes == 0)
  }

  @Test func ofALogThatGrewOnlyTheNewLinesAreRead() throws {
    let begin = lines(line("m1"), line("m2"))
    let bench = try ImportBench([log: begin])
    try bench.collect()
    try bench.write(log, begin + lines(line("m3")))
    let outcome = try bench.collect()
    #expect(outcome.requests == .init(new: 1))
    #expect(outcome.bytes == Int64(lines(line("m3")).utf8.count))
  }

  @Test func aLineThatWasHalfWrittenIsReadWhenItIsWhole() throws {
    let whole = line("m2")
    let bench = try ImportBench([log: lines(line("m1")) + whole.prefix(300)])
    #expect(try bench.collect().requests == .init(new: 1))
    try bench.write(log, lines(line("m1")) + whole)
    #expect(try bench.collect().requests == .init(new: 1))
    // The end of the line is still to come: the line is known by then.
    try bench.write(log, lines(line("m1"), whole))
    #expect(try bench.collect().requests == .init(known: 1))
  }

  @Test func aRewrittenLogIsReadFromItsBeginning() throws {
    let bench = try ImportBench([log: lines(line("m1"))])
    try bench.collect()
    try bench.write(log, lines(line("m8"), line("m9")))
    #expect(try bench.collect().requests == .init(new: 2))
  }

  @Test func aStoreThatLostWhatWasReadIsGivenItAgain() throws {
    let bench = try ImportBench([log: lines(line("m1"))])
    try bench.repository.use("claude", 1)
    let before = bench.fileSystem.snapshot()
    try bench.collect()
    let state = try bench.fileSystem.contents("\(bench.repository.layout.root)/imports")
    bench.fileSystem.restore(before)
    try bench.fileSystem.setContents("\(bench.repository.layout.root)/imports", state)
    let reopened = try Repository.open(at: bench.repository.layout.root, environment: bench.bench.environment)
    #expect(try bench.collect(into: reopened).requests == .init(new: 1))
  }

  @Test(arguments: ["", "x\n", "{\"format\":1}\n\n\t\t\n", "\u{0}"])
  func aStateThatIsDamagedIsNone(_ text: String) throws {
    let bench = try ImportBench([log: lines(line("m1"))])
    try bench.collect()
    try bench.fileSystem.setContents("\(bench.repository.layout.root)/imports", Array(text.utf8))
    #expect(try bench.collect().requests == .init(known: 1))
  }

  // MARK: - What cannot be read

  @Test func aFileThatCannotBeReadIsLeftOutAndReadLater() throws {
    let bench = try ImportBench([
      log: lines(line("m1")), ".claude/projects/-work-x/s2.jsonl": lines(line("m2")),
    ])
    let faulty = FaultyFileSystem(bench.fileSystem)
    faulty.setFault(.init(call: 1, code: 13, only: [.open]))
    let outcome = try bench.collect(through: faulty)
    #expect(outcome.skipped.mapValues(\.count) == [.unreadable(code: 13): 1])
    #expect(outcome.requests == .init(new: 1))
    #expect(try bench.collect().requests == .init(new: 1))
  }

  @Test func aFileThatVanishesIsLeftOut() throws {
    let bench = try ImportBench([
      log: lines(line("m1")), ".claude/projects/-work-x/s2.jsonl": lines(line("m2")),
    ])
    let faulty = FaultyFileSystem(bench.fileSystem)
    faulty.setFault(.init(call: 1, code: 2, only: [.open]))
    let outcome = try bench.collect(through: faulty)
    #expect(outcome.skipped.mapValues(\.count) == [.vanished: 1])
    #expect(outcome.requests == .init(new: 1))
  }

  @Test func aLineThatIsTooLongIsLeftOut() throws {
    let long = #"{"x":""# + String(repeating: "a", count: 33 << 20) + #"","usage":1}"#
    let bench = try ImportBench([log: lines(long, line("m1"))])
    let outcome = try bench.collect()
    #expect(outcome.skipped.mapValues(\.count) == [.overlongLine: 1])
    #expect(outcome.requests == .init(new: 1))
  }

  @Test func linksAreNotFollowed() throws {
    let bench = try ImportBench([log: lines(line("m1"))])
    try bench.fileSystem.makeSymbolicLink(bench.absolute(".claude/projects/-work-x/l.jsonl"))
    #expect(try bench.collect().skipped.mapValues(\.count) == [.symbolicLink: 1])
  }

  // MARK: - What is taken

  @Test func nothingOlderThanAskedForIsTaken() throws {
    let bench = try ImportBench([log: lines(line("m1"), line("m2") { $0.time = "2026-09-06T00:00:00Z" })])
    let since = try #require(Timestamp("2026-09-05T18:00:00Z"))
    #expect(try bench.collect { $0.since = since }.requests == .init(new: 1))
    #expect(try bench.requests() == ["m2 claude-opus-4-1 10/20/30/40"])
    // What was left out is found by a later run.
    #expect(try bench.collect().requests == .init(new: 1, known: 1))
  }

  @Test func projectsAreStoredOnlyWhereAskedFor() throws {
    let bench = try ImportBench([log: lines(line("m1"))])
    try bench.collect()
    #expect(try bench.value("project") == "-")
    #expect(try bench.collect { $0.withProjects = true }.requests == .init(updated: 1))
    #expect(try bench.value("project") == #""/srv/code/secret""#)
    // A later run without does not take it away.
    #expect(try bench.collect().requests == .init())
    try bench.fileSystem.remove("\(bench.repository.layout.root)/imports")
    #expect(try bench.collect().requests == .init(known: 1))
    #expect(try bench.value("project") == #""/srv/code/secret""#)
  }

  @Test func aDryRunStoresNothingAndCountsTheSame() throws {
    let bench = try ImportBench([log: lines(line("m1"), line("m2"))])
    let store = try bench.fileSystem.tree(bench.repository.layout.root)
    #expect(try bench.collect { $0.isDryRun = true }.requests == .init(new: 2))
    #expect(try bench.fileSystem.tree(bench.repository.layout.root) == store)
    #expect(try bench.collect().requests == .init(new: 2))
  }

  /// More than are stored at once: a dry run knows what it would have stored before, and a real one finds it.
  @Test func ofManyADryRunCountsTheSame() throws {
    let count = 32_800
    let bench = try ImportBench([
      log: (Array(0..<count) + [0, 7]).map { number in
        #"{"type":"assistant","sessionId":"s","requestId":"r","timestamp":"2026-09-05T12:00:00Z","message":{"#
          + #""id":"m\#(number)","model":"m","usage":{"input_tokens":1,"output_tokens":2}}}"# + "\n"
      }.joined()
    ])
    #expect(try bench.collect { $0.isDryRun = true }.requests == .init(new: count, known: 2))
    #expect(try bench.collect().requests == .init(new: count, known: 2))
    try bench.fileSystem.remove("\(bench.repository.layout.root)/imports")
    #expect(try bench.collect().requests == .init(known: count + 2))
    #expect(try bench.total() == Int64(3 * count))
  }

  @Test(arguments: [
    (["claude"], ["m1"]), (["Anthropic"], ["m1"]), (["codex"], ["s"]), (["openai", "claude"], ["m1", "s"]),
    ([], []),
  ])
  func onlyEnabledProvidersAreCollected(_ enabled: [String], _ found: [String]) throws {
    let bench = try ImportBench([
      log: lines(line("m1")),
      ".codex/sessions/2026/09/05/rollout-2026-09-05T12-00-00-s.jsonl": lines(
        #"{"timestamp":"2026-09-05T12:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":1,"output_tokens":1}}}}"#
      ),
    ])
    try bench.repository.prefer(["enabledProviders": .array(enabled.map { .string(JSONString($0)) })])
    try bench.collect()
    #expect(try bench.requests().map { String($0.prefix { $0 != " " && $0 != "/" }) } == found)
  }

  @Test func requestsOfAToolForManyProvidersAreLookedAtOneByOne() throws {
    func message(_ provider: String, _ time: Int) -> String {
      #"{"role":"assistant","providerID":"\#(provider)","modelID":"m","time":{"created":\#(time)},"tokens":{"input":1}}"#
    }
    let folder = ".local/share/opencode/storage/message/s"
    let bench = try ImportBench([
      "\(folder)/1.json": message("anthropic", 1000), "\(folder)/2.json": message("xai", 2000),
    ])
    try bench.repository.prefer(["enabledProviders": ["claude"]])
    try bench.collect()
    #expect(try bench.value("providerID") == #""anthropic""#)
    #expect(try bench.collect().readFiles == 0)
    // Once another provider is enabled, what was left out is found.
    try bench.repository.prefer(["enabledProviders": ["claude", "xai"]])
    try bench.collect()
    #expect(try bench.value("providerID") == #""anthropic" "xai""#)
  }

  @Test func payloadsAreAsTheirKindWantsThem() throws {
    let bench = try ImportBench([log: lines(line("m1") { $0.more = #""costUSD":0.125,"# })])
    try bench.collect { $0.withProjects = true }
    for payload in try bench.payloads("request") { #expect(try Kind.request.checked(payload) == payload) }
  }
}

/// What happens when somebody first waits.
private final class FirstWait: @unchecked Sendable {
  // Guarded by being used from one test's task only.
  private(set) var result: (outcome: CollectOutcome, store: [String: [UInt8]])?
  private var body: (() throws -> (CollectOutcome, [String: [UInt8]]))?

  init(_ body: @escaping () throws -> (CollectOutcome, [String: [UInt8]])) { self.body = body }

  func end(after milliseconds: Int64) {
    guard let body else { return }
    self.body = nil
    result = try? body()
  }
}
