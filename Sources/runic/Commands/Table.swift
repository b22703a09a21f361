/// Every command, in the order in which help lists them within their group.
enum Commands {
  static let all: [Command] =
    [initCommand, cloneCommand, joinCommand, statusCommand, diffCommand] + SyncCommands.all
    + [reportCommand, statuslineCommand, alertsCheckCommand] + RecordCommands.all + RemoteCommands.all
    + [fsckCommand, gcCommand, doctorCommand, catObjectCommand, reflogCommand] + KeyCommands.all
    + DeviceCommands.all + ConfigCommands.all + [trackCommand, untrackCommand, watchCommand, statsCommand]
    + [installHookCommand, uninstallHookCommand] + ProgramCommands.all
}

/// The commands that tell of the program itself.
enum ProgramCommands {
  static let all = [completionCommand, helpCommand, versionCommand, completeCommand, manualCommand]
}
