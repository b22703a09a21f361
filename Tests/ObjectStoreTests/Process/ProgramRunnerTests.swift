import ObjectStore
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct ProgramRunnerTests {
  private let runner = SystemProgramRunner()

  @Test func argumentsArriveAsTheyStand() throws {
    let words = ["a b", "$HOME", "`id`", "'\"", "*", "", "ü", "-n", "x;y|z\n"]
    let result = try runner.run(
      ProgramCall("sh", ["-c", "printf '%s\\n' \"$@\" | od -c | wc -c", "sh"] + words))
    #expect(result.status == 0)
    let plain = try runner.run(ProgramCall("printf", ["%s|"] + words))
    #expect(String(decoding: plain.output, as: UTF8.self) == words.map { "\($0)|" }.joined())
  }

  @Test func inputGoesInAndBothStreamsComeOut() throws {
    let input = [UInt8](repeating: 7, count: 1 << 20)
    let result = try runner.run(ProgramCall("sh", ["-c", "tee /dev/stderr; exit 3"], input: input))
    #expect(result.status == 3)
    #expect(result.output == input)
    #expect(result.errors == Array(input.prefix(ProgramLimits.errors)))
  }

  @Test func aProgramThatDoesNotReadDoesNoHarm() throws {
    let input = [UInt8](repeating: 7, count: 1 << 20)
    #expect(try runner.run(ProgramCall("true", [], input: input)).status == 0)
    #expect(
      try runner.run(ProgramCall("sh", ["-c", "exec <&-; echo on"], input: input)).output
        == Array("on\n".utf8))
  }

  @Test func outputIsHandedOnAsItComes() throws {
    var pieces: [UInt8] = []
    let result = try runner.run(ProgramCall("seq", ["50000"])) { pieces += $0 }
    #expect(pieces == result.output)
    #expect(pieces.count > 64 << 10)
  }

  @Test func variablesAreAddedAndReplaced() throws {
    let call = ProgramCall(
      "sh", ["-c", "echo $RUNIC_ONE-$HOME-${PATH:+path}"], environment: ["RUNIC_ONE": "1", "HOME": "x=y"])
    #expect(String(decoding: try runner.run(call).output, as: UTF8.self) == "1-x=y-path\n")
  }

  @Test func aSignalIsAStatusFrom128On() throws {
    #expect(try runner.run(ProgramCall("sh", ["-c", "kill -9 $$"])).status == 137)
  }

  @Test func aMissingProgramIsNamed() throws {
    #expect(throws: ProgramError.missing(program: "runic-no-such-program")) {
      try runner.run(ProgramCall("runic-no-such-program", []))
    }
    #expect(throws: ProgramError.missing(program: "/etc/passwd")) {
      try runner.run(ProgramCall("/etc/passwd", []))
    }
  }

  /// Threads of pools block signals: what they start must not.
  @Test func aChildBlocksNoSignal() throws {
    let result = try runner.run(ProgramCall("sh", ["-c", "kill -TERM $$; echo survived"]))
    #expect(result.status == 143)
    #expect(result.output.isEmpty)
  }

  @Test func tooMuchOutputEndsIt() throws {
    #expect(throws: ProgramError.tooMuchOutput) { try runner.run(ProgramCall("yes", [])) }
  }

  /// One that has closed its streams, too: nothing wakes who waits for that one.
  @Test(arguments: ["echo; sleep 20", "exec >/dev/null 2>&1; sleep 20"])
  func itsTimeIsLimited(script: String) throws {
    let time = Atomic<Int64>(0)
    let ticking = Clock(now: { time.add(1000, ordering: .relaxed).newValue }, sleep: Clock.system.sleep)
    let runner = SystemProgramRunner(clock: ticking)
    #expect(throws: ProgramError.timedOut) {
      try runner.run(ProgramCall("sh", ["-c", script], timeLimit: 1500))
    }
  }

  /// Whoever sets the wall clock ends nothing.
  @Test func onlyTimeThatPassesCounts() throws {
    let time = Atomic<Int64>(0)
    let leaping = Clock(
      now: { time.add(1_000_000, ordering: .relaxed).newValue }, ticks: { 0 }, sleep: Clock.system.sleep)
    let call = ProgramCall("sh", ["-c", "exec >/dev/null 2>&1; sleep 0.2; exit 3"], timeLimit: 1)
    #expect(try SystemProgramRunner(clock: leaping).run(call).status == 3)
  }

  /// What the program itself started goes too: rsync starts ssh.
  @Test(
    .enabled(if: isatty(0) == 0, "at a terminal, it is the terminal that ends the group"),
    arguments: ["", "exec >/dev/null 2>&1; "])
  func anInterruptEndsAllOfIt(before: String) throws {
    let folder = try TemporaryFolder()
    let inner = "\(folder.path)/inner"
    let runner = SystemProgramRunner(isInterrupted: {
      ((try? PosixFileSystem().status(inner)) ?? nil) != nil
    })
    let script = "\(before)sleep 20 & echo $! > \(inner).new; mv \(inner).new \(inner); wait"
    #expect(throws: ProgramError.interrupted) { try runner.run(ProgramCall("sh", ["-c", script])) }
    let text = String(decoding: try PosixFileSystem().read(inner, limit: 100), as: UTF8.self)
    let process = try #require(pid_t(text.filter(\.isNumber)))
    for _ in 0..<200 where isRunning(process) { Clock.system.sleep(10) }
    #expect(!isRunning(process))
  }

  /// How it ended is unknown then: that is no success.
  @Test func oneThatSomebodyElseWaitedForHasFailed() throws {
    #expect(throws: ProgramError.system(SystemError(call: "waitpid", path: "sh", code: ECHILD))) {
      try runner.run(ProgramCall("sh", ["-c", "echo $$; exit 3"])) { piece in
        guard let process = pid_t(String(decoding: piece, as: UTF8.self).filter(\.isNumber)) else { return }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
      }
    }
  }

  @Test func oneThatHasClosedItsStreamsIsStillToldTheEndOfItsInput() throws {
    let script = "exec >/dev/null 2>&1; sleep 1; cat; exit 6"
    let call = ProgramCall(
      "sh", ["-c", script], input: [UInt8](repeating: 7, count: 1 << 20), timeLimit: 60_000)
    #expect(try runner.run(call).status == 6)
  }

  /// A zombie that nobody waited for yet runs no more.
  private func isRunning(_ process: pid_t) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    guard let stat = try? SystemProgramRunner().run(ProgramCall("ps", ["-o", "stat=", "-p", "\(process)"]))
    else {
      return true
    }
    return stat.output.first.map { $0 != UInt8(ascii: "Z") } ?? false
  }

  @Test func whatStaysBehindHoldsNobodyUp() throws {
    let result = try runner.run(ProgramCall("sh", ["-c", "sleep 5 & echo done; exit 4"]))
    #expect(result.status == 4)
    #expect(result.output == Array("done\n".utf8))
  }
}
