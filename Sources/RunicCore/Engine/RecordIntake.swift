import CanonicalJSON
import ObjectStore

/// What an app handed over, as values that may cross threads.
struct IncomingRecord: Sendable {
  let type: String
  let id: String
  let payload: JSONObject

  init(_ record: any SyncableRecord) {
    type = record.recordType
    id = record.recordID
    payload = record.payload
  }
}

/// Takes records of an app into one step of writing. Whole payloads of keyed kinds are compared with what the ledger
/// says the app held (design, section 5, "Three-way, by fingerprint").
struct RecordIntake {
  private let repository: Repository
  private let choice: SourceChoice?
  private var ledger: SyncLedger
  /// The bases that this step changes, by source.
  private var bases: [String: SyncLedger.Base] = [:]
  /// What was captured in the commit that is not closed yet.
  private var captured: [(source: String, payload: JSONObject, capture: SourceCapture)] = []
  /// Keys that differ and have no base, by source: they wait.
  private(set) var waiting: [String: IncomingRecord] = [:]

  static func source(_ name: RecordName) -> String {
    "app:\(name.kind)/\(String(decoding: name.id, as: UTF8.self))"
  }

  private init(_ repository: Repository, choice: SourceChoice?) throws {
    self.repository = repository
    self.choice = choice
    ledger = try repository.readLedger()
  }

  /// Stores a batch in one step, so that all of it lasts when this returns.
  ///
  /// - Returns: for each record its id, or why it was refused; a refused one holds up no other. And those of which
  ///   keys wait.
  static func store(
    _ records: [IncomingRecord], in repository: Repository, choice: SourceChoice? = nil
  ) throws -> (results: [Result<String, SyncError>], waiting: [String: IncomingRecord]) {
    var intake = try RecordIntake(repository, choice: choice)
    let results = try repository.write { transaction in
      let kinds = try transaction.current.kinds
      var results: [Result<String, SyncError>] = []
      results.reserveCapacity(records.count)
      for record in records { results.append(try intake.take(record, kinds: kinds, in: transaction)) }
      try intake.noteCaptured(in: transaction)
      return results
    }
    try repository.updateLedger { $0.sources.merge(intake.bases) { $1 } }
    return (results, intake.waiting)
  }

  private mutating func take(
    _ record: IncomingRecord, kinds: KindRegistry, in transaction: Transaction
  ) throws -> Result<String, SyncError> {
    do {
      let kind = try kinds.kind(record.type)
      return .success(try store(record, kind: kind, in: transaction))
    } catch let error as RunicError { return .failure(SyncError(error)) } catch let error as CommitTooLarge {
      return .failure(SyncError(error))
    }
  }

  private mutating func store(
    _ record: IncomingRecord, kind: Kind, in transaction: Transaction
  ) throws -> String {
    switch kind.rule {
    case .history:
      let (id, _) = try transaction.record(record.payload, kind: kind)
      return String(decoding: id, as: UTF8.self)
    case .lastWriterWins:
      let payload = try kind.checked(record.payload)
      try transaction.patch(kind: kind, id: Array(record.id.utf8), Patch(replacingAllBy: payload))
    case .perKey:
      let id = try RecordGrammar.id(Array(record.id.utf8))
      let name = RecordName(family: .keys, kind: kind.name, id: id)
      try capture(record, payload: try kind.checked(record.payload), as: name, kind: kind, in: transaction)
    }
    return record.id
  }

  private mutating func capture(
    _ record: IncomingRecord, payload: JSONObject, as name: RecordName, kind: Kind,
    in transaction: Transaction
  ) throws {
    guard payload.canonicalBytes.count <= Transaction.payloadLimit else {
      throw RunicError.tooLarge(what: "payload", limit: Transaction.payloadLimit)
    }
    let source = Self.source(name)
    // The same record again in one batch: its base must be that of the first.
    if captured.contains(where: { $0.source == source }) { try noteCaptured(in: transaction) }
    let stored = ledger.sources[source].flatMap { $0.record == name ? $0 : nil }
    let base = bases[source] ?? stored
    let state = try transaction.index.keyed(name) ?? KeyedState()
    let capture = SourceCapture(payload, base: base, state: state, kind: kind.name, choice: choice)
    if !capture.writes.isEmpty {
      try transaction.append(to: name) { state, _ in
        .set(state.write(capture.writes, kind: kind.name, id: name.id, replacing: capture.replacing))
      }
    }
    if !capture.waiting.isEmpty { waiting[source] = record }
    bases[source] = base ?? SyncLedger.Base(record: name)
    captured.append((source, payload, capture))
  }

  /// Once the commit is closed the heads are known that its writes have become.
  private mutating func noteCaptured(in transaction: Transaction) throws {
    try transaction.closeCommit()
    for (source, payload, capture) in captured {
      guard let name = bases[source]?.record else { continue }
      let state = try transaction.index.keyed(name) ?? KeyedState()
      bases[source]?.note(payload, captured: capture, state: state)
    }
    captured = []
  }
}

extension Repository {
  /// Changes the ledger so that no other process's change is lost.
  func updateLedger(_ change: (inout SyncLedger) -> Void) throws { try withLedger(change) }

  /// Reads all records of some types for an app, and notes that it holds them now.
  func handOver(types: [String]) throws -> [any SyncableRecord] {
    var (records, bases): ([any SyncableRecord], [String: SyncLedger.Base]) = ([], [:])
    try read { snapshot in
      for type in types {
        let kind = try snapshot.kinds.kind(type)
        let retracted = kind.family == .history ? try snapshot.retracted(kind.name) : []
        try snapshot.forEachRecord(of: kind.name, kind.family) { view in
          if retracted.contains(view.name.id) { return true }
          records.append(view.syncable())
          if case .perKey = kind.rule, !view.isLocal {
            var base = SyncLedger.Base(record: view.name)
            base.note(handedOver: view.object, state: try snapshot.index.keyed(view.name) ?? KeyedState())
            bases[RecordIntake.source(view.name)] = base
          }
          return true
        }
      }
    }
    if !bases.isEmpty { try updateLedger { $0.sources.merge(bases) { $1 } } }
    return records
  }

  /// Deletes keyed records by their ids alone, or by `TYPE/ID` where several kinds have one of that id.
  func deleteRecords(_ ids: [String]) throws -> [String] {
    var sources: [String] = []
    let deleted = try write { transaction in
      let kinds = try transaction.current.kinds
      return try ids.filter { id in
        guard let (kind, bytes) = try transaction.deletable(id, kinds: kinds) else { return false }
        try transaction.delete(kind: kind, id: bytes)
        sources.append(
          RecordIntake.source(RecordName(family: .keys, kind: kind.name, id: bytes)))
        return true
      }
    }
    // What the app held of it is no base for what it may make of it anew.
    try updateLedger { ledger in for source in sources { ledger.sources[source] = nil } }
    return deleted
  }
}

extension Transaction {
  /// - Throws: `RunicError.ambiguous`, `.wrongFamily` for a history's record.
  fileprivate func deletable(_ typed: String, kinds: KindRegistry) throws -> (kind: Kind, id: [UInt8])? {
    var found: [(kind: Kind, id: [UInt8])] = []
    for kind in kinds.usable {
      for id in Self.ids(typed, kind: kind) where RecordGrammar.isID(id) {
        let name = RecordName(family: kind.family, kind: kind.name, id: id)
        switch kind.family {
        case .keys where try index.keyed(name)?.payload != nil: found.append((kind, id))
        case .history where try index.history(name) != nil:
          throw RunicError.wrongFamily(kind: kind.name, family: .history)
        default: break
        }
      }
    }
    guard found.count > 1 else { return found.first }
    throw RunicError.ambiguous(prefix: typed, candidates: found.map { "\($0.kind.name)/\(typed)" })
  }

  private static func ids(_ typed: String, kind: Kind) -> [[UInt8]] {
    guard let slash = typed.firstIndex(of: "/"),
      KindRegistry.canonicalName(String(typed[..<slash])) == kind.name
    else { return [Array(typed.utf8)] }
    return [Array(typed.utf8), Array(typed[typed.index(after: slash)...].utf8)]
  }
}
