import ObjectStore

extension Snapshot {
  /// Sums up the requests of all devices, or of those that the query names. Retracted ones are left out.
  ///
  /// - Parameter now: in milliseconds since 1970, for the present block.
  /// - Complexity: one walk over all requests; memory in proportion to the rows.
  public func report(_ query: ReportQuery, now: Int64) throws -> Report {
    var builder = ReportBuilder(query, now: now)
    try forEachPayload(of: BuiltInName.request) { builder.add(payload: $0, device: $1) }
    return builder.report()
  }

  /// Hands over the payload and the device of every record of a history where it lies, local ones included and
  /// retracted ones left out. In no order that means anything.
  func forEachPayload(
    of kind: String, _ body: (_ payload: UnsafeRawBufferPointer, _ device: UnsafeRawBufferPointer) -> Void
  ) throws {
    let retracted = try retracted(kind)
    let localNames = local.names(of: kind, .history)
    let skipped = Set(
      localNames.map(IndexKey.record)
        + retracted.map { IndexKey.record(RecordName(family: .history, kind: kind, id: $0)) })
    try index.table.scan(prefix: IndexKey.kind(kind, .history)) { key, value in
      if !skipped.isEmpty, skipped.contains(Array(key)) { return true }
      guard let record = HistoryScan(value) else { throw TableError.damaged(file: "index") }
      body(record.payload, record.device)
      return true
    }
    for name in localNames where !retracted.contains(name.id) {
      guard let view = try record(name) else { continue }
      view.payload.withUnsafeBytes { payload in view.device.withUnsafeBytes { body(payload, $0) } }
    }
  }
}
