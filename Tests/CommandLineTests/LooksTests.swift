import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import runic

/// How every command that prints looks, in an empty repository, a used one and one whose remote is gone.
@Suite struct LooksTests {
  /// What is typed; commands that this runic does not have are left out.
  static let lines: [String] = [
    "status", "status --verbose", "diff", "conflicts", "log", "log --graph", "reflog", "remote list",
    "remote check home", "device list", "kind list", "key list", "list usage", "list preferences",
    "list alert",
    "get preferences user-preferences", "show preferences user-preferences", "report", "report model",
    "report device", "report --breakdown", "config list", "statusline", "fsck", "fsck home", "gc",
    "push --dry-run", "pull", "push", "sync", "doctor", "stats", "stats --size", "alerts check", "help",
    "help report", "version", "record preferences theme=dark",
  ].filter { line in
    let words = line.split(separator: " ").map(String.init)
    return Commands.all.contains { $0.description.name == Array(words.prefix($0.description.name.count)) }
  }

  enum State: String, CaseIterable { case empty, used, failing }

  private static let longName = "the laptop of somebody who likes long names 時計"

  private static func machine(_ state: State) throws -> Machine {
    let world = try World(seed: 41)
    guard state != .empty else {
      let a = world.machine("a")
      try a.expect(.done, "init", "--name", "A")
      return a
    }
    let (a, b) = try world.cloned()
    try a.expect(.done, "device", "rename", longName)
    try a.prefer("theme", "light")
    try a.prefer("a key with a long name that somebody chose", "and a value that is long too, 時間")
    try b.prefer("theme", "system")
    try b.prefer("theme", "dark", id: "an id that is as long as the line of a small terminal")
    for machine in [a, b] {
      try machine.expect(
        .done, "record", "usage", "--provider", "claude", "--used", "80", "--limit", "100", "--account",
        "somebody.with.a.name@a-long-domain.example.com")
      try machine.expect(
        .done, "record", "request", "--provider", "anthropic", "--model", "claude-opus-4-5-20251101",
        "--at", "2026-09-05T12:00:00Z", "inputTokens=123456789", "outputTokens=987654",
        "requestID=\(machine.name)")
    }
    try b.expect(.done, "push")
    try a.expect(.done, "pull")
    try b.prefer("refreshInterval", 60)
    try b.expect(.done, "push")
    if state == .failing { try world.disk.rename("/mnt/share", to: "/mnt/elsewhere") }
    return a
  }

  private static let narrow = TerminalFacts(outputIsTerminal: true, messagesAreTerminal: true, columns: 40)

  @Test(arguments: State.allCases) func fortyColumnsAreEnough(_ state: State) throws {
    let machine = try Self.machine(state)
    for line in Self.lines {
      let run = machine.run(line.split(separator: " ").map(String.init), terminal: Self.narrow)
      for shown in run.out.replacing(#/\u{1B}\[[0-9;]*m/#, with: "").split(separator: "\n") {
        // A word that is longer than a line, as a path or an id, stays whole.
        let words = shown.split(separator: " ")
        let isOneWord = words.count == 1
        #expect(TextWidth.columns(String(shown)) <= 40 || isOneWord, "\(state) \(line): \(shown)")
      }
    }
  }

  /// Every page of help, whole: what is too long for a line is broken, and nothing is cut.
  @Test(arguments: [40, 60, 80, 200]) func helpFitsTheTerminal(_ columns: Int) throws {
    let terminal = TerminalFacts(outputIsTerminal: true, columns: columns)
    let names = Commands.all.map(\.description).filter { !$0.isHidden }.map(\.name)
    let lines =
      names.map { $0 + ["--help"] } + [
        ["help"], ["help", "runic"], ["help", "concepts"], ["key", "--help"],
      ]
    for line in lines {
      let shown = Run(line, commands: Commands.all, terminal: terminal).out
      for row in shown.split(separator: "\n") {
        let isOneWord = row.split(separator: " ").count == 1 || row.hasSuffix(" \\")
        #expect(TextWidth.columns(String(row)) <= min(78, columns) || isOneWord, "\(line): \(row)")
      }
      let wide = Run(line, commands: Commands.all).out
      #expect(Self.words(shown) == Self.words(wide), "\(line)")
    }
    let page = Run(["fsck", "--help"], commands: Commands.all, terminal: terminal).out
    #expect(!page.contains("--no-progress show") && page.contains("\n  2    the command line"))
  }

  private static func words(_ text: String) -> [Substring] {
    text.split { $0 == " " || $0 == "\n" }.filter { $0 != "\\" }
  }

  @Test(arguments: State.allCases) func jsonIsJSONInEveryState(_ state: State) throws {
    let machine = try Self.machine(state)
    for line in Self.lines {
      let run = machine.run(line.split(separator: " ").map(String.init) + ["--json"], terminal: Self.narrow)
      let printed = run.out.split(separator: "\n")
      #expect(run.lines.count == printed.count, "\(state) \(line): \(run.out)")
      #expect(run.lines.allSatisfy { $0.objectValue != nil }, "\(state) \(line): \(run.out)")
      let failures = run.lines.compactMap { $0["error"]?.objectValue }
      let mayFailSilently = line.hasPrefix("doctor") || line.hasPrefix("alerts")
      #expect((run.status == .done) == failures.isEmpty || mayFailSilently, "\(state) \(line): \(run.out)")
      for failure in failures {
        #expect(failure["code"]?.textValue != nil && failure["message"]?.textValue != nil, "\(line)")
      }
      #expect(!run.err.contains("runic: error"), "\(state) \(line): \(run.err)")
    }
  }

  /// One line of what, and one of what to do.
  @Test func aFailureSaysWhatAndWhatToDo() throws {
    let machine = try Self.machine(.failing)
    for line in ["diff", "pull", "push", "sync", "fsck home", "remote check home"] {
      let run = machine.run(line.split(separator: " ").map(String.init))
      #expect(run.status == .unreachable, "\(line)")
      let words = run.err.split(separator: "\n")
      #expect(words.count == 2 && words[0].hasPrefix("runic: error: ") && words[1].hasPrefix("runic: hint: "))
    }
  }

  /// What cannot be done is told from what was typed wrong, and each failure says what helps.
  @Test(
    arguments: [
      ("list usage --device nobody", 1, "'runic device list' shows all devices"),
      ("report --device nobody", 1, "'runic device list' shows all devices"),
      ("log usage nothing", 1, "'runic list usage' shows what there is"),
      ("log preferences user-preference", 1, "did you mean 'user-preferences'?"),
      ("revert preferences nothing --to 1h", 1, "'runic list preferences' shows what there is"),
      ("record alert --provider claude --warning 2", 2, "see 'runic record alert --help'"),
      ("retract preferences user-preferences", 2, "'runic delete preferences ID' deletes a record"),
      ("delete usage x", 2, "'runic retract usage ID' leaves"),
      ("remote add z ftp://host/x", 2, "a folder, user@host:path"),
      ("import /nonexistent", 1, "name a file that you may read"),
      ("config get sync.strategy", 1, "'runic config set sync.strategy VALUE' sets it"),
      ("join /mnt/share", 1, "'runic sync' brings both together"),
      ("key add --key-file /nonexistent", 1, "'runic key export > FILE' makes such a file"),
      ("key add --passphrase-file /nonexistent", 1, "name a file that holds the passphrase"),
      ("join /nonexistent", 4, "'runic push'"),
      ("cat-object ab", 1, "'runic reflog' shows heads"),
    ] as [(String, Int32, String)]) func aFailureSaysWhatHelps(
      _ line: String, _ status: Int32, _ hint: String
    ) throws
  {
    let (a, _) = try World(seed: 43).cloned()
    try a.prefer("theme", "dark")
    let words = line.split(separator: " ").map(String.init)
    let run = a.run(words)
    #expect(run.status.rawValue == status, "\(line): \(run.err)")
    let lines = run.err.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("runic: error: "), "\(line): \(run.err)")
    #expect(lines.last?.hasPrefix("runic: hint: ") == true && run.err.contains(hint), "\(line): \(run.err)")
  }

  /// What a remote's failure leaves open is named.
  @Test func aHintNamesTheRemote() throws {
    let machine = try Self.machine(.failing)
    for line in ["pull", "push home", "sync", "diff", "fsck home", "remote check home", "doctor"] {
      let run = machine.run(line.split(separator: " ").map(String.init))
      #expect((run.out + run.err).contains("'runic remote check home --create'"), "\(line): \(run.err)")
    }
  }

  @Test func timesAreRelativeAndExactUnderVerbose() throws {
    let machine = try Self.machine(.used)
    for line in [
      "status", "log", "list preferences", "reflog", "device list", "stats", "conflicts", "key list",
    ] {
      let words = line.split(separator: " ").map(String.init)
      let exact = #/\d{4}-\d\d-\d\dT\d\d:\d\d/#
      #expect(!machine.run(words).out.contains(exact), "\(line)")
      #expect(machine.run(words + ["--verbose"]).out.contains(exact), "\(line)")
    }
  }

  @Test(arguments: [
    ("satus", "did you mean 'runic status'?"), ("remote lst", "did you mean 'runic remote list'?"),
    ("help remot", "did you mean 'runic remote'?"), ("alerts chek", "did you mean 'runic alerts check'?"),
    ("pull --strct", "did you mean '--strict'?"), ("--jsn status", "did you mean '--json'?"),
    ("record alert --warn 1", "did you mean '--warning'?"), ("list usge", "did you mean 'usage'?"),
    ("record alrt x=1", "did you mean 'alert'?"), ("log usge", "did you mean 'usage'?"),
    ("show alrt x", "did you mean 'alert'?"), ("pull hom", "did you mean 'home'?"),
    ("push hoem", "did you mean 'home'?"), ("sync hme", "did you mean 'home'?"),
    ("fsck hom", "did you mean 'home'?"), ("diff hme", "did you mean 'home'?"),
    ("remote remove hmoe", "did you mean 'home'?"), ("remote check hom", "did you mean 'home'?"),
    ("config get sync.strtegy", "did you mean 'sync.strategy'?"),
    ("config set sync.strategi manual", "did you mean 'sync.strategy'?"),
    ("report dayly", "did you mean 'daily'?"), ("pull --strategy manul", "did you mean 'manual'?"),
    ("get preferences user-preferences them", "did you mean 'theme'?"),
    ("record preferences theem=dark", "did you mean 'theme'?"),
    ("get alert cluade", "did you mean 'claude'?"), ("show alert cl", "did you mean 'claude'?"),
    ("delete alert claud", "did you mean 'claude'?"),
    ("get preferences usr-preferences", "did you mean 'user-preferences'?"),
    ("promote alert claud", "did you mean 'claude'?"), ("reflog AA", "did you mean 'A'?"),
    ("device retire aA", "did you mean 'A'?"), ("get alert zzzzzz", "'runic list alert' shows what there is"),
    ("device retire zzzzzz", "'runic device list' shows all devices"),
    ("install-hook cladue", "did you mean 'claude'?"),
  ]) func aSlipIsAnsweredWithWhatWasMeant(_ line: String, _ hint: String) throws {
    let (a, _) = try World(seed: 42).cloned()
    try a.prefer("theme", "dark")
    try a.expect(.done, "record", "alert", "--provider", "claude")
    let run = a.run(line.split(separator: " ").map(String.init))
    #expect(run.err.contains(hint), "\(run.err)")
    if !line.hasPrefix("record preferences") { #expect(run.status != .done) }
  }

  @Test(arguments: [
    ("word", 40, ["word"]), ("a b c", 3, ["a b", " c"]),
    ("ok  files  whole and sound", 20, ["ok  files  whole and", "    sound"]),
    ("averyveryverylongword b", 10, ["averyveryverylongword", "  b"]), ("時間 時間 x", 9, ["時間 時間", "  x"]),
  ]) func aLineIsBrokenUnderItsLastColumn(_ line: String, _ width: Int, _ expected: [String]) {
    #expect(TextWidth.folded(line, to: width) == expected)
  }

  @Test func aTableLeavesOutWhatMattersLeast() {
    var table = TextTable([
      .init("NAME", shrinks: true), .init("TIME", isOptional: true), .init("SIZE", .right, isOptional: true),
    ])
    table.add(["a-name-of-twenty-two-c", "just now", "12 KiB"])
    #expect(
      table.lines(width: 40) == [
        "NAME                    TIME        SIZE", "a-name-of-twenty-two-c  just now  12 KiB",
      ])
    #expect(table.lines(width: 24) == ["NAME            TIME", "a-name-of-twe…  just now"])
    #expect(table.lines(width: 9) == ["NAME", "a-name-o…"])
  }
}
