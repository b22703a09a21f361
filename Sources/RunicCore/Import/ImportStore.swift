import ObjectStore

/// Stores what a collection found, a batch under one lock.
final class ImportStore {
  private let repository: Repository
  private let isDryRun: Bool
  /// What to store instead of a row that is new; nil where it stays as it is.
  var marked: (ImportedRecord) -> ImportedRecord? = { _ in nil }
  private(set) var requests = CollectOutcome.Tally()
  private(set) var readings = CollectOutcome.Tally()
  /// Why storing failed: the run ends then.
  private(set) var failure: (any Error)?
  /// In a dry run, hashes of the names of what earlier batches would have stored: a few bytes each, as there may be
  /// any number of them.
  private var pretended: Set<Int> = []
  /// From how many records on it pays to have the index made ready for many.
  private static let many = 1000
  /// Whether the index was, and is to be put in order.
  private var isUnordered = false

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

  /// Which of some requests are stored, by their ids.
  func recorded(_ ids: [[UInt8]]) throws -> Set<[UInt8]> {
    do {
      return try repository.read { snapshot in
        let names = ids.map { RecordName(family: .history, kind: BuiltInName.request, id: $0) }
        return Set(try names.filter { try snapshot.index.history($0) != nil }.map(\.id))
      }
    } catch {
      failure = error
      throw error
    }
  }

  private func store(_ records: [ImportedRecord]) throws -> [ImportFate] {
    // Most of what is read again is known, and what is known takes no lock.
    let order = Self.order(of: records)
    let areMany = records.count >= Self.many
    let fates = try repository.read { try Self.fates(of: records, in: order, $0.index) }
    let fresh = order.filter { fates[$0] != .known }
    if fresh.isEmpty { return fates }
    return try repository.write { transaction in
      if areMany {
        try transaction.index.table.prepareForBulk()
        isUnordered = true
      }
      // Another process may have stored the same since.
      var fates = fates
      let now = try Self.fates(of: records, in: fresh, transaction.index)
      for place in fresh { fates[place] = now[place] }
      for (found, fate) in zip(records, fates) where fate != .known {
        let record = found.isRow && fate == .new ? marked(found) ?? found : found
        try transaction.append(
          HistoryAdd(kind: record.kind.name, id: record.id, payload: record.payload, rank: record.rank))
      }
      return fates
    }
  }

  /// Puts in order what large batches left unsorted in the index.
  func finish() throws {
    guard isUnordered else { return }
    do { try repository.write { try $0.index.table.maintain() } } catch {
      failure = error
      throw error
    }
    isUnordered = false
  }

  /// Places in the order of ids, in which neighbours lie in one block of the index: looked up as they come,
  /// each would have a block read for itself.
  private static func order(of records: [ImportedRecord]) -> [Int] {
    records.indices.sorted { records[$0].id.lexicographicallyPrecedes(records[$1].id) }
  }

  private static func fates(
    of records: [ImportedRecord], in order: [Int], _ index: Index
  ) throws -> [ImportFate] {
    var fates = [ImportFate](repeating: .known, count: records.count)
    for place in order { fates[place] = try ImportFate(of: records[place], in: index) }
    return fates
  }

  private func judge(_ records: [ImportedRecord]) throws -> [ImportFate] {
    let order = Self.order(of: records)
    let stored = try repository.read { try Self.fates(of: records, in: order, $0.index) }
    return zip(records, stored).map { record, fate in
      fate == .known || pretended.insert(record.name.hashValue).inserted ? fate : .known
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
