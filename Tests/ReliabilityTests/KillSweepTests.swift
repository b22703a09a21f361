import Foundation
import ObjectStore
import TestSupport
import Testing

/// The real program is killed before a system call, and nothing that it acknowledged is missing.
///
/// A short run takes some calls of the main commands. `RUNIC_KILL_SWEEP=writing` takes every call that changes a file,
/// of every command; `RUNIC_KILL_SWEEP=all` takes every call. `RUNIC_KILL_COMMAND` names one command.
@Suite(.serialized) struct KillSweepTests {
  private static let mode = ProcessInfo.processInfo.environment["RUNIC_KILL_SWEEP"] ?? "short"
  private static var commands: [SweptCommand] {
    if let name = ProcessInfo.processInfo.environment["RUNIC_KILL_COMMAND"] {
      return SweptCommand.all.filter { $0.name == name }
    }
    return mode == "short" ? SweptCommand.all.filter(\.isCore) : SweptCommand.all
  }

  /// A call that a run makes: the n-th of its name.
  private struct Call: Hashable {
    let name: String
    let number: Int
  }

  private static let changing: Set<String> = [
    "pwrite64", "write", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    "mkdir",
    "mkdirat", "rmdir", "ftruncate", "chmod", "fchmod", "link", "linkat", "flock", "copy_file_range",
  ]

  /// The calls in what strace wrote down: `PID name(arguments…`.
  private static func calls(_ log: String) -> [Call] {
    var counts: [String: Int] = [:]
    var found: [Call] = []
    for line in log.split(separator: "\n") {
      // The process id is padded.
      let call = line.drop { $0.isNumber || $0 == " " }
      guard let end = call.firstIndex(of: "("), call.first?.isLetter == true else { continue }
      let name = String(call[..<end])
      counts[name, default: 0] += 1
      let changes = changing.contains(name) || (name == "openat" && line.contains("O_CREAT"))
      if name != "execve", mode == "all" || changes {
        found.append(Call(name: name, number: counts[name] ?? 1))
      }
    }
    return found
  }

  private static func chosen(_ calls: [Call], _ random: inout SeededRandom) -> [Call] {
    mode == "short" ? Array(calls.shuffled(using: &random).prefix(2)) : calls
  }

  @Test(arguments: commands)
  func nothingAcknowledgedIsMissing(_ command: SweptCommand) throws {
    guard BackgroundProgram.isInstalled("strace") else {
      return print("not tried, for want of strace: killing \(command.name) at its system calls")
    }
    guard try BuiltProgram().run("strace -o log true").status == 0 else {
      return print("not tried, since strace may not trace here: killing \(command.name)")
    }
    let seed = UInt64.random(in: 0...(.max))
    var random = SeededRandom(seed: seed)
    let program = try BuiltProgram()
    let prepared = try program.run(
      """
      mkdir work && cd work
      \(BuiltProgram.twoDevices)
      \(command.before)
      cp -a . ../start
      """)
    try #require(prepared.status == 0, "\(prepared.output)")
    let whole = try program.run(Self.traced(command, "-o ../log"))
    let said = try program.run("cat work/said")
    #expect(whole.status == 0, "\(said.output)")
    let log = try String(contentsOfFile: program.folder + "/log", encoding: .utf8)
    let calls = Self.calls(log)
    #expect(calls.count > 3, "nothing to be killed at")
    for call in Self.chosen(calls, &random) {
      let inject = "-o ../log -e inject=\(call.name):signal=KILL:when=\(call.number)"
      let killed = try program.run(Self.traced(command, inject))
      #expect(killed.status == 137, "\(call) was not reached: \(killed.output)")
      let after = try program.run("cd work\n\(command.aftermath)")
      let wrong = after.lines.filter { $0.hasPrefix("wrong:") }
      #expect(wrong.isEmpty, "\(command.name), killed at \(call), seed \(seed): \(after.output)")
    }
    print("killed \(command.name) at \(Self.chosen(calls, &random).count) of \(calls.count) calls")
  }

  private static func traced(_ command: SweptCommand, _ options: String) -> String {
    """
    rm -rf work && cp -a start work && cd work
    r() { repository=$1; shift; strace -f -qq \(options) "$RUNIC" --repo "$repository" "$@"; }
    { \(command.line); } > printed 2> said
    """
  }
}
