import CanonicalJSON
import RunicCore

/// `runic record request`: a billed model request.
let recordRequestCommand = Command(
  description: CommandDescription(
    "record", "request", summary: "record billed model requests", group: .record,
    arguments: [Argument("KEY=VALUE", .requiredRepeating, kind: .assignment)],
    flags: [
      Flag("--provider", value: "P", kind: .provider, "who billed it: providerID"),
      Flag("--model", value: "M", kind: .text, "the model"),
      Flag("--at", value: "TIME", kind: .time, "when it was made: occurredAt (now)"),
    ] + Recording.historyFlags, exitStatus: Recording.status,
    details: [
      "Fields are providerID and occurredAt, which are required, the strings model, tool, sessionID, requestID, project, "
        + "accountEmail, serviceTier and speed (standard, if missing), costUSD in US dollars, and counts of tokens from 0 "
        + "on: inputTokens (without what came from a cache), outputTokens (reasoning included), cacheReadTokens, "
        + "cacheWriteTokens, cacheWrite1hTokens (a part of the one before) and reasoningTokens (a part of outputTokens). "
        + "Any other field is kept as it is.",
      "Of two recordings of one request (providerID and requestID) the one with more tokens stands.",
      "A day after --at is its beginning, in the zone that the variable TZ names, else in the machine's.",
      "With - in place of KEY=VALUE, standard input holds a JSON object of these fields a line, of at most 1 MiB, with "
        + "occurredAt as an instant, such as 2026-09-05T12:00:00Z.",
    ],
    examples: [
      Example(
        "runic record request --provider anthropic --model m requestID=r1 inputTokens=12 outputTokens=34",
        "records a request")
    ])
) { invocation, context in
  if invocation.positionals == ["-"] {
    return try Recording(invocation, context, kind: BuiltInName.request).recordLines()
  }
  var typed = try invocation.assignments(invocation.positionals)
  for (flag, field) in [("--provider", "providerID"), ("--model", "model")] as [(String, JSONString)] {
    if let text = invocation.flag(flag) { typed.append((field, text)) }
  }
  let now = context.now()
  if let time = try invocation.time("--at", now: now, in: context.zone) {
    typed.append(("occurredAt", time.text))
  }
  if !typed.contains(where: { $0.field == "occurredAt" }), let time = Timestamp(milliseconds: now)?.text {
    typed.append(("occurredAt", time))
  }
  return try Recording(invocation, context, kind: BuiltInName.request).record(typed)
}
