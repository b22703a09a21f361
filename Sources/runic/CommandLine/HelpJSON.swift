import CanonicalJSON

/// Help for programs: `runic help --json`.
enum HelpJSON {
  /// `{"commands":[…],"globalFlags":[…]}`.
  static func document(_ commands: [CommandDescription]) -> JSONValue {
    [
      "commands": .array(commands.filter { !$0.isHidden }.map(command)),
      "globalFlags": .array(GlobalFlags.all.map(flag)),
    ]
  }

  private static func command(_ command: CommandDescription) -> JSONValue {
    [
      "arguments": .array(command.arguments.map(argument)), "details": .texts(command.details),
      "examples": .array(command.examples.map(example)),
      "exclusive": .array(command.exclusive.map(JSONValue.texts)),
      "exitStatus": .array(command.allExitStatus.map(status)), "flags": .array(command.flags.map(flag)),
      "group": .text(command.group.rawValue), "name": .text(command.title),
      "summary": .text(command.summary),
    ]
  }

  private static func argument(_ argument: Argument) -> JSONValue {
    [
      "choices": .texts(argument.choices), "kind": .text(argument.kind.rawValue),
      "name": .text(argument.name),
      "repeating": .bool(argument.isRepeating), "required": .bool(argument.isRequired),
    ]
  }

  private static func flag(_ flag: Flag) -> JSONValue {
    [
      "choices": .texts(flag.choices), "kind": .text(flag.kind.rawValue), "name": .text(flag.long),
      "repeatable": .bool(flag.isRepeatable), "short": .text(flag.short), "summary": .text(flag.summary),
      "value": .text(flag.value),
    ]
  }

  private static func status(_ status: ExitStatus) -> JSONValue {
    ["meaning": .text(status.meaning), "status": .integer(Int64(status.rawValue))]
  }

  private static func example(_ example: Example) -> JSONValue {
    ["line": .text(example.line), "purpose": .text(example.purpose)]
  }
}
