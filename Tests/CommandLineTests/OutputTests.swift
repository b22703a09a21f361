import Synchronization
import Testing

@testable import runic

@Suite struct OutputTests {
  @Test(arguments: [
    ("plain text", "plain text"), ("a\nb", "a\\nb"), ("a\r\n\tb", "a\\r\\n\\tb"),
    ("\u{1B}[31mred", "\\u001b[31mred"),
    ("\u{7F}\u{85}", "\\u007f\\u0085"), ("a\u{2028}b\u{202E}c", "a\\u2028b\\u202ec"), ("zwölf 時", "zwölf 時"),
    ("\u{0}", "\\u0000"), ("", ""),
  ])
  func textFromElsewhereStaysOneHarmlessLine(_ text: String, _ expected: String) {
    #expect(Escaping.oneLine(text) == expected)
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("zwölf", 5), ("e\u{301}", 1), ("時間", 4), ("🙂", 2), ("👩‍👩‍👧", 2), ("ｱ", 1), ("Ａ", 2),
    ("…", 1),
  ])
  func widthIsWhatATerminalShows(_ text: String, _ columns: Int) {
    #expect(TextWidth.columns(text) == columns)
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("時間時", 4, "時…"), ("時間", 4, "時間"), ("abc", 0, ""), ("abc", 1, "…"),
  ])
  func whatIsTooLongIsCut(_ text: String, _ limit: Int, _ expected: String) {
    let cut = TextWidth.truncated(text, to: limit)
    #expect(cut == expected)
    #expect(TextWidth.columns(cut) <= limit)
  }

  @Test func aTableAlignsItsColumns() {
    var table = TextTable([.init("device"), .init("tokens", .right), .init("model", shrinks: true)])
    table.add(["laptop", "7", "one"])
    table.add(["時計", "1200", "a-very-long-model-name"])
    table.add(["x\ny"])
    #expect(
      table.lines(width: nil) == [
        "device  tokens  model", "laptop       7  one", "時計      1200  a-very-long-model-name", "x\\ny",
      ])
    #expect(table.lines(width: 28).allSatisfy { TextWidth.columns($0) <= 28 })
    #expect(table.lines(width: 28)[2] == "時計      1200  a-very-long…")
    #expect(table.lines(width: 1)[2] == "時計      1200  a-v…")
  }

  @Test(
    arguments: [
      ([], [:], true, true), ([], [:], false, false), ([], ["NO_COLOR": "1"], true, false),
      ([], ["NO_COLOR": ""], true, true), ([], ["TERM": "dumb"], true, false),
      (["--no-color"], [:], true, false),
      (["--color"], ["NO_COLOR": "1", "TERM": "dumb"], false, true),
    ] as [([String], [String: String], Bool, Bool)])
  func colourIsDecidedByFlagThenEnvironmentThenTerminal(
    _ flags: [String], _ variables: [String: String], _ isTerminal: Bool, _ expected: Bool
  ) throws {
    let style = Output.Style(
      try ArgumentParser.parse(flags, for: versionCommand.description), environment: Environment(variables),
      terminal: TerminalFacts(outputIsTerminal: isTerminal))
    #expect(style.usesColor == expected)
  }

  @Test(
    arguments: [
      ([:], true, 132, 132), (["COLUMNS": "40"], true, 132, 40), (["COLUMNS": "-1"], true, 132, 132),
      ([:], true, nil, 80),
      (["COLUMNS": "40"], false, nil, nil),
    ] as [([String: String], Bool, Int?, Int?)])
  func widthIsTheTerminals(
    _ variables: [String: String], _ isTerminal: Bool, _ columns: Int?, _ expected: Int?
  ) {
    let style = Output.Style(
      Invocation(command: versionCommand.description), environment: Environment(variables),
      terminal: TerminalFacts(outputIsTerminal: isTerminal, columns: columns))
    #expect(style.width == expected)
  }

  @Test func dataIsGatheredAndComesBeforeAMessage() throws {
    let sink = MemorySink()
    let output = Output(data: sink, messages: sink)
    output.line("one")
    output.line("two")
    #expect(sink.writes == 0)
    output.message("said\nso")
    #expect(sink.text == "one\ntwo\nsaid\\nso\n")
    output.write(Array(repeating: 65, count: 64 * 1024))
    #expect(sink.writes == 3)
    try output.finish()
    #expect(sink.writes == 3)
  }

  @Test func quietAndVerboseChooseTheMessages() {
    for (style, expected) in [
      (Output.Style(), "runic: warning: w\nn\n"), (Output.Style(isQuiet: true), "runic: warning: w\n"),
      (Output.Style(isVerbose: true), "runic: warning: w\nn\nd\n"),
    ] {
      let sink = MemorySink()
      let output = Output(data: MemorySink(), messages: sink, style: style)
      output.warning("w")
      output.note("n")
      output.detail("d")
      #expect(sink.text == expected)
    }
  }

  @Test func progressIsTakenAwayBeforeAnythingElse() {
    let sink = MemorySink()
    let clock = Mutex<Int64>(0)
    let output = Output(
      data: MemorySink(), messages: sink, style: Output.Style(showsProgress: true),
      now: { clock.withLock { $0 } })
    output.progress("0 of 20")
    clock.withLock { $0 = 500 }
    output.progress("10 of 20")
    clock.withLock { $0 = 600 }
    output.progress("done")
    output.message("m")
    #expect(sink.text == "\r10 of 20\rdone    \r    \rm\n")
  }

  @Test func dataThatCannotBeWrittenIsReportedAtTheEnd() {
    let output = Output(data: MemorySink(failure: OutputError(code: 28)), messages: MemorySink())
    output.line("x")
    #expect(!output.isBroken)
    output.flush()
    #expect(output.isBroken)
    #expect(throws: OutputError(code: 28)) { try output.finish() }
  }

  @Test func aFullOutputMakesADoneRunAFailedOne() {
    let messages = MemorySink()
    let context = Context(
      output: Output(data: MemorySink(failure: OutputError(code: 28)), messages: messages),
      environment: Environment([:]), now: { 0 }, input: MemorySource(), table: CommandTable(Samples.commands))
    var program = Program(context: context, terminal: TerminalFacts())
    #expect(program.run(["version"]) == .failed)
    #expect(messages.text.hasPrefix("runic: error: cannot write to standard output: "))
  }
}
