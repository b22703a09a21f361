import ObjectStore

/// What one prompt line needs.
public struct RecentUse: Sendable {
  public let today: UsageSum
  /// Windows that were read within the last two days and have not ended since.
  public let quotas: [QuotaStanding]
}

extension Snapshot {
  /// Today's use, and the quotas read lately, without a look at anything older.
  ///
  /// - Parameters:
  ///   - query: of which the zone and the prices count.
  ///   - now: in milliseconds since 1970.
  /// - Complexity: in proportion to the records of the last two days.
  public func recentUse(_ query: ReportQuery, now: Int64) throws -> RecentUse {
    let seconds = now.flooredQuotient(1000)
    let today = query.zone.day(at: seconds)
    var query = query
    query.range = query.zone.startOfDay(today)..<query.zone.startOfDay(today + 1)
    var builder = ReportBuilder(query, now: now)
    // A row of another program about today may have a time of tomorrow.
    let around = query.range.lowerBound..<query.range.upperBound + 86_400
    try forEachRecent(of: BuiltInName.request, key: "occurredAt", in: around) {
      builder.add(payload: $0, device: $1)
    }
    var board = QuotaBoard(now: now)
    let lately = seconds - IndexKey.recentSeconds..<seconds + 86_401
    try forEachRecent(of: BuiltInName.usage, key: "updatedAt", in: lately) {
      board.add(payload: $0, device: $1)
    }
    return RecentUse(today: builder.report().totals, quotas: board.standings.filter { !$0.hasEnded })
  }

  private func forEachRecent(
    of kind: String, key: StaticString, in range: Range<Int64>,
    _ body: (_ payload: UnsafeRawBufferPointer, _ device: UnsafeRawBufferPointer) -> Void
  ) throws {
    let retracted = try retracted(kind)
    try forEachRecentName(of: kind, in: range) { name, seconds in
      guard !retracted.contains(name.id), local[name] == nil,
        let bytes = try index.table.get(IndexKey.record(name))
      else { return }
      bytes.withUnsafeBytes { value in
        // A record whose time another one of greater rank has changed has an entry for each.
        guard let record = HistoryScan(value),
          RequestFields.seconds(in: record.payload, key: key) == seconds
        else { return }
        body(record.payload, record.device)
      }
    }
    for name in local.names(of: kind, .history) where !retracted.contains(name.id) {
      guard let view = try record(name) else { continue }
      view.payload.withUnsafeBytes { payload in view.device.withUnsafeBytes { body(payload, $0) } }
    }
  }

  private func forEachRecentName(
    of kind: String, in range: Range<Int64>, _ body: (RecordName, Int64) throws -> Void
  ) throws {
    let (start, end) = (
      IndexKey.recent(kind, from: range.lowerBound), IndexKey.recent(kind, from: range.upperBound)
    )
    try index.table.scan(from: start, to: end) { key, _ in
      if let (name, seconds) = IndexKey.recentName(Array(key), kind: kind) { try body(name, seconds) }
      return true
    }
  }
}
