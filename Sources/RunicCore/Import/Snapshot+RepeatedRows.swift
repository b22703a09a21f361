import CanonicalJSON
import ObjectStore

extension Snapshot {
  /// This device's rows of other programs that are about one of some days, as they are to be stored: marked as
  /// repeating what the logs of the machine hold.
  ///
  /// Which device a request shows is only who recorded it first, so it does not tell where else its log lies. That
  /// is known on the machine alone, so it says so in the row, and all devices see the same.
  ///
  /// - Complexity: one walk over the rows of all devices.
  func rowsRepeating(_ days: LoggedDays) throws -> [ImportedRecord] {
    var repeating: [ImportedRecord] = []
    for provider in CCUsageNumbers.providers {
      let id = ImportedRequest.recordID(provider: provider, requestID: CoarseRow.idPrefix)
      let prefix = IndexKey.record(RecordName(family: .history, kind: BuiltInName.request, id: id))
      try index.table.scan(prefix: prefix) { key, value in
        let state = try HistoryState(decoding: Array(value))
        guard state.added.writer.device == repository.deviceID, let name = IndexKey.name(Array(key)),
          let marked = ImportedRecord(kind: .request, id: name.id, rank: state.rank, payload: state.payload)
            .marked(days)
        else { return true }
        repeating.append(marked)
        return true
      }
    }
    return repeating
  }
}

extension ImportedRecord {
  /// A row with the mark that it repeats logs of some days; nil for what has it, and for what is about other days.
  func marked(_ days: LoggedDays) -> ImportedRecord? {
    guard let payload = Self.marked(payload, days) else { return nil }
    var marked = self
    marked.payload = payload[...]
    // Above the row as it was taken in, whenever that is taken in again.
    marked.rank = Rank([(rank.values.first ?? 0).clampedSum(1)] + rank.values.dropFirst()) ?? rank
    return marked
  }

  private static func marked(_ payload: ArraySlice<UInt8>, _ days: LoggedDays) -> [UInt8]? {
    let isWanted = payload.withUnsafeBytes { bytes in
      guard let fields = RequestFields(bytes), let seconds = fields.seconds else { return false }
      return fields.provenance.count > 0 && !fields.repeatsLogs
        && CoarseExtent(fields, day: days.zone.day(at: seconds)).days.contains { days.all.contains($0) }
    }
    guard isWanted, var object = (try? JSONValue.parse(payload))?.objectValue else { return nil }
    object["repeatsLogs"] = true
    return object.canonicalBytes
  }
}
