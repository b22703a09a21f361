/// Every command, in the order in which help lists them within their group.
enum Commands {
  static let table = CommandTable(all: { all }, family: family)

  static let all: [Command] =
    [initCommand, cloneCommand, joinCommand, statusCommand, diffCommand] + SyncCommands.all
    + [reportCommand, statuslineCommand, alertsCheckCommand] + RecordCommands.all + RemoteCommands.all
    + [fsckCommand, gcCommand, doctorCommand, catObjectCommand, reflogCommand] + KeyCommands.all
    + DeviceCommands.all + ConfigCommands.all + [trackCommand, untrackCommand, watchCommand, statsCommand]
    + [installHookCommand, uninstallHookCommand] + ProgramCommands.all

  /// The commands that begin with a word. Those that are run every minute are named here, so that their run makes no
  /// other description; the test of the table holds the two together.
  private static func family(_ word: String) -> [Command] {
    switch word {
    case "record":
      [recordUsageCommand, recordRequestCommand, recordPreferencesCommand, recordAlertCommand, recordCommand]
    case "pull": [pullCommand]
    case "push": [pushCommand]
    case "sync": [syncCommand]
    case "status": [statusCommand]
    case "report": [reportCommand]
    case "statusline": [statuslineCommand]
    case "list": [listCommand]
    case "get": [getCommand]
    case "__complete": [completeCommand]
    case "version": [versionCommand]
    default: all.filter { $0.description.name.first == word }
    }
  }
}

/// The commands that tell of the program itself.
enum ProgramCommands {
  static let all = [completionCommand, helpCommand, versionCommand, completeCommand, manualCommand]
}
