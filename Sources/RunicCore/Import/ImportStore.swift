import ObjectStore

/// Stores what a collection found, a batch under one lock.
final class ImportStore {
  private let repository: Repository
  private let isDryRun: Bool
  private(set) var requests = CollectOutcome.Tally()
  private(set) var readings = CollectOutcome.Tally()
  /// Why storing failed: the run ends then.
  private(set) var failure: (any Error)?
  /// In a dry run, what earlier batches would have stored.
  private var pretended: [RecordName: ImportedRecord] = [:]

  init(_ repository: Repository, isDryRun: Bool) {
    self.repository = repository
    self.isDryRun = isDryRun
  }

  func add(_ records: [ImportedRecord]) throws {
    do {
      let fates = isDryRun ? try judge(records) : try store(records)
      for (record, fate) in zip(records, fates) {
        if record.kind.name == BuiltInName.request { requests.count(fate) } else { readings.count(fate) }
      }
    } catch {
      failure = error
      throw error
    }
  }

  private func store(_ records: [ImportedRecord]) throws -> [ImportFate] {
    // Another command, or another of these, may have stored the same: what is known takes no lock.
    let fates = try repository.read { snapshot in
      try records.map { try ImportFate(of: $0, in: snapshot.index) }
    }
    guard fates.contains(where: { $0 != .known }) else { return fates }
    return try repository.write { transaction in
      try records.map { record in
        let fate = try ImportFate(of: record, in: transaction.index)
        if fate != .known {
          try transaction.append(
            HistoryAdd(kind: record.kind.name, id: record.id, payload: record.payload, rank: record.rank))
        }
        return fate
      }
    }
  }

  private func judge(_ records: [ImportedRecord]) throws -> [ImportFate] {
    try repository.read { snapshot in
      try records.map { record in
        if let earlier = pretended[record.name] {
          if earlier.isSurpassed(by: record) { pretended[record.name] = record }
          return .known
        }
        let fate = try ImportFate(of: record, in: snapshot.index)
        if fate != .known { pretended[record.name] = record }
        return fate
      }
    }
  }
}

/// A failure of the repository, told apart from one of the logs.
struct ImportStoreFailure: Error {
  let cause: any Error
}

/// What becomes of a record.
private enum ImportFate {
  case new, updated, known

  init(of record: ImportedRecord, in index: Index) throws {
    guard let known = try index.history(record.name) else {
      self = .new
      return
    }
    self = known.isSurpassed(by: record.payload, rank: record.rank) ? .updated : .known
  }
}

extension ImportedRecord {
  fileprivate var name: RecordName { RecordName(family: .history, kind: kind.name, id: id) }
}

extension CollectOutcome.Tally {
  fileprivate mutating func count(_ fate: ImportFate) {
    switch fate {
    case .new: new += 1
    case .updated: updated += 1
    case .known: known += 1
    }
  }
}
