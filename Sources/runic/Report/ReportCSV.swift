import RunicCore

/// A report as comma-separated values (RFC 4180): a line of names, then a line for each row, or with a breakdown for
/// each model of each row. There is no line of totals, so that a column can be summed.
struct ReportCSV {
  let view: ReportView

  var text: String {
    let lines = [header] + view.report.rows.flatMap(lines)
    return lines.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
  }

  private var header: [String] {
    var names: [String]
    switch view.grouping {
    case .daily, .weekly, .monthly: names = ["period"]
    case .blocks: names = ["period", "end"]
    case .provider: names = ["provider"]
    case .model: names = ["provider", "model"]
    case .device: names = ["device", "deviceName"]
    case .account: names = ["account"]
    case .session: names = ["session"]
    }
    if view.hasBreakdown { names += ["modelProvider", "modelName"] }
    return names + [
      "requests", "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "cacheWrite1hTokens",
      "reasoningTokens", "totalTokens", "costUSD", "costSource", "unpricedTokens",
    ]
  }

  private func lines(_ row: ReportRow) -> [[String]] {
    let key = key(row)
    guard view.hasBreakdown else { return [key + numbers(row.sum)] }
    return row.models.map { key + [$0.name.provider, $0.name.model] + numbers($0.sum) }
  }

  private func key(_ row: ReportRow) -> [String] {
    switch row.key {
    case .period(_, let name):
      row.block.map { [name, Timestamp(seconds: $0.end)?.text ?? ""] } ?? [name]
    case .provider(let name): [name]
    case .model(let name): [name.provider, name.model]
    case .device(let device): [device.hex, view.deviceName(device)]
    case .account(let name), .session(let name): [name ?? ""]
    }
  }

  private func numbers(_ sum: UsageSum) -> [String] {
    let tokens = sum.tokens
    let counts = [
      sum.requests, tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite, tokens.cacheWrite1h,
      tokens.reasoning, sum.totalTokens,
    ]
    return counts.map { String($0) }
      + [sum.knownCost?.exactText ?? "", sum.source?.rawValue ?? "", String(sum.unpricedTokens)]
  }

  /// A field as it is written. A spreadsheet takes a text that begins like a formula for one: an apostrophe before
  /// it keeps it a text. Who reads it looks at scalars, so a mark that makes one character with a comma or a quote
  /// hides neither.
  static func field(_ text: String) -> String {
    var safe = Escaping.oneLine(text).unicodeScalars
    if let first = safe.first, "=+-@|%".unicodeScalars.contains(first) { safe = "'".unicodeScalars + safe }
    guard safe.contains(where: { ",\"' ".unicodeScalars.contains($0) }) else { return String(safe) }
    let quoted = safe.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
    return String(String.UnicodeScalarView(["\""] + quoted + ["\""]))
  }
}
