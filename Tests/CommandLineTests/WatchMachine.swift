import CanonicalJSON
import Foundation
import ObjectStore
import Testing
import TestSupport

/// A folder for the real program: devices in it, and what they share.
final class WatchBench {
  /// What lies beside the test bundle; nil where only the tests were built.
  static let program: String? = {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return [folder.deletingLastPathComponent(), Bundle.main.bundleURL].map {
      $0.appendingPathComponent("runic").path
    }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  let folder: String
  let program: String

  init() throws {
    program = try #require(Self.program, "build the product runic first")
    folder = NSTemporaryDirectory() + "runic-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/home", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs a script in the folder, with `$RUNIC` for the program, and answers its status and all that it printed.
  @discardableResult
  func run(_ script: String) throws -> (status: Int32, output: String) {
    let result = try SystemProgramRunner().run(
      ProgramCall("/bin/sh", ["-c", "exec 2>&1\ncd '\(folder)'\n" + script], environment: variables))
    return (result.status, String(decoding: result.output, as: UTF8.self))
  }

  /// What the programs find in their environment.
  lazy var variables: [String: String] = [
    "HOME": folder + "/home", "RUNIC": program, "XDG_CONFIG_HOME": folder + "/home/.config", "RUNIC_REPO": "",
  ]

  /// Two devices `a` and `b` with a record `editor/main` that a file of each follows.
  func makePair() throws {
    let made = try run(
      """
      set -e
      export RUNIC_REPO=a
      "$RUNIC" init --name A
      "$RUNIC" config set watch.active 3600
      "$RUNIC" remote add home share
      "$RUNIC" kind add editor --per-key
      "$RUNIC" record preferences autoRefreshEnabled=false
      echo '{"size": 1.0}' > a.json
      "$RUNIC" track a.json --as editor/main
      "$RUNIC" push
      "$RUNIC" key export > key
      "$RUNIC" --repo b clone share --key-file key --name B --remote home
      echo '{}' > b.json
      "$RUNIC" --repo b track b.json --as editor/main
      grep -q size b.json
      """)
    guard made.status == 0 else { throw Unexpected(what: made.output) }
  }

  struct Unexpected: Error { let what: String }

  /// Begins to watch a device, and waits until it does.
  func watch(_ device: String, _ arguments: String...) throws -> WatchProcess {
    let log = "\(folder)/\(device)-\(UUID().uuidString.prefix(4)).log"
    let words = [program, "--repo", "\(folder)/\(device)", "watch", "--json"] + arguments
    let environment = variables.filter { $0.key != "RUNIC_REPO" }.map { "\($0.key)=\($0.value)" }
    let process = WatchProcess(try BackgroundProgram("/usr/bin/env", environment + words, log: log))
    try process.wait { $0.contains { $0["event"] == "started" } }
    return process
  }

  func write(_ text: String, to file: String) throws {
    let path = "\(folder)/\(file)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  func read(_ file: String) -> String {
    (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? ""
  }
}

/// A running `watch`; it is ended, by SIGTERM, when its owner goes.
final class WatchProcess {
  private let process: BackgroundProgram

  init(_ process: BackgroundProgram) { self.process = process }

  var id: Int32 { process.process }

  /// What it told so far.
  var events: [JSONValue] {
    let bytes = (try? Data(contentsOf: URL(fileURLWithPath: process.log))) ?? Data()
    return Array(bytes).split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue.parse($0) }
  }

  func wait(_ condition: ([JSONValue]) -> Bool) throws { try until("\(process.log)") { condition(events) } }

  func signal(_ number: Int32) { kill(id, number) }

  /// What the kernel says of it: resident pages, descriptors, threads.
  var usage: (pages: Int, descriptors: Int, threads: Int) {
    let statm = (try? String(contentsOfFile: "/proc/\(id)/statm", encoding: .utf8)) ?? ""
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd")) ?? []
    return (Int(statm.split(separator: " ").dropFirst().first ?? "") ?? 0, files.count, tasks.count)
  }
}

/// Looks again and again until something holds, for a minute at most.
func until(_ what: String, _ condition: () throws -> Bool) throws {
  for _ in 0..<3000 {
    if try condition() { return }
    Clock.system.sleep(20)
  }
  throw WatchBench.Unexpected(what: "in vain: \(what)")
}
