import CanonicalJSON
import RunicCore

/// `runic record alert`: the thresholds of a provider.
let recordAlertCommand = Command(
  description: CommandDescription(
    "record", "alert", summary: "set the alert of a provider", group: .record,
    arguments: [Argument("-", .optional, choices: ["-"])],
    flags: [
      Flag("--provider", value: "P", kind: .provider, "whose quota is watched"),
      Flag("--warning", value: "0.8", kind: .number, "the part of the quota at which to warn, 0 to 1 (0.75)"),
      Flag("--critical", value: "0.95", kind: .number, "the part at which it is critical, 0 to 1 (0.9)"),
      Flag(
        "--channel", value: "C", repeatable: true, kind: .channel,
        "where to notify: system, command, stdout (system)"),
      Flag("--enabled", "switch the alert on"), Flag("--disabled", "switch it off"),
    ] + Recording.keyedFlags, exclusive: [["--enabled", "--disabled"]], exitStatus: Recording.status,
    details: [
      "What is not given stays as it is. The warning threshold must not be above the critical one.",
      "With -, standard input holds an alert a line, the provider in providerID.",
    ],
    examples: [
      Example("runic record alert --provider claude --warning 0.8 --critical 0.95", "sets thresholds")
    ])
) { invocation, context in
  if invocation.readsStandardInput {
    return try Recording(invocation, context, kind: BuiltInName.alert).recordLines(
      id: invocation.flag("--provider"), idFlag: "--provider")
  }
  let provider = try invocation.requiredFlag("--provider")
  var typed: [(field: JSONString, text: String)] = [("providerID", provider)]
  if let text = invocation.flag("--warning") { typed.append(("warningThreshold", text)) }
  if let text = invocation.flag("--critical") { typed.append(("criticalThreshold", text)) }
  if invocation.isSet("--channel") {
    let channels = invocation.list("--channel")
    if let strange = channels.first(where: { !AlertChannels.names.contains($0) }) {
      throw CommandFailure.usage(
        "'\(strange)' is no channel of alerts",
        hint: "there is: \(AlertChannels.names.joined(separator: ", "))")
    }
    let list = JSONValue.array(channels.map { .text($0) })
    typed.append(("notificationChannels", String(decoding: list.canonicalBytes, as: UTF8.self)))
  }
  if invocation.isSet("--enabled") { typed.append(("enabled", "true")) }
  if invocation.isSet("--disabled") { typed.append(("enabled", "false")) }
  return try Recording(invocation, context, kind: BuiltInName.alert).record(typed, id: provider)
}
