import CanonicalJSON
import ObjectStore

extension Repository {
  func readLedger() throws -> SyncLedger {
    guard let json = try files.readObject(layout.ledger) else { return SyncLedger() }
    guard let ledger = SyncLedger(json: json) else { throw RunicError.badPrivateFile(path: layout.ledger) }
    return ledger
  }

  /// Not by way of `tmp`, which whoever holds the repository's lock may clean.
  func writeLedger(_ ledger: SyncLedger) throws {
    let temporary = "\(layout.ledger).new"
    try environment.fileSystem.removeIfPresent(temporary)
    try files.writeObject(ledger.json, to: layout.ledger, by: temporary)
  }

  /// Changes the ledger under a lock of its own, which is always taken before the repository's: what is read,
  /// compared and handed over by one process is one step for all others.
  func withLedger<Result>(_ body: (inout SyncLedger) throws -> Result) throws -> Result {
    let lock = try FileLock.acquire(
      layout.ledgerLock, wait: environment.lockWait, in: environment.fileSystem, clock: environment.clock)
    return try withExtendedLifetime(lock) {
      var ledger = try readLedger()
      let before = ledger
      let result = try body(&ledger)
      if ledger != before { try writeLedger(ledger) }
      return result
    }
  }

  /// Takes what a source holds into its record: keys that differ from the source's base are edits, keys that
  /// vanished from it are unset, and a key that differs where there is no base waits.
  ///
  /// The ledger lasts before the record's commit, with what is about to be stored, and once more after it: a crash in
  /// between leaves no edit to be taken twice, and none that the next one would not replace.
  ///
  /// - Parameter source: what the caller calls the source; one source belongs to one record.
  /// - Returns: what was stored, and the keys that wait.
  @discardableResult
  public func capture(
    _ payload: JSONObject, from source: String, into record: RecordName, choice: SourceChoice? = nil
  ) throws -> SourceCapture {
    try withLedger { ledger in
      let state = try read { try $0.index.keyed(record) } ?? KeyedState()
      let known = ledger.sources[source].flatMap { $0.record == record ? $0 : nil }
      let base = try afterCrash(known, holding: payload, state: state)
      return try capture(payload, from: source, into: record, base: base, choice: choice, &ledger)
    }
  }

  /// A source's base after what was under way when a crash came.
  func afterCrash(
    _ base: SyncLedger.Base?, holding payload: JSONObject, state: KeyedState
  ) throws -> SyncLedger.Base? {
    try base?.afterCrash(payload, state: state) {
      guard let record = base?.record else { return [] }
      var writes: [(commit: Digest, write: RegisterWrite)] = []
      try read { snapshot in
        try snapshot.forEachChange(of: record) { change, commit in
          guard case .set(let write) = change, device.isOwn(commit.context.device) else { return }
          writes.append((commit.context.hash, write))
        }
      }
      return writes
    }
  }

  /// The same, with the base as the caller found it, inside `withLedger`.
  func capture(
    _ payload: JSONObject, from source: String, into record: RecordName, base: SyncLedger.Base?,
    choice: SourceChoice?, _ ledger: inout SyncLedger
  ) throws -> SourceCapture {
    guard record.family == .keys else {
      throw RunicError.wrongFamily(kind: record.kind, family: record.family)
    }
    let (captured, state) = try write { transaction in
      let known = try transaction.index.keyed(record) ?? KeyedState()
      let captured = SourceCapture(payload, base: base, state: known, kind: record.kind, choice: choice)
      if !captured.writes.isEmpty {
        ledger.sources[source] = (base ?? SyncLedger.Base(record: record)).beforeTaking(captured)
        try writeLedger(ledger)
        let replacing = environment.laws.replacedByEdit?(captured.replacing, known) ?? captured.replacing
        try transaction.append(to: record) { state, _ in
          .set(state.write(captured.writes, kind: record.kind, id: record.id, replacing: replacing))
        }
      }
      try transaction.closeCommit()
      return (captured, try transaction.index.keyed(record) ?? KeyedState())
    }
    var next = base ?? SyncLedger.Base(record: record)
    next.note(payload, captured: captured, state: state)
    ledger.sources[source] = next
    return captured
  }

  /// Notes that a source now holds what the record shows.
  public func handOver(_ payload: JSONObject, to source: String, of record: RecordName) throws {
    try withLedger { ledger in
      let state = try read { try $0.index.keyed(record) } ?? KeyedState()
      var base = SyncLedger.Base(record: record)
      base.note(handedOver: payload, state: state)
      ledger.sources[source] = base
    }
  }

  /// Forgets a source; its record stays.
  public func forget(source: String) throws {
    try withLedger { $0.sources[source] = nil }
  }
}
