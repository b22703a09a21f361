@testable import runic

/// Swift Testing has a type of that name too.
typealias ExitStatus = runic.ExitStatus

/// Bytes that were written, or the error that writing them gives.
final class MemorySink: ByteSink {
  private(set) var bytes: [UInt8] = []
  private(set) var writes = 0
  private let failure: OutputError?

  init(failure: OutputError? = nil) { self.failure = failure }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func write(_ bytes: [UInt8]) throws(OutputError) {
    if let failure { throw failure }
    self.bytes += bytes
    writes += 1
  }
}

struct MemorySource: ByteSource {
  func next() throws -> [UInt8]? { nil }
}

/// What one run printed and how it ended.
struct Run {
  let status: ExitStatus
  let out: String
  let err: String

  /// Runs the program in this process.
  init(
    _ arguments: [String], commands: [Command] = Samples.commands, environment: [String: String] = [:],
    terminal: TerminalFacts = TerminalFacts()
  ) {
    let data = MemorySink()
    let messages = MemorySink()
    let context = Context(
      output: Output(data: data, messages: messages), environment: Environment(environment),
      now: { 1_788_696_000_000 }, input: MemorySource(), table: CommandTable(commands))
    var program = Program(context: context, terminal: terminal)
    status = program.run(arguments)
    out = data.text
    err = messages.text
  }
}

/// Commands that print what they were given.
enum Samples {
  static let descriptions: [CommandDescription] = [
    CommandDescription(
      "list", summary: "list records", group: .look, arguments: [Argument("KIND", .required, kind: .kind)],
      flags: [
        Flag("--since", value: "T", "not older than this"),
        Flag("--count", short: "-n", value: "N", "so many"),
        Flag("--all", short: "-a", "the retracted ones too"), Flag("--long", short: "-l", "more columns"),
        Flag("--provider", value: "P", repeatable: true, "of this provider"),
        Flag("--order", value: "O", choices: ["newest", "oldest"], "which comes first"),
      ], exclusive: [["--all", "--long"]]),
    CommandDescription(
      "record", summary: "record a payload", group: .record,
      arguments: [
        Argument("KIND", .required, kind: .kind), Argument("KEY=VALUE", .requiredRepeating),
      ], flags: [Flag("--local", "never sync it")]),
    CommandDescription(
      "record", "usage", summary: "record a quota reading", group: .record,
      arguments: [Argument("-", .optional)],
      flags: [Flag("--used", value: "N", "units used"), Flag("--local", "never sync it")]),
    CommandDescription(
      "remote", "add", summary: "add a remote", group: .sync,
      arguments: [Argument("NAME", .required), Argument("URL", .required)], exitStatus: [.unreachable]),
    CommandDescription("remote", "list", summary: "list the remotes", group: .sync),
    CommandDescription(
      "__complete", summary: "for the shell", group: .program, arguments: [Argument("WORD", .repeating)],
      isHidden: true),
  ]

  static let commands =
    descriptions.map { Command(description: $0, run: echo) } + [helpCommand, versionCommand]

  static func description(_ title: String) -> CommandDescription {
    descriptions.first { $0.title == title } ?? versionCommand.description
  }

  private static let echo: @Sendable (Invocation, inout Context) throws -> ExitStatus = {
    invocation, context in
    let flags = invocation.flags.map { flag in flag.name + (flag.value.map { "=\($0)" } ?? "") }
    context.output.line(([invocation.command.title] + flags + invocation.positionals).joined(separator: "|"))
    return .done
  }
}
