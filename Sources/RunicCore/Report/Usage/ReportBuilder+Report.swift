extension ReportBuilder {
  /// The report over all that was taken in.
  public consuming func report() -> Report {
    let leftOut = settleCoarseRows()
    let cells = allCells
    var totals = UsageSum()
    var models: [ModelName: UsageSum] = [:]
    for cell in cells {
      totals += cell.sum
      models[modelFacts[cell.model].name, default: UsageSum()] += cell.sum
    }
    let unpriced = models.filter { $0.value.unpricedTokens > 0 }
      .map { (name: $0.key, tokens: $0.value.unpricedTokens) }
      .sorted { ($1.tokens, $0.name) < ($0.tokens, $1.name) }
    return Report(
      rows: sorted(rows(of: cells)), totals: totals, unpriced: unpriced, leftOutRows: leftOut,
      unreadable: unreadable, cube: cube)
  }

  private func rows(of cells: [Cell]) -> [ReportRow] {
    let blocks = blockHours.blocks(now: now)
    var rows: [ReportKey: ReportRow] = [:]
    var models: [ReportKey: [ModelName: UsageSum]] = [:]
    for cell in cells {
      let key = key(of: cell, blocks: blocks)
      rows[key, default: ReportRow(key: key)].sum += cell.sum
      models[key, default: [:]][modelFacts[cell.model].name, default: UsageSum()] += cell.sum
    }
    return rows.values.map { row in
      var row = row
      row.models = (models[row.key] ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, sum: $0.value) }
      if query.grouping == .blocks, case .period(let start, _) = row.key {
        row.block = blocks[start / 3600]
      }
      return row
    }
  }

  private func key(of cell: Cell, blocks: [Int64: UsageBlock]) -> ReportKey {
    switch query.grouping {
    case .daily, .weekly, .monthly:
      let calendar = ReportCalendar(grouping: query.grouping, zone: query.zone)
      return .period(start: calendar.start(of: cell.group), name: calendar.name(of: cell.group))
    case .blocks:
      let start = blocks[cell.group]?.start ?? cell.group * 3600
      return .period(start: start, name: Timestamp(seconds: start)?.text ?? "")
    case .provider: return .provider(modelFacts[cell.model].name.provider)
    case .model: return .model(modelFacts[cell.model].name)
    case .device: return .device(deviceFacts[Int(cell.group)].id)
    case .account: return .account(owner(cell.group))
    case .session: return .session(owner(cell.group))
    }
  }

  /// Periods in their order; everything else by cost, then tokens, the greatest first.
  private func sorted(_ rows: [ReportRow]) -> [ReportRow] {
    rows.sorted { a, b in
      if case .period(let first, _) = a.key, case .period(let second, _) = b.key { return first < second }
      if a.sum.cost != b.sum.cost { return b.sum.cost < a.sum.cost }
      if a.sum.totalTokens != b.sum.totalTokens { return b.sum.totalTokens < a.sum.totalTokens }
      return a.key.sortText < b.key.sortText
    }
  }
}

extension ReportKey {
  /// Makes the order of rows that are alike in all else certain.
  fileprivate var sortText: String {
    switch self {
    case .period(_, let name): name
    case .provider(let name): name
    case .model(let name): "\(name.provider)/\(name.model)"
    case .device(let device): device.hex
    case .account(let name), .session(let name): name ?? ""
    }
  }
}
