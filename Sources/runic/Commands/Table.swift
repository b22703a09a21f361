/// Every command, in the order in which help lists them within their group.
enum Commands {
  static let all: [Command] =
    RecordCommands.all + [
      helpCommand,
      versionCommand,
    ]
}
