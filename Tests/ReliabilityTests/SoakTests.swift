import Foundation
import ObjectStore
import Testing

/// The short form of `scripts/soak`: three watchers, random edits, kills, a folder that is unmounted, disks that fill
/// up. `RUNIC_SOAK_SECONDS` makes it long; then what the watcher holds must stay flat too.
@Suite struct SoakTests {
  @Test func whatWatchersAndDisksSufferLosesNothing() throws {
    let program = try #require(BuiltProgram.path, "build the product runic first")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../scripts/soak").standardizedFileURL.path
    let asked = ProcessEnvironment.value("RUNIC_SOAK_SECONDS").flatMap { Int64($0) }
    let seconds = asked ?? 15
    let begin = "command -v python3 > /dev/null || exit 77; exec \"$0\" \"$@\""
    let run = try SystemProgramRunner().run(
      ProgramCall("/bin/sh", ["-c", begin, script, program, "\(seconds)"], timeLimit: (seconds + 600) * 1000))
    let said = String(decoding: run.output + run.errors, as: UTF8.self)
    guard run.status != 77 else {
      return print("not tried, for want of python3 or since this user may mount nothing: a soak of watch")
    }
    #expect(run.status == 0, "\(said)")
    if asked != nil { print(said) }
  }
}
