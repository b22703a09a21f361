import ObjectStore

/// One run of runic: from the arguments to the exit status.
struct Program {
  var context: Context
  let terminal: TerminalFacts

  init(context: Context, terminal: TerminalFacts) {
    self.context = context
    self.terminal = terminal
  }

  /// Runs what the arguments (without the program's name) ask for, prints why it failed if it did, and returns
  /// the status.
  mutating func run(_ arguments: [String]) -> ExitStatus {
    // A wrong command line does not say how it wants its error: what can be known of that is known before.
    context.output.style = Output.Style(version, environment: context.environment, terminal: terminal)
    context.output.style.wantsJSON = Self.mentions("--json", in: arguments)
    var status: ExitStatus
    do {
      status = try dispatch(arguments)
      // What was done before the interrupt may not be all: nobody is to take it for that.
      if Interrupt.isRequested, status != .interrupted { status = report(.interrupted) }
    } catch {
      status = report(Interrupt.isRequested ? .interrupted : commandFailure(for: error))
    }
    do throws(OutputError) {
      try context.output.finish()
    } catch {
      if Interrupt.isRequested { return .interrupted }
      if error.code == System.brokenPipe { System.dieOfBrokenPipe() }
      context.output.report(
        .failed(
          "cannot write to standard output: \(System.message(error.code))",
          hint: "print to a place that takes it; what the command stored is stored"))
      status = status == .done ? .failed : status
    }
    return status
  }

  private mutating func dispatch(_ arguments: [String]) throws -> ExitStatus {
    let wantsHelp = Self.mentions("--help", in: arguments) || Self.mentions("-h", in: arguments)
    if !wantsHelp, Self.mentions("--version", in: arguments) {
      return try versionCommand.run(version, &context)
    }
    switch try CommandFinder(context.table).find(arguments) {
    case .nothing:
      try checkGlobal(arguments)
      return HelpPrinter(context: context).overview()
    case .group(let word):
      if wantsHelp { return HelpPrinter(context: context).group(word) }
      throw incomplete(word)
    case .command(let command, let rest):
      if wantsHelp { return HelpPrinter(context: context).command(command.description) }
      return try start(command, rest)
    }
  }

  private mutating func start(_ command: Command, _ arguments: [String]) throws -> ExitStatus {
    let invocation = try ArgumentParser.parse(arguments, for: command.description)
    _ = try invocation.lockWait()
    context.output.style = Output.Style(invocation, environment: context.environment, terminal: terminal)
    defer { if Interrupt.isRequested { Session.clearAway(invocation, context) } }
    return try Interrupt.deferred { try command.run(invocation, &context) }
  }

  private var version: Invocation { Invocation(command: versionCommand.description) }

  /// Without a command there may still be a mistyped flag.
  private func checkGlobal(_ arguments: [String]) throws(CommandFailure) {
    let none = CommandDescription(summary: "", group: .program)
    _ = try ArgumentParser.parse(arguments, for: none)
  }

  private func incomplete(_ word: String) -> CommandFailure {
    let names = CommandFinder(context.table).group(word).compactMap(\.description.name.last)
    return .usage(
      "'\(word)' alone is no runic command", hint: "after it comes one of: \(names.joined(separator: ", "))")
  }

  private func report(_ failure: CommandFailure) -> ExitStatus {
    if context.output.style.wantsJSON {
      context.output.json(failure.json)
    } else {
      context.output.report(failure)
    }
    return failure.status
  }

  private static func mentions(_ flag: String, in arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains(flag)
  }
}

extension Program {
  /// The run of this process.
  ///
  /// - Parameter arguments: what was typed; nil where it is no text.
  static func main(_ arguments: [String]?, table: CommandTable) -> Int32 {
    LibcryptoProcess.startLean()
    let closed = System.fillStandardDescriptors()
    Interrupt.install()
    System.ignoreFileSizeSignal()
    System.rememberChildren()
    let output = Output(
      data: DescriptorSink(1, wasClosed: closed.contains(1)),
      messages: DescriptorSink(2, wasClosed: closed.contains(2)))
    let context = Context(
      output: output, environment: Environment(System.variable), now: Clock.system.now,
      input: DescriptorSource(descriptor: 0), table: table,
      fileSystem: InterruptibleFileSystem(PosixFileSystem()))
    let terminal = TerminalFacts(
      outputIsTerminal: System.isTerminal(1), messagesAreTerminal: System.isTerminal(2),
      columns: System.columns(1), messageColumns: System.columns(2))
    var program = Program(context: context, terminal: terminal)
    guard let arguments else { return program.report(notText).rawValue }
    let status = program.run(arguments)
    Interrupt.dieOfSignal()
    return status.rawValue
  }

  /// Keys, ids and paths would be other ones than were typed.
  private static var notText: CommandFailure {
    .usage("an argument is no UTF-8 text", hint: "see 'runic help'")
  }
}
