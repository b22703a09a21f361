import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import runic

/// A machine with logs in its home, and the commands that read them.
private struct ImportMachine {
  let fixture: RecordsFixture
  static let log = "/home/u/.claude/projects/p/s.jsonl"

  init() throws {
    fixture = try RecordsFixture()
    try write(Self.log, Self.line("m1") + "broken \"usage\"\n")
  }

  static func line(_ id: String) -> String {
    #"{"type":"assistant","sessionId":"s","requestId":"r","timestamp":"2026-09-05T12:00:00Z","#
      + #""message":{"id":"\#(id)","model":"m","usage":{"input_tokens":1,"output_tokens":2}}}"# + "\n"
  }

  func write(_ path: String, _ text: String) throws {
    try fixture.fileSystem.makeFolders(parent(of: path))
    try fixture.fileSystem.setContents(path, Array(text.utf8))
  }

  func contents(_ path: String) throws -> String {
    String(decoding: try fixture.fileSystem.contents(path), as: UTF8.self)
  }

  /// Every file and folder below a folder, with what the files hold.
  func tree(_ folder: String) throws -> [String: [UInt8]?] {
    var found: [String: [UInt8]?] = [folder: nil]
    for entry in try fixture.fileSystem.list(folder) {
      let path = "\(folder)/\(entry.name)"
      if entry.type == .directory {
        found.merge(try tree(path)) { $1 }
      } else {
        found[path] = try fixture.fileSystem.contents(path)
      }
    }
    return found
  }

  @discardableResult
  func run(
    _ line: String, input: String = "", home: String? = "/home/u", zone: String? = nil,
    repository: String = "/laptop"
  ) -> CommandRun {
    let (data, messages) = (MemorySink(), MemorySink())
    let now = fixture.now
    let context = Context(
      output: Output(data: data, messages: messages),
      environment: runic.Environment(["HOME": home, "TZ": zone].compactMapValues { $0 }), now: { now },
      input: TextSource(input), table: Commands.table, fileSystem: fixture.fileSystem,
      random: fixture.environment.random)
    var program = Program(context: context, terminal: TerminalFacts())
    let status = program.run(["--repo", repository] + line.split(separator: " ").map(String.init))
    return CommandRun(status: status, out: data.text, err: messages.text)
  }
}

@Suite struct ImportCommandTests {
  @Test func saysWhatWasNewKnownAndSkipped() throws {
    let machine = try ImportMachine()
    let first = machine.run("record usage")
    #expect(first.status == .done)
    #expect(first.out == "1 new request, 0 known; read 1 of 1 log; skipped 1 line (no JSON)\n")
    #expect(first.err == "runic: skipped 1 line (no JSON), in '\(ImportMachine.log)'\n")
    #expect(machine.run("record usage").out == "0 new requests, 0 known; read 0 of 1 log\n")
    #expect(machine.run("record usage --quiet").out == "")
  }

  /// Days told in another zone than is meant would be wrong days.
  @Test func aZoneThatNobodyKnowsIsSaid() throws {
    let machine = try ImportMachine()
    let run = machine.run("record usage", zone: "Mars/Base")
    #expect(run.status == .usage)
    #expect(run.err.contains("the variable TZ holds 'Mars/Base', which is no time zone"))
    #expect(machine.run("record usage", zone: "UTC").out.hasPrefix("1 new request"))
  }

  @Test func anotherTimeZoneMovesNothing() throws {
    let machine = try ImportMachine()
    let first = machine.run("record usage", zone: "<+13>-13")
    let records = machine.run("list request --json").out
    try machine.fixture.fileSystem.remove("/laptop/imports")
    // At 12:00 in UTC it is the next day there, and the day before elsewhere.
    #expect(machine.run("record usage", zone: "<-13>13").out.hasPrefix("0 new requests, 1 known"))
    #expect(machine.run("list request --json").out == records && first.status == .done)
    let days = ["<+13>-13", "<-13>13"].map {
      machine.run("report --json", zone: $0).object["rows"]?.arrayValue
    }
    #expect(days.map { $0?.first?["period"] } == ["2026-09-06", "2026-09-04"])
    #expect(days.map { $0?.first?["totalTokens"] } == [3, 3])
  }

  @Test func printsTheSameAsJSON() throws {
    let machine = try ImportMachine()
    let result = machine.run("record usage --json --dry-run").object
    #expect(result["requests"] == ["known": 0, "new": 1, "updated": 0])
    #expect(result["recordedCount"] == 0)
    #expect(result["dryRun"] == true)
    #expect(result["skipped"]?.arrayValue?.first?["code"] == "broken-line")
    #expect(machine.run("record usage --json").object["recordedCount"] == 1)
    #expect(machine.run("list request --json").rows.count == 1)
  }

  @Test(arguments: [
    ("record usage --from claude", 1), ("record usage --from codex", 0),
    ("record usage --from codex,claude", 1),
    ("record usage --from \(ImportMachine.log)", 1), ("record usage --since 2026-09-06", 0),
    ("record usage --since 2026-09-05", 1),
  ]) func collectsFromWhatIsNamed(_ line: String, _ count: Int) throws {
    let machine = try ImportMachine()
    #expect(machine.run(line).status == .done)
    #expect(machine.run("list request --json").rows.count == count)
  }

  /// The request is of noon in UTC.
  @Test(arguments: [("<+13>-13", 1), ("UTC", 0)] as [(String, Int)])
  func aDayToCollectFromIsOneOfTheZone(_ zone: String, _ count: Int) throws {
    let machine = try ImportMachine()
    #expect(machine.run("record usage --since 2026-09-06", zone: zone).status == .done)
    #expect(machine.run("list request --json").rows.count == count)
  }

  @Test func takesTheOutputOfCCUsage() throws {
    let machine = try ImportMachine()
    let text = #"{"daily":[{"date":"2026-09-01","inputTokens":1,"outputTokens":2}]}"#
    #expect(machine.run("record usage --from ccusage", input: text).status == .done)
    #expect(machine.run("list request --json").rows.first?["payload"]?["provenance"] == "ccusage/daily")
  }

  @Test(arguments: [
    ("record usage --from ccusage", "{", runic.ExitStatus.failed),
    ("record usage --from ccusage", "{}", .failed),
    ("record usage --from /none.jsonl", "", .failed), ("record usage --from clade", "", .failed),
    ("record usage --from claude --provider p", "", .usage), ("record usage --dry-run -", "{}", .usage),
    ("record usage --local", "", .usage), ("record usage --since never", "", .usage),
    ("record usage --from /home/u/odd.json", "", .failed), ("record usage --from=", "", .usage),
    ("record usage --from ,", "", .usage),
  ]) func refusesWhatItCannotRead(_ line: String, _ input: String, _ status: runic.ExitStatus) throws {
    let machine = try ImportMachine()
    try machine.write("/home/u/odd.json", "plain text")
    #expect(machine.run(line, input: input).status == status)
    #expect(machine.run("list request --json").rows.isEmpty)
  }

  @Test(arguments: [
    ("/home/u/.claude", "", "cannot read '/home/u/.claude': not a file"),
    ("/home/u/link", "", "cannot read '/home/u/link': a symbolic link"),
    ("/home/u/odd", "", "cannot read '/home/u/odd': of no known format"),
    ("ccusage", "{", "cannot read standard input: no JSON"),
  ]) func saysWhyItCannotReadWhatWasNamed(_ name: String, _ input: String, _ words: String) throws {
    let machine = try ImportMachine()
    try machine.write("/home/u/odd", "plain text")
    try machine.fixture.fileSystem.makeSymbolicLink("/home/u/link")
    let run = machine.run("record usage --from \(name)", input: input)
    #expect(run.status == .failed)
    #expect(run.err.split(separator: "\n").map(String.init).first == "runic: error: \(words)")
    #expect(run.err.split(separator: "\n").last?.hasPrefix("runic: hint: ") == true)
  }

  @Test func withoutAHomeThereIsNothingToCollect() throws {
    let machine = try ImportMachine()
    #expect(machine.run("record usage", home: nil).out == "0 new requests, 0 known; read 0 of 0 logs\n")
  }
}

@Suite struct ImportHookCommandTests {
  private static let path = "/home/u/.claude/settings.json"

  @Test func keepsTheFileAndItsCopyAsTheyWere() throws {
    let machine = try ImportMachine()
    let before = "{\n  \"hooks\": { },\n  \"model\": \"opus\"\n}"
    try machine.write(Self.path, before)
    try machine.fixture.fileSystem.setPermissions(Self.path, 0o640)
    #expect(machine.run("install-hook claude").status == .done)
    #expect(try machine.contents(Self.path).contains("runic --repo '/laptop' record usage --quiet"))
    #expect(try machine.contents(Self.path + ".before-runic") == before)
    #expect(try machine.fixture.fileSystem.status(Self.path)?.permissions == 0o640)
    #expect(machine.run("install-hook claude --json").object["changed"] == false)
    #expect(machine.run("install-hook claude --sync").status == .done)
    #expect(try machine.contents(Self.path).contains("push --quiet"))
    #expect(try machine.contents(Self.path + ".before-runic") == before)
    #expect(machine.run("uninstall-hook claude --json").object["changed"] == true)
    #expect(try machine.contents(Self.path) == before)
    #expect(machine.run("uninstall-hook claude --json").object["changed"] == false)
    #expect(try machine.fixture.fileSystem.list("/home/u/.claude").count == 3)
  }

  /// A quote ends a word of a shell also where a mark makes one character of the two.
  @Test func aRepositoryOfAnyNameIsOneWordOfTheHook() throws {
    let machine = try ImportMachine()
    try machine.fixture.addStranger("it'\u{301}s")
    #expect(machine.run("install-hook claude", repository: "/it'\u{301}s").status == .done)
    let settings = try JSONValue.parse(Array(machine.contents(Self.path).utf8))
    let hook = settings["hooks"]?["SessionEnd"]?.arrayValue?.first?["hooks"]?.arrayValue?.first
    let command = #"runic --repo '/it'\''"# + "\u{301}s' record usage --quiet"
    #expect(hook?["command"]?.stringValue?.utf8 == Array(command.utf8))
  }

  @Test func codexHasAHookAfterEachTurn() throws {
    let machine = try ImportMachine()
    #expect(machine.run("install-hook codex").status == .done)
    let hooks = try JSONValue.parse(Array(machine.contents("/home/u/.codex/hooks.json").utf8))
    #expect(hooks["hooks"]?["Stop"]?.arrayValue?.count == 1)
    #expect(machine.run("uninstall-hook codex").status == .done)
  }

  @Test(arguments: ["", " --sync"]) func withoutAFileBeforeThereIsNoneAfter(_ sync: String) throws {
    let machine = try ImportMachine()
    // Claude Code keeps other things in its folder; Codex was never here.
    for tool in ["claude", "codex"] {
      let before = try machine.tree("/home/u")
      #expect(machine.run("install-hook \(tool)\(sync)").status == .done)
      #expect(try machine.tree("/home/u") != before)
      #expect(machine.run("uninstall-hook \(tool) --json").object["changed"] == true)
      #expect(try machine.tree("/home/u") == before)
      #expect(machine.run("uninstall-hook \(tool) --json").object["changed"] == false)
    }
  }

  @Test func aFileThatTheToolWroteAnewIsRemovedToo() throws {
    let machine = try ImportMachine()
    machine.run("install-hook claude")
    let made = try JSONValue.parse(Array(machine.contents(Self.path).utf8)).canonicalBytes
    try machine.fixture.fileSystem.setContents(Self.path, made)
    machine.run("uninstall-hook claude")
    #expect(try machine.fixture.fileSystem.status(Self.path) == nil)
  }

  @Test func whatTheToolAddedToOurFileStays() throws {
    let machine = try ImportMachine()
    machine.run("install-hook claude")
    let made = try machine.contents(Self.path)
    try machine.write(Self.path, "{\n  \"model\": \"opus\"," + made.dropFirst())
    machine.run("uninstall-hook claude")
    #expect(try JSONValue.parse(Array(machine.contents(Self.path).utf8)) == ["model": "opus"])
  }

  @Test(arguments: ["{ }\n", ""]) func aFileThatHeldNothingStays(_ text: String) throws {
    let machine = try ImportMachine()
    try machine.write(Self.path, text)
    machine.run("install-hook claude")
    machine.run("uninstall-hook claude")
    #expect(try machine.contents(Self.path) == text)
  }

  /// The copy of a file that is gone since is no reason to keep the one that runic made.
  @Test func anOlderCopyKeepsNoFileThatWasNotThere() throws {
    let machine = try ImportMachine()
    try machine.write(Self.path, "{ }\n")
    machine.run("install-hook claude")
    machine.run("uninstall-hook claude")
    try machine.fixture.fileSystem.remove(Self.path)
    machine.run("install-hook claude")
    machine.run("uninstall-hook claude")
    #expect(try machine.fixture.fileSystem.status(Self.path) == nil)
  }

  @Test func settingsThatAreNoJSONStayAsTheyAre() throws {
    let machine = try ImportMachine()
    try machine.write(Self.path, "{ // mine\n}")
    let run = machine.run("install-hook claude")
    #expect(run.status == .failed)
    #expect(run.err.contains("no JSON"))
    #expect(try machine.contents(Self.path) == "{ // mine\n}")
    #expect(machine.run("install-hook vim").status == .usage)
  }

  @Test func aLinkIsNotReplacedByAFile() throws {
    let machine = try ImportMachine()
    try machine.fixture.fileSystem.makeSymbolicLink(Self.path)
    #expect(machine.run("install-hook claude").status == .failed)
    #expect(try machine.fixture.fileSystem.status(Self.path)?.type == .symbolicLink)
  }
}
