/// Help for programs: `runic help --json`.
enum HelpJSON {
  /// `{"commands":[…],"globalFlags":[…]}`.
  static func document(_ commands: [CommandDescription]) -> JSONOut {
    .object([
      ("commands", .array(commands.filter { !$0.isHidden }.map(command))),
      ("globalFlags", .array(GlobalFlags.all.map(flag))),
    ])
  }

  private static func command(_ command: CommandDescription) -> JSONOut {
    .object([
      ("name", .string(command.title)),
      ("summary", .string(command.summary)),
      ("group", .string(command.group.rawValue)),
      ("arguments", .array(command.arguments.map(argument))),
      ("flags", .array(command.flags.map(flag))),
      ("exclusive", .array(command.exclusive.map(JSONOut.strings))),
      ("exitStatus", .array(command.allExitStatus.map(status))),
      ("details", .strings(command.details)),
      ("examples", .array(command.examples.map(example))),
    ])
  }

  private static func argument(_ argument: Argument) -> JSONOut {
    .object([
      ("name", .string(argument.name)),
      ("required", .bool(argument.isRequired)),
      ("repeating", .bool(argument.isRepeating)),
      ("kind", .string(argument.kind.rawValue)),
      ("choices", .strings(argument.choices)),
    ])
  }

  private static func flag(_ flag: Flag) -> JSONOut {
    .object([
      ("name", .string(flag.long)),
      ("short", .optional(flag.short)),
      ("value", .optional(flag.value)),
      ("repeatable", .bool(flag.isRepeatable)),
      ("summary", .string(flag.summary)),
      ("kind", .string(flag.kind.rawValue)),
      ("choices", .strings(flag.choices)),
    ])
  }

  private static func status(_ status: ExitStatus) -> JSONOut {
    .object([("status", .integer(Int64(status.rawValue))), ("meaning", .string(status.meaning))])
  }

  private static func example(_ example: Example) -> JSONOut {
    .object([("line", .string(example.line)), ("purpose", .string(example.purpose))])
  }
}
