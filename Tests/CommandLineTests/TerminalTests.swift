import Foundation
import ObjectStore
import Testing

@testable import runic

/// The built program at a real terminal.
@Suite struct TerminalTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "runic-terminal-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private func type(
    _ script: String, columns: Int = 80, _ answers: [(prompt: String, keys: String)] = []
  ) throws -> PseudoTerminal.Session {
    let program = try #require(BuiltProgram.path, "build the product runic first")
    return try PseudoTerminal.run(
      script, in: folder, environment: ["R": program, "HOME": folder, "LC_ALL": "C", "TERM": "xterm"],
      columns: columns, answers: answers)
  }

  /// A row: what is typed at which prompt, and how it ends.
  private static let prompts: [([(prompt: String, keys: String)], String, Int32)] = [
    ([("new passphrase: ", "sesame\n"), ("once more: ", "sesame\n")], "init --passphrase", 0),
    ([("new passphrase: ", "sesame\n"), ("once more: ", "barley\n")], "init --passphrase", 1),
    ([("new passphrase: ", "sesame\u{3}")], "init --passphrase", 130),
    ([("new passphrase: ", "sesame\n"), ("once more: ", "\u{3}")], "init --passphrase", 130),
  ]

  @Test(.enabled(if: PseudoTerminal.isPossible, "for want of python3"), arguments: prompts.indices)
  func aNewPassphraseIsAskedInSilence(_ row: Int) throws {
    defer { remove() }
    let (answers, command, status) = Self.prompts[row]
    let session = try type("\"$R\" --repo a \(command)", answers)
    #expect(session.status == status, "\(session.shown)")
    #expect(session.facts == answers.map { _ in "silent" } + ["restored"])
    #expect(!session.shown.contains("sesame") && !session.shown.contains("barley"), "\(session.shown)")
    #expect(FileManager.default.fileExists(atPath: "\(folder)/a/device.json") == (status == 0))
  }

  @Test(
    .enabled(if: PseudoTerminal.isPossible, "for want of python3"),
    arguments: ["key change-passphrase", "key rotate", "clone", "key add"])
  func everyPromptIsSilentAndCtrlCPutsTheTerminalBack(_ command: String) throws {
    defer { remove() }
    let begin = try type(
      "export RUNIC_PASSPHRASE=sesame; \"$R\" --repo a init --passphrase && \"$R\" --repo a remote add home share && \"$R\" --repo a push"
    )
    #expect(begin.status == 0, "\(begin.shown)")
    let line = command == "clone" ? "\"$R\" --repo b clone share" : "\"$R\" --repo a \(command)"
    let stopped = try type(line, [("assphrase", "ses\u{3}")])
    #expect(stopped.status == 130, "\(stopped.shown)")
    #expect(stopped.facts == ["silent", "restored"])
    #expect(stopped.shown.contains("runic: error: interrupted"))
    let answers: [(prompt: String, keys: String)] =
      switch command {
      case "key change-passphrase":
        [("assphrase", "sesame\n"), ("assphrase", "open\n"), ("once more: ", "open\n")]
      case "key add": [("assphrase", "open\n"), ("once more: ", "open\n")]
      default: [("assphrase", "sesame\n")]
      }
    let done = try type(line, answers)
    #expect(done.status == 0, "\(done.shown)")
    #expect(done.facts == answers.map { _ in "silent" } + ["restored"])
    #expect(!done.shown.contains("sesame") && !done.shown.contains("open\n"), "\(done.shown)")
  }

  /// A signal from elsewhere ends it as it ends any program, once the terminal is as it was.
  @Test(
    .enabled(if: PseudoTerminal.isPossible, "for want of python3"), arguments: [("TERM", 143), ("HUP", 129)])
  func aSignalAtThePromptPutsTheTerminalBack(_ signal: String, _ status: Int32) throws {
    defer { remove() }
    let session = try type(
      """
      "$R" --repo a init --passphrase & p=$!
      while ! stty -a < /dev/tty | grep -q -e '-echo '; do sleep 0.02; done
      kill -\(signal) $p; wait $p
      """)
    #expect(session.facts == ["restored"])
    #expect(session.status == status, "\(session.shown)")
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/a/device.json"))
  }

  /// Names in any script, in the C locale: as they were given, and aligned by what a terminal shows.
  @Test(.enabled(if: PseudoTerminal.isPossible, "for want of python3"))
  func theCLocaleKeepsNamesAsTheyAre() throws {
    defer { remove() }
    let session = try type(
      "\"$R\" --repo a init --name 'Büro 時計' > /dev/null 2>&1; \"$R\" --repo a device list; \"$R\" --repo a device list | cat"
    )
    #expect(session.shown.split(separator: "\n").count { $0.contains("Büro 時計  ") } == 2, "\(session.shown)")
  }

  /// Standard output closed, full, or gone: every command that prints says so, or ends as a closed pipe ends it.
  @Test func whatCannotBePrintedIsNoSuccess() throws {
    defer { remove() }
    let program = try #require(BuiltProgram.path, "build the product runic first")
    let printing = [
      "status", "list preferences", "get preferences user-preferences", "show preferences user-preferences",
      "log", "log --graph", "reflog", "diff --json", "remote list", "device list",
      "kind list",
      "key list", "key export", "config list", "report", "report --json", "statusline", "alerts check --json",
      "export", "help", "help list", "version", "doctor", "fsck --json", "gc", "pull", "push", "sync",
      "record preferences theme=light", "remote check home", "completion bash",
    ].filter { line in
      let words = line.split(separator: " ").map(String.init)
      return Commands.all.contains { $0.description.name == Array(words.prefix($0.description.name.count)) }
    }
    let full = FileManager.default.fileExists(atPath: "/dev/full")
    let lines = printing.map { command in
      """
      "$R" --repo a \(command) >&- 2> err; echo "closed $? $(grep -c 'cannot write to standard output' err) \(command)"
      \(full ? #""$R" --repo a \#(command) > /dev/full 2> err; echo "full $? $(grep -c 'cannot write to standard output' err) \#(command)""# : "")
      { "$R" --repo a \(command) 2> err; echo $? > code; } | true; echo "gone $(cat code) $(grep -c 'fatal\\|crash' err) \(command)"
      """
    }
    let result = try SystemProgramRunner().run(
      ProgramCall(
        "sh",
        [
          "-c",
          """
          cd '\(folder)'
          exec 3>&1 > /dev/null 2>&1
          "$R" --repo a init --name A --passphrase; "$R" --repo a remote add home share; "$R" --repo a config set sync.strategy manual
          "$R" --repo a record preferences theme=dark; "$R" --repo a push
          exec >&3
          \(lines.joined(separator: "\n"))
          """,
        ], environment: ["R": program, "HOME": folder, "RUNIC_PASSPHRASE": "secret"]))
    let output = String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(output.count >= printing.count * (full ? 3 : 2))
    for line in output {
      let words = line.split(separator: " ", maxSplits: 3)
      if words.first == "gone" {
        // Whether the reader goes before or after the little that is printed, nobody can say.
        #expect(["0", "1", "141"].contains(words[1]) && words[2] == "0", "\(line)")
      } else {
        #expect(words[1] == "1" && words[2] == "1", "\(line)")
      }
    }
  }
}
