import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic statusline`.
let statuslineCommand = Command(
  description: CommandDescription(
    "statusline", summary: "print today's use on one short line", group: .look,
    flags: [
      Flag("--timezone", value: "Z", kind: .zone, "today is today in this zone, such as Europe/Berlin")
    ],
    exitStatus: [.busy, .noRepository],
    details: [
      "Today's cost and tokens, and the window closest to its limit of those that were read within the last two "
        + "days. Looks at what is new alone, so it may be asked every few seconds."
    ],
    examples: [Example("runic statusline", "for a shell's prompt or a status bar")])
) { invocation, context in
  let now = context.now()
  let repository = try Session.open(invocation, context)
  let query = ReportQuery(
    grouping: .daily, zone: try ZoneChoice.zone(invocation, context.environment),
    prices: try ReportRequest.prices(of: repository))
  let (use, names) = try repository.read { snapshot in
    let use = try snapshot.recentUse(query, now: now)
    return (use, use.quotas.map { snapshot.name(of: $0.device) })
  }
  let tightest = zip(use.quotas, names).filter { $0.0.ratio != nil }
    .max { ($0.0.ratio ?? 0) < ($1.0.ratio ?? 0) }
  if context.output.style.wantsJSON {
    context.output.json(StatuslineText.json(use, tightest, zone: query.zone, now: now))
  } else {
    context.output.line(Escaping.oneLine(StatuslineText.line(use, tightest?.0, now: now)))
  }
  return .done
}

private enum StatuslineText {
  /// `today $12.34, 5.6M tokens, claude 78%`
  static func line(_ use: RecentUse, _ tightest: QuotaStanding?, now: Int64) -> String {
    var parts = [
      "today \(ReportNumbers.cost(use.today))", "\(ReportNumbers.short(use.today.totalTokens)) tokens",
    ]
    if let tightest, let ratio = tightest.ratio {
      let age = max(0, now / 1000 - tightest.seconds)
      parts.append(
        "\(tightest.provider) \(ReportNumbers.percent(ratio))"
          + (age < 3600 ? "" : " (\(ReportNumbers.age(age)) ago)"))
    }
    return parts.joined(separator: ", ")
  }

  static func json(
    _ use: RecentUse, _ tightest: (QuotaStanding, String)?, zone: ZoneRules, now: Int64
  ) -> JSONValue {
    let quota = tightest.map { quota, name in
      JSONValue.object(
        ReportJSON.quota(quota, deviceName: name, age: max(0, now / 1000 - quota.seconds)))
    }
    return [
      "quota": quota ?? .null, "timezone": .text(zone.name), "today": .object(ReportJSON.sum(use.today)),
    ]
  }
}
