import CanonicalJSON
import RunicCore

/// `runic record usage`: a quota reading, or what the AI tools logged.
let recordUsageCommand = Command(
  description: CommandDescription(
    "record", "usage", summary: "collect what AI tools logged, or record a quota reading", group: .record,
    arguments: [Argument("-", .optional, choices: ["-"])],
    flags: [
      Flag("--provider", value: "P", kind: .provider, "whose quota it is"),
      Flag("--used", value: "N", kind: .number, "units used"),
      Flag("--limit", value: "N", kind: .number, "units there are"),
      Flag("--secondary-used", value: "N", kind: .number, "units used of the second window"),
      Flag("--secondary-limit", value: "N", kind: .number, "units of the second window"),
      Flag("--cost", value: "D", kind: .number, "what it cost, in US dollars"),
      Flag("--account", value: "A", kind: .text, "the account's address"),
      Flag("--at", value: "TIME", kind: .time, "when it was read (now)"),
    ] + UsageCollection.flags + Recording.historyFlags, exitStatus: Recording.status,
    details: UsageCollection.details + [
      "A reading is told from another by what it says, its time included: one recorded again is none.",
      "A day, after --at or --since, is its beginning in the zone that the variable TZ names, else in the machine's.",
      "With -, standard input holds a JSON object a line, of at most 1 MiB. A bad line refuses all of them, unless "
        + "--skip-bad is given. Required are providerID and primaryUsed. primaryUsed, primaryLimit, secondaryUsed and "
        + "secondaryLimit are whole numbers of 64 bits, in the provider's own units; costUSD is a number of US dollars; "
        + "providerID, accountEmail, deviceName and platform are strings; updatedAt (when it was read), "
        + "primaryResetsAt and secondaryResetsAt (when the window ends) are instants. deviceName, platform and "
        + "updatedAt are filled in where they are missing. Any other field is kept as it is.",
    ],
    examples: [
      Example("runic record usage", "collects from every tool that is found"),
      Example("ccusage --json | runic record usage --from ccusage", "takes what only ccusage still knows"),
      Example("runic record usage --provider claude --used 512 --limit 1000", "records a reading"),
    ])
) { invocation, context in
  let typed = try RecordUsage.typed(invocation, context)
  if try RecordUsage.collects(invocation, isTyped: !typed.isEmpty) {
    return try UsageCollection(invocation: invocation, context: context).run()
  }
  if invocation.readsStandardInput {
    guard typed.isEmpty else {
      throw CommandFailure.usage("record usage: either flags or -", hint: invocation.helpHint)
    }
    return try Recording(invocation, context, kind: BuiltInName.usage).recordLines()
  }
  return try Recording(invocation, context, kind: BuiltInName.usage).record(typed)
}

private enum RecordUsage {
  /// Whether there is nothing to record but what the tools logged.
  static func collects(_ invocation: Invocation, isTyped: Bool) throws(CommandFailure) -> Bool {
    let isGiven = isTyped || invocation.readsStandardInput
    if isGiven, UsageCollection.isAsked(invocation) {
      throw .usage("record usage: either a reading or a collection", hint: invocation.helpHint)
    }
    guard !isGiven else { return false }
    for flag in Recording.historyFlags where invocation.isSet(flag.long) {
      throw .usage("record usage: \(flag.long) goes with a reading", hint: invocation.helpHint)
    }
    return true
  }

  /// The least that a person can mean by each. Readings from elsewhere are taken as they are.
  private static let fields: [(flag: String, field: JSONString, least: Double?)] = [
    ("--provider", "providerID", nil), ("--used", "primaryUsed", 0), ("--limit", "primaryLimit", 1),
    ("--secondary-used", "secondaryUsed", 0), ("--secondary-limit", "secondaryLimit", 1),
    ("--cost", "costUSD", 0), ("--account", "accountEmail", nil),
  ]

  static func typed(
    _ invocation: Invocation, _ context: Context
  ) throws -> [(field: JSONString, text: String)] {
    var typed: [(field: JSONString, text: String)] = []
    for (flag, field, least) in fields {
      guard let text = invocation.flag(flag) else { continue }
      if let least, let number = try Kind.usage.value(forField: field, typed: text).doubleValue,
        number < least
      {
        throw CommandFailure.usage(
          "\(flag) takes a number from \(Int(least)) on, not '\(text)'",
          hint: least > 0 ? "leave \(flag) out where there is no limit" : invocation.helpHint)
      }
      typed.append((field, text))
    }
    if let time = try invocation.time("--at", now: context.now(), in: context.zone) {
      typed.append(("updatedAt", time.text))
    }
    return typed
  }
}
