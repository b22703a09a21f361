import Foundation
import ObjectStore

/// The program as it is built, in a folder of a test's own.
final class BuiltProgram {
  /// What lies beside the test bundle; nil where only the tests were built.
  static let path: String? = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let path = bundle.deletingLastPathComponent().appendingPathComponent("runic").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  struct Missing: Error, CustomStringConvertible {
    let description = "build the product runic first"
  }

  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "runic-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// How a script ended, and what it printed, messages included.
  struct Run {
    let status: Int32
    let output: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs a script with `r NAME …` for the program on the repository of that name.
  func run(_ script: String) throws -> Run {
    guard let program = Self.path else { throw Missing() }
    let whole = """
      cd "\(folder)" || exit 99
      exec 2>&1
      r() { repository=$1; shift; "$RUNIC" --repo "$repository" "$@"; }
      \(script)
      """
    let result = try SystemProgramRunner().run(
      ProgramCall("sh", ["-c", whole], environment: ["RUNIC": program, "HOME": folder], timeLimit: 300_000))
    return Run(status: result.status, output: String(decoding: result.output, as: UTF8.self))
  }

  /// Two devices that know each other through a folder; each has recorded something that the other lacks.
  static let twoDevices = """
    set -e
    r a init --name A > /dev/null
    r a remote add home share > /dev/null
    r a record usage --provider claude --used 1 --limit 10 > /dev/null
    r a record preferences theme=dark size=1 > /dev/null
    r a push > /dev/null
    r a key export > key
    r b clone share --name B --remote home --key-file key > /dev/null
    r b record usage --provider codex --used 2 --limit 10 > /dev/null
    r b record preferences size=2 > /dev/null
    r b push > /dev/null
    r a record usage --provider claude --used 3 --limit 10 > /dev/null
    """
}
