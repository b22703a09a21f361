import ObjectStore
import RunicCore
import TestSupport
import Testing

/// The real `zstd` and `sqlite3`, on real files: what they print is what the importers expect.
@Suite struct ImportProgramTests {
  private static let programs = SystemProgramRunner()

  private static func isInstalled(_ program: String) -> Bool {
    (try? programs.run(ProgramCall(program, ["--version"])).status) == 0
  }

  /// A repository and a home in a folder that goes afterwards.
  private func withHome(_ body: (_ home: String, _ collect: () throws -> CollectOutcome) throws -> Void)
    throws
  {
    let fileSystem = PosixFileSystem()
    let root = "/tmp/runic-import-\(Hexadecimal.encode(RandomSource.system.bytes(8)))"
    try fileSystem.makeDirectories("\(root)/home", permissions: 0o700)
    defer { _ = try? Self.programs.run(ProgramCall("rm", ["-rf", root])) }
    let environment = Environment(fileSystem: fileSystem, clock: .system, random: .system)
    let repository = try Repository.create(
      at: "\(root)/repository", name: "a", passphrase: nil, environment: environment)
    try body("\(root)/home") {
      let search = LogSearch(fileSystem: fileSystem) { $0 == "HOME" ? "\(root)/home" : nil }
      return try repository.collectUsage(CollectOptions(), search: search, programs: Self.programs)
    }
  }

  @Test(.enabled(if: isInstalled("sqlite3"), "sqlite3 is not installed"))
  func readsADatabaseThatIsBeingWritten() throws {
    try withHome { home, collect in
      let folder = "\(home)/.local/share/opencode"
      try PosixFileSystem().makeDirectories(folder, permissions: 0o700)
      let message =
        #"{"role":"assistant","providerID":"anthropic","modelID":"c","time":{"created":1788609600123},"#
        + #""text":"a\nsecret","tokens":{"input":5,"output":6,"cache":{"read":2,"write":3}}}"#
      let script = """
        PRAGMA journal_mode=wal;
        CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
        INSERT INTO message VALUES ('a', 's', '\(message)'), ('b', 's', 'no json'), ('c', 's', '{"role":"user"}');
        """
      #expect(try Self.programs.run(ProgramCall("sqlite3", ["\(folder)/opencode.db", script])).status == 0)
      let outcome = try collect()
      #expect(outcome.requests == .init(new: 1))
      #expect(outcome.skipped.mapValues(\.count) == [.brokenLine: 1])
    }
  }

  /// What a row holds is foreign: none of these may end the query before the row after them.
  @Test(
    .enabled(if: isInstalled("sqlite3"), "sqlite3 is not installed"),
    arguments: [
      (#"'s', '{"role":"assistant","tokens":"abc"}'"#, 0),
      (#"'s', '{"role":"assistant","tokens":[1,{}]}'"#, 0),
      (#"'s', '{"role":["assistant"],"tokens":null,"modelID":{"a":1}}'"#, 0), ("'s', '[1]'", 0),
      ("'s', '7'", 0),
      (#"x'00ff', '{"role":"user"}'"#, 0), ("'s', x'00ff41'", 1), ("'s', NULL", 1), ("'s', 7", 0),
      (#"'s', '{"role":'"#, 1),
    ])
  func aRowOfAnotherShapeEndsNothing(_ row: String, _ skipped: Int) throws {
    try withHome { home, collect in
      let folder = "\(home)/.local/share/opencode"
      try PosixFileSystem().makeDirectories(folder, permissions: 0o700)
      let message =
        #"{"role":"assistant","modelID":"c","time":{"created":1788609600123},"tokens":{"input":5}}"#
      let script = """
        CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
        INSERT INTO message VALUES ('a', \(row)), ('b', 's', '\(message)');
        """
      #expect(try Self.programs.run(ProgramCall("sqlite3", ["\(folder)/opencode.db", script])).status == 0)
      let outcome = try collect()
      #expect(outcome.requests == .init(new: 1))
      #expect(outcome.skipped.reduce(0) { $0 + $1.value.count } == skipped)
    }
  }

  @Test func aLinkToAFolderIsNamedToo() throws {
    try withHome { home, collect in
      try PosixFileSystem().makeDirectories("\(home)/elsewhere", permissions: 0o700)
      try PosixFileSystem().makeDirectories("\(home)/.claude/projects", permissions: 0o700)
      for (target, name) in [("elsewhere", "project"), ("none", "gone"), ("/dev/null", "notes")] {
        let target = target.hasPrefix("/") ? target : "\(home)/\(target)"
        _ = try Self.programs.run(ProgramCall("ln", ["-s", target, "\(home)/.claude/projects/\(name)"]))
      }
      let outcome = try collect()
      #expect(outcome.skipped.mapValues(\.count) == [.symbolicLink: 1])
      #expect(outcome.skipped.values.map(\.firstPath) == ["\(home)/.claude/projects/project"])
    }
  }

  @Test(.enabled(if: isInstalled("zstd"), "zstd is not installed"))
  func readsACompressedSession() throws {
    try withHome { home, collect in
      let folder = "\(home)/.codex/sessions/2026/09/05"
      let path = "\(folder)/rollout-2026-09-05T12-00-00-s.jsonl"
      try PosixFileSystem().makeDirectories(folder, permissions: 0o700)
      let event =
        #"{"timestamp":"2026-09-05T12:00:00Z","type":"event_msg","payload":{"type":"token_count","info":"#
        + #"{"total_token_usage":{"input_tokens":1,"output_tokens":1}}}}"#
      // Far more than the runner would keep of a program's output, had it to.
      let filler = String(repeating: #"{"type":"response_item","payload":{}}"# + "\n", count: 2_000_000)
      try PosixFileSystem().writeSynced(Array((filler + event + "\n").utf8), to: path, permissions: 0o600)
      #expect(try Self.programs.run(ProgramCall("zstd", ["-q", "-1", "--rm", path])).status == 0)
      #expect(try collect().requests == .init(new: 1))
    }
  }
}
