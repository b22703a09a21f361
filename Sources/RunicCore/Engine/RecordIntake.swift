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
/// says the app held (`docs/merge.md`, "Imports and other sources").
struct RecordIntake {
  private struct Keyed {
    let name: RecordName
    let kind: Kind
    let payload: JSONObject

    /// What of it waits for a side to be picked.
    func undecided(_ capture: AppCapture) -> UndecidedKeys? {
      guard let values = capture.undecided else { return nil }
      if case .lastWriterWins = kind.rule { return UndecidedKeys(name: name, values: values, isWhole: true) }
      return UndecidedKeys(name: name, values: values, isWhole: false)
    }
  }

  /// More runs of the index than these are put together at once. An app's process lives long, and a push, which would
  /// do it, may never come: every enqueue would have to ask more and more of them.
  static let mostRuns = 8

  private var ledger: AppLedger
  private var captured: [(record: Keyed, base: SyncLedger.Base?, capture: AppCapture)] = []

  private init(_ repository: Repository) { ledger = AppLedger(repository) }

  /// Stores a batch in one step, so that all of it lasts when this returns.
  ///
  /// - Returns: for each record its id, or why it was refused; a refused one holds up no other.
  static func store(
    _ records: [IncomingRecord], in repository: Repository
  ) throws -> [Result<String, SyncError>] {
    let (results, intake) = try repository.write { transaction in
      var intake = RecordIntake(repository)
      let results = try intake.take(records, in: transaction)
      try intake.noteCaptured(in: transaction)
      if transaction.index.table.runCount > Self.mostRuns { transaction.maintainsIndex = true }
      return (results, intake)
    }
    // The commit lasts first. A crash before the rest finds the same edits again, which the record then shows.
    let waiting = intake.captured.map { ($0.record.name, $0.record.undecided($0.capture)) }
    try repository.noteUndecided(Dictionary(waiting) { $1 })
    try intake.ledger.save()
    return results
  }

  private mutating func take(
    _ records: [IncomingRecord], in transaction: Transaction
  ) throws -> [Result<String, SyncError>] {
    let kinds = try transaction.current.kinds
    var keyed: [(place: Int, record: Keyed)] = []
    var results: [Result<String, SyncError>] = []
    results.reserveCapacity(records.count)
    for (place, record) in records.enumerated() {
      results.append(
        try Self.attempt {
          let kind = try kinds.kind(record.type)
          if kind.family == .history {
            return String(decoding: try transaction.record(record.payload, kind: kind).id, as: UTF8.self)
          }
          keyed.append((place, try Self.keyed(record, kind)))
          return record.id
        })
    }
    // Of several payloads of one record the last that can be stored stands for those before it.
    var taken: Set<RecordName> = []
    for (place, record) in keyed.reversed() where !taken.contains(record.name) {
      results[place] = try Self.attempt {
        try capture(record, in: transaction)
        taken.insert(record.name)
        return records[place].id
      }
    }
    return results
  }

  /// What a record's own faults make of it; what else fails ends the step.
  private static func attempt(_ body: () throws -> String) throws -> Result<String, SyncError> {
    do { return .success(try body()) } catch let error as RunicError {
      return .failure(SyncError(error))
    } catch let error as CommitTooLarge { return .failure(SyncError(error)) }
  }

  private static func keyed(_ record: IncomingRecord, _ kind: Kind) throws -> Keyed {
    let id = try RecordGrammar.id(Array(record.id.utf8))
    let payload = try kind.checked(record.payload)
    try Transaction.requireRoom(for: payload.canonicalBytes[...])
    return Keyed(
      name: RecordName(family: .keys, kind: kind.name, id: id), kind: kind, payload: payload)
  }

  private mutating func capture(_ record: Keyed, in transaction: Transaction) throws {
    let base = try ledger.base(of: AppLedger.source(record.name))
    let state = try transaction.index.keyed(record.name) ?? KeyedState()
    let capture = AppCapture(record.payload, base: base, state: state, kind: record.kind)
    try transaction.write(capture, to: record.name)
    captured.append((record, base, capture))
  }

  /// Once the commit is closed the heads are known that its writes have become.
  private mutating func noteCaptured(in transaction: Transaction) throws {
    try transaction.closeCommit()
    for (record, base, capture) in captured {
      let state = try transaction.index.keyed(record.name) ?? KeyedState()
      ledger.note(
        capture.base(after: base, of: record.name, state: state), of: AppLedger.source(record.name))
    }
  }
}

extension Transaction {
  /// Writes what an app's payload changes.
  func write(_ capture: AppCapture, to name: RecordName) throws {
    if capture.writes.isEmpty { return }
    try append(to: name) { state, _ in
      .set(state.write(capture.writes, kind: name.kind, id: name.id, replacing: capture.replacing))
    }
  }
}

extension Repository {
  /// Picks a side of all keys that wait for one.
  func decide(_ choice: SourceChoice) throws {
    let waiting = try undecidedKeys()
    if waiting.isEmpty { return }
    var ledger = AppLedger(self)
    let decided = try write { transaction in
      let kinds = try transaction.current.kinds
      let known = waiting.filter { kinds.kind($0.name.kind, .keys) != nil }
      for keys in known {
        let state = try transaction.index.keyed(keys.name) ?? KeyedState()
        guard let kind = kinds.kind(keys.name.kind, .keys) else { continue }
        let capture = AppCapture(keys.values, base: nil, state: state, kind: kind, choice: choice)
        try transaction.write(capture, to: keys.name)
      }
      try transaction.closeCommit()
      return try known.map { ($0, try transaction.index.keyed($0.name) ?? KeyedState()) }
    }
    for (keys, state) in decided {
      let source = AppLedger.source(keys.name)
      var base = try ledger.base(of: source) ?? SyncLedger.Base(record: keys.name)
      base.note(decided: keys, choice: choice, state: state)
      ledger.note(base, of: source)
    }
    try ledger.save()
    try noteUndecided(Dictionary(decided.map { ($0.0.name, nil) }) { $1 })
  }
}

extension SyncLedger.Base {
  /// The base once a side was picked: what the app handed over is its own copy still, and no edit any more.
  fileprivate mutating func note(decided keys: UndecidedKeys, choice: SourceChoice, state: KeyedState) {
    func entry(_ value: [UInt8], _ register: RegisterKey) -> SyncLedger.Entry {
      SyncLedger.Entry(
        fingerprint: Fingerprint.of(value, family: .keys, kind: record.kind),
        heads: state.heads(of: register).map(\.commit))
    }
    if keys.isWhole {
      if choice == .preferLocal || whole == nil { whole = entry(keys.values.canonicalBytes, .whole) }
      return
    }
    for (key, value) in keys.values where choice == .preferLocal || waiting.contains(key) {
      self.keys[key] = entry(value.canonicalBytes, .key(key.utf8))
    }
    waiting.subtract(keys.values.map(\.key))
  }
}
