import ObjectStore
import RunicCore
import Synchronization
import TestSupport
import Testing

@testable import runic

/// What long steps show, by a clock that a script moves.
@Suite struct ProgressTests {
  @Test func aStepIsSilentForHalfASecondAndThenSpeaksTenTimesASecond() {
    var pace = ProgressPace()
    let due = [0, 100, 499, 500, 501, 599, 600, 700, 2000].filter { pace.isDue(now: $0) }
    #expect(due == [500, 600, 700, 2000])
  }

  /// A clock on which every look takes so many milliseconds.
  private final class SteppingClock: Sendable {
    private let time = Mutex<Int64>(1_788_696_000_000)
    private let step: Int64

    init(step: Int64) { self.step = step }

    func now() -> Int64 {
      time.withLock { time in
        time += step
        return time
      }
    }
  }

  private func run(
    _ machine: Machine, _ arguments: [String], input: String = "", step: Int64 = 200, isTerminal: Bool = true
  ) throws -> String {
    let (data, messages) = (MemorySink(), MemorySink())
    let clock = SteppingClock(step: step)
    let time = machine.now
    let context = Context(
      output: Output(data: data, messages: messages, now: clock.now),
      environment: runic.Environment(machine.variables), now: { time }, input: TextSource(input),
      table: Commands.table,
      fileSystem: machine.files, random: machine.random)
    var program = Program(context: context, terminal: TerminalFacts(messagesAreTerminal: isTerminal))
    let status = program.run(["--repo", machine.root] + arguments)
    #expect(status == .done, "\(arguments): \(messages.text)\(data.text)")
    return messages.text
  }

  private static let lines = (0..<3000).map { "{\"id\":\"n\($0)\",\"payload\":{\"v\":\($0)}}\n" }.joined()

  @Test func everyLongOperationSaysHowFarItIs() throws {
    let (a, b) = try World(seed: 31).cloned()
    try a.expect(.done, "kind", "add", "note", "--per-key")
    #expect(try run(a, ["record", "note", "-"], input: Self.lines).contains("\rrecording, 3000 lines"))
    #expect(try run(a, ["push"], step: 600).contains(#/\r\d+ of \d+ files?, /#))
    let pulled = try run(b, ["pull"], step: 600)
    #expect(pulled.contains(#/\r\d+ of \d+ files?, /#))
    #expect(pulled.contains(#/\rbringing in, 0 of \d+ objects?/#))
    let export = try a.expect(.done, "export").out
    #expect(try run(b, ["import", "-"], input: export).contains("\rrecording, 2000 lines"))
    #expect(try run(a, ["fsck"]).contains(#/\rchecking, 3 of \d+ files, /#))
    #expect(try run(a, ["fsck", "home"]).contains(#/\rchecking, 3 of \d+ files, /#))
    let clone = Machine(name: "c", files: a.files, random: a.random)
    #expect(try run(clone, ["clone", "/mnt/share"], step: 600).contains(#/\r\d+ of \d+ files?, /#))
    #expect(try run(b, ["export"]).contains("\rexported 4 records"))
    // More than one 'record' rewrites: that is left to gc.
    for batch in ["x", "y"] {
      let padding = String(repeating: batch, count: 1500)
      let lines = (0..<1000).map { "{\"id\":\"\(batch)\($0)\",\"payload\":{\"v\":\"\(padding)\"}}\n" }
        .joined()
      _ = try run(a, ["record", "note", "-"], input: lines)
    }
    #expect(try run(a, ["gc"], step: 600).contains(#/\rrolling up, \d+ of \d+ objects/#))
    let own = Machine(name: "d", files: a.files, random: a.random)
    try own.expect(.done, "init")
    try own.prefer("theme", "dark")
    let joined = try run(own, ["join", "/mnt/share"], step: 600)
    for words in [#/\r\d+ of \d+ files?, /#, #/\rbringing in, /#, #/\rtaking along, \d+ records?/#] {
      #expect(joined.contains(words), "\(joined)")
    }
  }

  @Test func nothingIsShownWhereNobodyLooksOrAllIsQuick() throws {
    let (a, _) = try World(seed: 33).cloned()
    #expect(try !run(a, ["fsck"], isTerminal: false).contains("\r"))
    #expect(try !run(a, ["fsck"], step: 1).contains("\r"))
    #expect(try !run(a, ["--no-progress", "fsck"]).contains("\r"))
    #expect(try !run(a, ["--quiet", "fsck"]).contains("\r"))
  }

  /// Whatever was shown is taken away before anything else is printed.
  @Test func theLineIsGoneInTheEnd() throws {
    let (a, _) = try World(seed: 34).cloned()
    let text = try run(a, ["fsck"])
    let last = text.split(separator: "\r").last.map(String.init) ?? ""
    #expect(last.hasPrefix("no damage: "), "\(text)")
  }
}
