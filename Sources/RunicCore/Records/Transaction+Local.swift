import CanonicalJSON
import ObjectStore

/// Local records: never synced until they are promoted. They lie in a file of their own, which is written at
/// once; what goes into the store waits for the transaction's end.
extension Transaction {
  /// Changes a keyed record for this device alone.
  ///
  /// - Returns: whether anything changed.
  @discardableResult
  public func patchLocally(
    kind: Kind, id: [UInt8], _ patch: Patch, if condition: Digest? = nil
  ) throws -> Bool {
    guard kind.family == .keys else { throw RunicError.wrongFamily(kind: kind.name, family: kind.family) }
    let name = RecordName(family: .keys, kind: kind.name, id: try RecordGrammar.id(id))
    var local = try LocalRecords(repository: repository)
    let stored = try current.storedRecord(name)
    let view = local.view(of: name, over: stored) ?? stored
    try Self.check(condition, name, view?.payload)
    let shown = view?.object ?? [:]
    let result = patch.applied(to: shown)
    try kind.requireOrder(from: shown, to: result)
    try Self.requireRoom(for: result.canonicalBytes[...])
    if view != nil || result.isEmpty, shown == result { return false }
    let base = stored?.object ?? [:]
    local[name] = LocalRecords.Entry(
      payload: JSONObject(result.filter { base[$0.key] != $0.value }),
      unset: Set(base.map(\.key).filter { result[$0] == nil }), time: now)
    try local.save()
    return true
  }

  /// Adds to a history for this device alone, unless the record is there already.
  @discardableResult
  public func addLocally(kind: Kind, id: NaturalID, payload: ArraySlice<UInt8>) throws -> Bool {
    try Self.requireRoom(for: payload)
    let name = RecordName(family: .history, kind: kind.name, id: id.id)
    if let known = try index.history(name), !known.isSurpassed(by: payload, rank: id.rank) { return false }
    var local = try LocalRecords(repository: repository)
    let object = try JSONValue.parse(payload).objectValue ?? [:]
    if local[name]?.payload == object { return false }
    local[name] = LocalRecords.Entry(payload: object, time: now)
    try local.save()
    return true
  }

  /// Deletes a keyed record, with what is local of it; of a history only what is local can go.
  ///
  /// - Parameter condition: the fingerprint that the record must have, as it is shown here.
  /// - Throws: `unknownRecord`, `wrongFamily`, `changedMeanwhile`.
  public func deleteEverywhere(kind: Kind, id: [UInt8], if condition: Digest? = nil) throws {
    let name = RecordName(family: kind.family, kind: kind.name, id: id)
    var local = try LocalRecords(repository: repository)
    let stored = try current.storedRecord(name)
    try Self.check(condition, name, (local.view(of: name, over: stored) ?? stored)?.payload)
    let isLocal = local[name] != nil
    if !isLocal || (stored != nil && kind.family == .keys) { try delete(kind: kind, id: id) }
    if isLocal {
      // A damaged index begins the step anew: it must show before what is local is gone.
      try closeCommit()
      local[name] = nil
      try local.save()
    }
  }
}

extension Repository {
  /// Makes a local record one like any other.
  ///
  /// The local one goes only when the other is there for good, and only if it is still what was promoted.
  ///
  /// - Throws: `unknownRecord` where there is no such record, `notLocal` where nothing of it is local.
  public func promote(kind: Kind, id: [UInt8]) throws {
    let name = RecordName(family: kind.family, kind: kind.name, id: id)
    let promoted = try write { transaction in
      guard let entry = try LocalRecords(repository: self)[name] else {
        if try transaction.current.storedRecord(name) != nil {
          throw RunicError.notLocal(kind: kind.name, id: String(decoding: id, as: UTF8.self))
        }
        throw try transaction.current.unknownRecord(kind: kind, id: id)
      }
      switch kind.family {
      case .keys: try transaction.patch(kind: kind, id: id, entry.patch)
      case .history:
        var fingerprinter = Fingerprinter()
        let payload = entry.payload.canonicalBytes[...]
        let natural = try kind.naturalID(of: payload, using: &fingerprinter)
        try transaction.add(kind: kind, id: natural, payload: payload)
      }
      return entry
    }
    try write { _ in
      var local = try LocalRecords(repository: self)
      guard local[name] == promoted else { return }
      local[name] = nil
      try local.save()
    }
  }
}
