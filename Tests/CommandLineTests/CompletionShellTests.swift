import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import runic

/// The scripts in the shells themselves, typed into as a person would: in a pseudo-terminal, with the tab key.
@Suite struct CompletionShellTests {
  /// What is typed before the tab key, and the arguments that the command then gets.
  private static let everywhere: [(typed: String, arguments: String)] = [
    ("doct", "doctor"), ("remote ren", "remote|rename"), ("pull ho", "pull|home"),
    ("pull --stra", "pull|--strategy"), ("pull --strategy man", "pull|--strategy|manual"),
    ("pull --strategy=man", "pull|--strategy=manual"), ("get note my", "get|note|my first note"),
    ("get note \"my", "get|note|my first note"), ("get note my\\ fi", "get|note|my first note"),
    ("get note a", "get|note|a:b c"), ("get note a:", "get|note|a:b c"), ("get note it", "get|note|it's $5"),
    ("get note my\\ first\\ note ti", "get|note|my first note|title"),
    ("record preferences the", "record|preferences|theme="),
    ("record preferences theme=dar", "record|preferences|theme=dark"),
    ("list usage --device lap", "list|usage|--device|lap top"),
    ("list usage --device=lap", "list|usage|--device=lap top"),
    ("config set sync.strategy prefer-l", "config|set|sync.strategy|prefer-local"),
    ("clone --key-file 'key f", "clone|--key-file|key file.txt"),
    ("clone --key-file=key", "clone|--key-file=key file.txt"), ("clone fol", "clone|folder/"),
    ("clone ~/fol", "clone|HOME/folder/"), ("clone --key-file ~/key", "clone|--key-file|HOME/key file.txt"),
    ("install-hook cl", "install-hook|claude"), ("nonsense x", "nonsense|x"),
  ]

  /// How each shell is begun, so that it reads nothing of the machine's own.
  private static func command(_ shell: CompletionShell, scripts: String) -> (line: [String], setUp: String) {
    switch shell {
    case .bash: (["bash", "--norc", "--noprofile", "-i"], "source \(scripts)/runic.bash")
    case .zsh:
      (
        ["zsh", "-f", "-i"],
        "fpath=(\(scripts) $fpath); autoload -Uz compinit; compinit -u -D; unsetopt nomatch"
      )
    case .fish: (["fish", "--no-config", "-i"], "source \(scripts)/runic.fish")
    }
  }

  @Test(arguments: CompletionShell.allCases)
  func theTabKeyFinishesWords(_ shell: CompletionShell) throws {
    let program = try #require(BuiltProgram.path, "build the product runic first")
    guard BuiltProgram.hasTool(shell.rawValue), BuiltProgram.hasTool("python3") else {
      print("not tried: completion in \(shell.rawValue): it or python3 is not installed")
      return
    }
    let folder = try TestFolder()
    defer { folder.remove() }
    try folder.fill(program)
    let (line, setUp) = Self.command(shell, scripts: BuiltProgram.package + "/completions")
    let typed = Self.everywhere.map { $0.typed }
    let answers = try folder.run(
      ["python3", "-c", Self.typist, setUp] + typed + ["--"] + line, program: program)
    let lines = answers.split(separator: "\n").map(String.init)
    #expect(lines.count == typed.count, "\(shell.rawValue): \(answers)")
    for (expected, line) in zip(Self.everywhere, lines) {
      #expect(
        line == expected.arguments.replacing("HOME", with: folder.path),
        "\(shell.rawValue): \(expected.typed)")
    }
  }

  @Test(arguments: CompletionShell.allCases)
  func theScriptsThatAreInstalledAreThoseThatTheProgramPrints(_ shell: CompletionShell) throws {
    let path = "\(BuiltProgram.package)/completions/\(shell.fileName)"
    #expect(try String(contentsOfFile: path, encoding: .utf8) == shell.script)
    #expect(Run(["completion", shell.rawValue], commands: Commands.all).out == shell.script)
    let object = try JSONValue.parse(
      Array(Run(["completion", shell.rawValue, "--json"], commands: Commands.all).out.utf8.dropLast()))
    #expect(object["script"]?.textValue == shell.script && object["file"]?.textValue == shell.fileName)
  }

  /// Types each text, the tab key and return into a shell, and prints the arguments that `runic` then got.
  private static let typist = #"""
    import os, pty, re, select, sys
    set_up, *rest = sys.argv[1:]
    cut = len(rest) - 1 - rest[::-1].index("--")
    typed, line = rest[:cut], rest[cut + 1:]
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(line[0], line)
    seen = b""
    def wait_for(pattern):
        global seen
        while not re.search(pattern, seen, re.S):
            if not select.select([terminal], [], [], 10)[0]:
                sys.exit("no answer from %s to %r: %r" % (line[0], pattern, seen[-2000:]))
            try:
                seen += os.read(terminal, 65536)
            except OSError:
                sys.exit("%s is gone: %r" % (line[0], seen[-2000:]))
        found = re.search(pattern, seen, re.S)
        seen = seen[found.end():]
        return found
    def send(text):
        os.write(terminal, text.encode())
    send(set_up + "\r" + "runic ready\r")
    wait_for(b"<<ready>>")
    for text in typed:
        send("runic " + text + "\t\r")
        print(wait_for(b"<<(.*?)>>").group(1).decode())
    send("\x15exit\r")
    os.close(terminal)
    os.waitpid(child, 0)
    """#
}

/// A folder of a test's own, with a stand-in for `runic` that answers the scripts through the real one and else shows
/// the arguments that it got.
struct TestFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "runic-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path + "/bin", withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// A repository with a remote, notes with names that shells find hard, a file and a folder.
  func fill(_ program: String) throws {
    let standIn = """
      #!/bin/sh
      [ "$1" = __complete ] && exec "$RUNIC" "$@"
      text=
      for word in "$@"; do text="${text:+$text|}$word"; done
      printf '<<%s>>\\n' "$text"
      """
    // Written by a process of its own: what another test's process holds open while it begins cannot be run.
    let writing = "printf '%s\\n' \"$1\" > bin/runic; chmod +x bin/runic"
    _ = try run(["sh", "-c", writing, "sh", standIn], program: program)
    let script = """
      set -e
      mkdir folder; : > 'key file.txt'
      "$RUNIC" init --name 'lap top'
      "$RUNIC" remote add home "$PWD/folder/tree"
      "$RUNIC" kind add note --per-key
      for id in 'my first note' 'a:b c' "it's \\$5"; do "$RUNIC" record note "$id" title=hi; done
      """
    _ = try run(["sh", "-c", script], program: program)
  }

  /// Runs a command here and answers what it printed.
  func run(_ command: [String], program: String, _ more: [String: String] = [:]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    process.environment =
      [
        "PATH": "\(path)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
        "RUNIC": program, "HOME": path, "RUNIC_REPO": "\(path)/repository", "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
      ].merging(more) { $1 }.withSanitizerSettings
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(command.prefix(2)): \(complaints)")
    return text
  }
}

/// The program as it was built, and what it is run beside.
enum BuiltProgram {
  /// What lies beside the test bundle; nil where only the tests were built.
  static let path: String? = {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    for candidate in [folder.deletingLastPathComponent(), Bundle.main.bundleURL] {
      let path = candidate.appendingPathComponent("runic").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    return nil
  }()

  /// The package's own folder.
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  static func hasTool(_ name: String) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}
