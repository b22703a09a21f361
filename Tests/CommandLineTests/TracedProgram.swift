import Foundation
import ObjectStore

/// The built program, run by strace(1), which can send a signal at a call of the system: so an interrupt comes at
/// the same place in every run, however fast the machine is.
struct TracedProgram {
  static let isPossible =
    (try? SystemProgramRunner().run(ProgramCall("strace", ["-o", "/dev/null", "true"])))?.status == 0

  /// The calls of the system at which a long operation may be met.
  private static let calls = [
    "openat", "pread64", "pwrite64", "fsync", "rename", "mkdir", "unlink", "rmdir", "newfstatat", "flock",
  ]

  /// The n-th call of a name, from 1.
  struct Point {
    let call: String
    let number: Int
  }

  let program: String
  let folder: String

  /// Runs a line of the shell in the folder, which finds the program as `$R`.
  func run(_ script: String) throws -> (status: Int32, output: String) {
    let variables = [
      "R": program, "HOME": "\(folder)/home", "TMPDIR": "\(folder)/scratch", "RUNIC_PASSPHRASE": "secret",
      "LC_ALL": "C",
    ]
    let result = try SystemProgramRunner().run(
      ProgramCall("sh", ["-c", "cd '\(folder)' && { \(script)\n}"], environment: variables))
    return (result.status, String(decoding: result.output + result.errors, as: UTF8.self))
  }

  /// The calls of one run from where it minds interrupts on.
  func points(_ arguments: String, input: String) throws -> [Point] {
    let names = Self.calls.joined(separator: ",")
    _ = try run("strace -o trace -e trace=rt_sigaction,\(names) \"$R\" \(arguments) < \(input) > /dev/null")
    var (counts, points): ([String: Int], [Point]) = ([:], [])
    var isArmed = false
    for line in try String(contentsOfFile: "\(folder)/trace", encoding: .utf8).split(separator: "\n") {
      isArmed = isArmed || (line.hasPrefix("rt_sigaction(SIGINT, {sa_handler=0x"))
      let call = String(line.prefix { $0 != "(" })
      guard Self.calls.contains(call) else { continue }
      counts[call, default: 0] += 1
      if isArmed { points.append(Point(call: call, number: counts[call] ?? 0)) }
    }
    return points
  }

  /// Runs the program so that it is interrupted at a call.
  func interrupt(_ arguments: String, input: String, at point: Point) throws -> (
    status: Int32, output: String
  ) {
    let injection = "inject=\(point.call):signal=INT:when=\(point.number)"
    return try run(
      "strace -o trace -e trace=\(point.call) -e '\(injection)' \"$R\" \(arguments) < \(input)")
  }
}
