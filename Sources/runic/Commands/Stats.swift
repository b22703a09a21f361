import CanonicalJSON
import RunicCore

/// `runic stats`.
let statsCommand = Command(
  description: CommandDescription(
    "stats", summary: "show how the last syncs went", group: .look,
    flags: [
      Flag("--size", "ask each remote for its size, by device and kind of record"), SyncCommands.noRetry,
    ],
    exitStatus: [.unreachable, .busy, .noRepository],
    details: [
      "Counts what this device did: its syncs, what went and came, what was tried again, and the conflicts that "
        + "it met with how each was settled. The file that says so is bounded and may be lost.",
      "The bytes of a kind are its share of a device's objects, by the length of its commits.",
    ], examples: [Example("runic stats --size", "what takes the room")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let history = try repository.history()
  let sizes =
    invocation.isSet("--size")
    ? try repository.configuration.remotes.map { try repository.size(of: $0.name) } : []
  let words = StatsWords(
    history: history, sizes: sizes, warnings: repository.slowRemotes(history), now: context.now())
  if context.output.style.wantsJSON {
    context.output.json(words.json(hasSizes: invocation.isSet("--size")))
  } else {
    words.show(context)
  }
  return .done
}
