import RunicCore

/// A report as a table on a terminal, as wide as that is.
struct ReportTable {
  /// A choice of columns and of how numbers are written, widest first.
  private enum Layout: CaseIterable {
    case all, allShort, few, least
  }

  let view: ReportView

  /// - Parameter width: columns of the terminal; nil where there is none.
  func lines(width: Int?) -> [String] {
    var lines = main(width: width)
    if let present = view.presentBlock { lines += [""] + presentLines(present.rate, width: width) }
    if !view.quotas.isEmpty { lines += [""] + quotas(width: width) }
    lines.append("")
    return lines + view.remarks.flatMap { TextWidth.folded(Escaping.oneLine($0), to: width) }
  }

  // MARK: - The rows

  private func main(width: Int?) -> [String] {
    var layouts = Layout.allCases[...]
    if view.format == .compact { layouts = layouts.drop { $0 != .few } }
    for layout in layouts {
      // A first column of at least eight columns is always had; the rest must fit beside it.
      let lines = table(layout).lines(width: width)
      guard let width, layout != .least else { return lines }
      if lines.allSatisfy({ TextWidth.columns($0) <= width }), !isCramped(layout, width: width) {
        return lines
      }
    }
    return []
  }

  /// Whether the names of a layout are cut though a narrower layout would show them whole.
  private func isCramped(_ layout: Layout, width: Int) -> Bool {
    let natural = table(layout).lines(width: nil).map { TextWidth.columns($0) }.max() ?? 0
    let longest = view.report.rows.map { TextWidth.columns(view.name(of: $0.key)) }.max() ?? 0
    return natural > width && longest <= 24
  }

  private func table(_ layout: Layout) -> TextTable {
    var table = TextTable(columns(layout))
    for row in view.report.rows {
      let mark = row.block?.rate == nil ? "" : " (now)"
      table.add(cells(view.name(of: row.key) + mark, row.sum, layout))
      guard view.hasBreakdown else { continue }
      for model in row.models { table.add(cells("  " + view.names.name(of: model.name), model.sum, layout)) }
    }
    table.add(cells("total", view.report.totals, layout))
    return table
  }

  private func columns(_ layout: Layout) -> [TextTable.Column] {
    let names: [String]
    switch layout {
    case .all, .allShort:
      names = ["REQUESTS", "INPUT", "OUTPUT", "CACHE WRITE", "CACHE READ", "TOTAL", "COST"]
    case .few: names = ["INPUT", "OUTPUT", "CACHE", "TOTAL", "COST"]
    case .least: names = ["TOKENS", "COST"]
    }
    return [TextTable.Column(view.title, shrinks: true)] + names.map { TextTable.Column($0, .right) }
  }

  private func cells(_ name: String, _ sum: UsageSum, _ layout: Layout) -> [String] {
    let tokens = sum.tokens
    func number(_ value: Int64) -> String {
      layout == .all ? ReportNumbers.grouped(value) : ReportNumbers.short(value)
    }
    let cost = ReportNumbers.cost(sum)
    switch layout {
    case .all, .allShort:
      return [name, number(sum.requests)]
        + [tokens.input, tokens.output, tokens.cacheWrite, tokens.cacheRead, sum.totalTokens].map(number) + [
          cost
        ]
    case .few:
      let (cache, overflow) = tokens.cacheRead.addingReportingOverflow(tokens.cacheWrite)
      return [name]
        + [tokens.input, tokens.output, overflow ? .max : cache, sum.totalTokens].map(number) + [cost]
    case .least: return [name, number(sum.totalTokens), cost]
    }
  }

  // MARK: - Beside the rows

  private func presentLines(_ rate: UsageBlock.Rate, width: Int?) -> [String] {
    let perMinute = ReportNumbers.tenths(rate.tokensPerMinute)
    var text = "now: \(perMinute) tokens a minute"
    if let cost = rate.costPerHour { text += ", \(ReportNumbers.dollars(cost)) an hour" }
    text += "; \(counted(rate.minutesLeft, "minute")) left, then it comes to "
    text += "\(ReportNumbers.short(rate.projectedTokens)) tokens"
    if let cost = rate.projectedCost { text += ", \(ReportNumbers.dollars(cost))" }
    return TextWidth.folded(text, to: width)
  }

  private func quotas(width: Int?) -> [String] {
    let isNarrow = (width ?? 80) < 60
    var table = TextTable(
      [TextTable.Column("QUOTA", shrinks: true)]
        + (isNarrow ? [] : [TextTable.Column("OF", shrinks: true), TextTable.Column("WINDOW")])
        + [TextTable.Column("USED", .right), TextTable.Column("AGE", .right)])
    for quota in view.quotas {
      let used = quota.ratio.map(ReportNumbers.percent) ?? ReportNumbers.grouped(quota.used)
      table.add(
        (isNarrow ? [narrowName(of: quota)] : [quota.provider, view.owner(of: quota), quota.window.rawValue])
          + [used, ReportNumbers.age(view.age(of: quota)) + view.ending(of: quota)])
    }
    return table.lines(width: width)
  }

  /// A quota in one column: whose it is stands there only where the provider has several.
  private func narrowName(of quota: QuotaStanding) -> String {
    let others = view.quotas.filter { $0.provider == quota.provider && $0.window == quota.window }
    let name = quota.window == .secondary ? "\(quota.provider) 2nd" : quota.provider
    return others.count > 1 ? "\(name) \(view.owner(of: quota))" : name
  }
}
