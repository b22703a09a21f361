extension ReportBuilder {
  /// Takes in the rows of other programs that do not repeat what is here already, and answers how many do.
  ///
  /// A row is never added to requests of the same device and day, nor where its device says that logs of its own hold
  /// some (`Snapshot.rowsRepeating`): another device may have recorded those first. Nor is it added to rows of another
  /// table about such a day: the table with the finest rows comes first. A row that was printed again when it had grown
  /// is one row, and counted as such.
  mutating func settleCoarseRows() -> Int {
    var leftOut = 0
    var tables: [DeviceDay: [UInt8]] = [:]
    for row in CoarseRequest.grown(coarse).sorted(by: { Self.order($0) < Self.order($1) }) {
      let isTaken = row.payload.withUnsafeBytes { payload in
        guard let fields = RequestFields(payload) else { return false }
        return settle(row, fields, &tables)
      }
      if !isTaken { leftOut += 1 }
    }
    return leftOut
  }

  private mutating func settle(
    _ row: CoarseRequest, _ fields: RequestFields, _ tables: inout [DeviceDay: [UInt8]]
  ) -> Bool {
    if fields.repeatsLogs { return false }
    let extent = CoarseExtent(fields, day: day(at: row.seconds))
    let table = Array(fields.provenance)
    for day in extent.days {
      if hasRequests(device: row.device, day: day) { return false }
      if let other = tables[DeviceDay(device: row.device, day: day)], other != table { return false }
    }
    for day in extent.days { tables[DeviceDay(device: row.device, day: day)] = table }
    // A day or more is no part of a block of five hours.
    if query.grouping == .blocks, extent.table != .blocks { return true }
    // The time of a row about days is noon in UTC, which is another day in the far east.
    let seconds = extent.isOfDays ? query.zone.startOfDay(extent.days.lowerBound) : row.seconds
    add(fields, at: seconds, day: extent.days.lowerBound, device: row.device, isSumOfMany: true)
    return true
  }

  /// Fine tables first; then by time and bytes, so that the outcome does not hang on the order of arrival.
  private static func order(_ row: CoarseRequest) -> (Int, Int64, Int, String) {
    let rank = row.payload.withUnsafeBytes { payload in
      RequestFields(payload).map { CoarseExtent.Table($0.provenance).rawValue } ?? 0
    }
    return (rank, row.seconds, row.device, String(decoding: row.payload, as: UTF8.self))
  }
}

private struct DeviceDay: Hashable {
  let device: Int
  let day: Int64
}

/// The days that a row is about.
struct CoarseExtent {
  /// The kinds of tables, finest first.
  enum Table: Int {
    case blocks, daily, session, weekly, monthly

    init(_ provenance: UnsafeRawBufferPointer) {
      let words: [(StaticString, Table)] = [
        ("blocks", .blocks), ("daily", .daily), ("weekly", .weekly), ("monthly", .monthly),
      ]
      let name =
        provenance.lastIndex(of: UInt8(ascii: "/")).map { provenance[($0 + 1)...] } ?? provenance[...]
      let bytes = UnsafeRawBufferPointer(rebasing: name)
      self = words.first { bytes.equals($0.0) }?.1 ?? .session
    }
  }

  let table: Table
  let days: Range<Int64>

  /// Whether it is about whole days, and not about what began at a time.
  var isOfDays: Bool { table != .blocks && table != .session }

  /// - Parameter day: of the row's own time, for those that print no date.
  init(_ fields: RequestFields, day: Int64) {
    table = Table(fields.provenance)
    let printed = Self.date(fields.period) ?? day
    switch table {
    case .blocks, .session: days = day..<day + 1
    case .daily: days = printed..<printed + 1
    case .weekly: days = printed..<printed + 7
    case .monthly:
      let calendar = ReportCalendar(grouping: .monthly, zone: .utc)
      let month = calendar.period(ofDay: printed)
      days = calendar.firstDay(of: month)..<calendar.firstDay(of: month + 1)
    }
  }

  /// `2026-09-05` or `2026-09`.
  private static func date(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard text.count == 10 || text.count == 7 else { return nil }
    let day = text.count == 7 ? Array(text) + Array("-01".utf8) : Array(text)
    return CivilDate(String(decoding: day, as: UTF8.self))?.daysSince1970
  }
}
