import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic alerts check`.
let alertsCheckCommand = Command(
  description: CommandDescription(
    "alerts", "check", summary: "hold the newest quota readings against the alert thresholds", group: .look,
    exitStatus: [.busy, .noRepository, .warning, .critical],
    details: [
      "Each window of each account is judged by itself. What is new is said once, until the window falls below "
        + "its thresholds again, through the channels of the alert: system (notify-send, where it is there), "
        + "command (the program of 'runic config set alerts.command PROGRAM', given JSON on its standard input) and "
        + "stdout. While the preference notificationsEnabled is false nobody is told; the status stands.",
      "With --verbose, where every window stands is said on standard error.",
    ],
    examples: [
      Example(
        "runic record alert --provider claude --warning 0.8 --channel system,stdout", "sets thresholds"),
      Example("runic alerts check", "for cron: ends with 10 at a warning, with 11 at a critical threshold"),
    ])
) { invocation, context in
  let now = context.now()
  let repository = try Session.open(invocation, context)
  let (standings, mayNotify, names) = try repository.read { snapshot in
    let standings = try snapshot.alertStandings(now: now)
    let mayNotify = try snapshot.preferences()["notificationsEnabled"]?.boolValue ?? true
    return (standings, mayNotify, try snapshot.names(of: Set(standings.map(\.quota.device))))
  }
  let text = AlertText(deviceNames: names, now: now)
  for standing in standings { context.output.detail(text.line(standing)) }
  let channels = AlertChannels(repository: repository, text: text, context: context)
  let news = mayNotify ? try repository.announce(standings, say: channels.say) : []
  if context.output.style.wantsJSON { context.output.json(text.json(standings, said: news)) }
  switch standings.map(\.level).max() ?? .fine {
  case .fine: return .done
  case .warning: return .warning
  case .critical: return .critical
  }
}
