import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic report`.
let reportCommand = Command(
  description: CommandDescription(
    "report", summary: "show what was used, and what it cost", group: .look,
    arguments: [Argument("BY", .optional, choices: ReportGrouping.allCases.map(\.rawValue))],
    flags: [
      Flag("--breakdown", "each row's models below it"),
      Flag("--since", value: "T", kind: .time, "not before this time; a day counts from its beginning"),
      Flag("--until", value: "T", kind: .time, "before this time; a day counts to its end"),
      Flag("--device", value: "D", repeatable: true, kind: .device, "of this device"),
      Flag(
        "--provider", value: "P", repeatable: true, kind: .provider,
        "of this provider, in either of its names"),
      Flag("--timezone", value: "Z", kind: .zone, "count days in this zone, such as Europe/Berlin"),
      Flag("--prices", "compute every cost from the price table, also where one was logged"),
      Flag("--csv", "print comma-separated values"),
      Flag("--html", value: "FILE", kind: .file, "write a page with charts"),
    ], exclusive: [["--csv", "--html", "--json"]], exitStatus: [.busy, .noRepository],
    details: [
      "Sums up the requests of all devices, by day unless told otherwise. Weeks are those of ISO 8601, blocks are "
        + "five hours from a full hour on. Costs are as logged, where a log states one; else from the price table, "
        + "whose date is shown. A file prices.json beside config.json, of the same form as the built-in table, "
        + "stands over it. Tokens without a price are named and are not in the cost; + marks such a sum.",
      "Quota readings stand beside the sums, the newest for each account and window; they are never added.",
      "Days are those of --timezone, else of the variable TZ, else of the machine.",
    ],
    examples: [
      Example("runic report monthly --breakdown", "shows months, each with its models"),
      Example("runic report device --since 2026-09-01 --until 2026-09-30", "shows September by machine"),
      Example("runic report --html usage.html", "writes a page to look at and to print"),
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let view = try ReportRequest(invocation, context).view(in: repository)
  if invocation.isSet("--csv") {
    context.output.write(Array(ReportCSV(view: view).text.utf8))
  } else if let path = invocation.flag("--html") {
    try ReportPageFile(path: path).write(view, context)
  } else if context.output.style.wantsJSON {
    context.output.json(ReportJSON(view: view).value)
  } else {
    for line in ReportTable(view: view).lines(width: context.output.style.width) { context.output.line(line) }
  }
  return .done
}

/// What a command line asks of a report.
struct ReportRequest {
  private let invocation: Invocation
  private let context: Context
  private let now: Int64

  init(_ invocation: Invocation, _ context: Context) {
    (self.invocation, self.context, now) = (invocation, context, context.now())
  }

  func view(in repository: Repository) throws -> ReportView {
    let grouping = invocation.positional(0).flatMap(ReportGrouping.init(rawValue:)) ?? .daily
    var query = ReportQuery(
      grouping: grouping, zone: try ZoneChoice.zone(invocation, context.environment),
      prices: try Self.prices(of: repository))
    let range = try invocation.timeRange(now: now) { query.zone }
    // Rounded up, so that what lies within a second of the limit is on its right side.
    query.range = Self.roundedUp(range.lowerBound)..<Self.roundedUp(range.upperBound)
    query.ignoresLoggedCosts = invocation.isSet("--prices")
    query.keepsCube = invocation.isSet("--html")
    let providers = Set(invocation.values("--provider"))
    if !providers.isEmpty { query.providers = providers }
    return try repository.read { try view(of: query, in: $0) }
  }

  private func view(of query: ReportQuery, in snapshot: Snapshot) throws -> ReportView {
    var query = query
    let wanted = invocation.values("--device")
    if !wanted.isEmpty { query.devices = Set(try wanted.map { try snapshot.recorder($0) }) }
    let preferences = try snapshot.preferences()
    let report = try snapshot.report(query, now: now)
    let quotas = try snapshot.quotas(now: now, of: query.devices).filter { Self.concerns($0, query) }
    let devices = Set(try snapshot.devices().map(\.id)).union(report.devices).union(quotas.map(\.device))
    let deviceNames = try snapshot.names(of: devices)
    return ReportView(
      query: query, report: report, quotas: quotas, deviceNames: deviceNames,
      names: ReportNames(devices: deviceNames, report: report), now: now,
      format: preferences["displayFormat"]?.textValue.flatMap(ReportView.Format.init(rawValue:))
        ?? .automatic,
      theme: preferences["theme"]?.textValue, hasBreakdown: invocation.isSet("--breakdown"))
  }

  private static func concerns(_ quota: QuotaStanding, _ query: ReportQuery) -> Bool {
    guard let providers = query.providers else { return true }
    return providers.contains { ProviderName.canonical($0) == ProviderName.canonical(quota.provider) }
  }

  /// Milliseconds as whole seconds.
  private static func roundedUp(_ milliseconds: Int64) -> Int64 {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return rest > 0 ? seconds + 1 : seconds
  }

  static func prices(of repository: Repository) throws -> PriceTable {
    do { return try repository.priceTable() } catch let error as PriceFileError {
      throw CommandFailure.failed(
        "'\(repository.layout.prices)': \(words(error))", code: "bad-prices",
        hint: "dollars for a million tokens, such as "
          + #"{"asOf":"2026-12","providers":{"anthropic":{"claude-opus-4-8":{"input":"5","output":"25"}}}}"#
      )
    }
  }

  private static func words(_ error: PriceFileError) -> String {
    let place = error.place.joined(separator: ", ")
    return switch error.reason {
    case .json(let cause): cause.words
    case .missing: "\(place) is missing"
    case .badAmount: "\(place) is no amount of dollars"
    case .badThreshold: "\(place) has no threshold"
    case .notAnObject: "\(place) is no object"
    }
  }
}
