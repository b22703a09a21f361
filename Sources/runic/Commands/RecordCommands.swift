/// The commands about records, in the order in which help lists them.
enum RecordCommands {
  static let all: [Command] =
    [
      recordUsageCommand, recordRequestCommand, recordPreferencesCommand, recordAlertCommand, recordCommand,
      deleteCommand, promoteCommand, retractCommand, revertCommand, listCommand, getCommand, showCommand,
      logCommand, conflictsCommand, resolveCommand, exportCommand, importCommand,
    ] + KindCommands.all
}
