import CanonicalJSON
import RunicCore

/// `runic record preferences`: keys of the user's preferences.
let recordPreferencesCommand = Command(
  description: CommandDescription(
    "record", "preferences", summary: "set or unset preferences", group: .record,
    arguments: [Argument("KEY=VALUE", .repeating, kind: .assignment)],
    flags: [Recording.idFlag] + Recording.keyedFlags,
    exitStatus: Recording.status,
    details: [
      "Known keys are refreshInterval, enabledProviders (a,b), notificationsEnabled, autoRefreshEnabled, theme "
        + "and displayFormat; any other key may be set. A value that reads as JSON is that JSON, anything else a "
        + "string. Keys that are not named stay as they are.",
      "With - in place of KEY=VALUE, standard input holds a JSON object a line.",
    ],
    examples: [
      Example("runic record preferences theme=dark refreshInterval=600", "sets two keys"),
      Example("runic record preferences --unset theme", "removes a key"),
    ])
) { invocation, context in
  let recording = try Recording(invocation, context, kind: BuiltInName.preferences)
  if invocation.positionals == ["-"] { return try recording.recordLines(id: invocation.flag("--id")) }
  return try recording.recordKeys(invocation.positionals, id: invocation.flag("--id"))
}

extension Recording {
  /// Records `KEY=VALUE` arguments; there is nothing to do without one and without `--unset`.
  func recordKeys(_ arguments: [String], id: String?) throws -> ExitStatus {
    let typed = try invocation.assignments(arguments)
    guard !typed.isEmpty || invocation.isSet(Self.unsetFlag.long) else {
      throw CommandFailure.usage(
        "\(invocation.command.title): KEY=VALUE is missing", hint: invocation.helpHint)
    }
    return try record(typed, id: id)
  }
}
