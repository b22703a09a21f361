import CanonicalJSON
import ObjectStore

extension Transaction {
  /// The state of all records as this transaction sees it.
  public var current: Snapshot { get throws { try snapshot } }

  /// How long a payload may be, so that the change around it stays inside its bounds.
  static let payloadLimit = Limits.change - 4096

  /// Refuses a payload that no change could hold.
  ///
  /// - Throws: `RunicError.tooLarge`, `.badPayload` for too much nesting.
  static func requireRoom(for payload: ArraySlice<UInt8>) throws {
    guard payload.count <= payloadLimit else {
      throw RunicError.tooLarge(what: "payload", limit: payloadLimit)
    }
    try requireNesting(of: payload)
  }

  private static func requireNesting(of payload: ArraySlice<UInt8>) throws {
    do throws(JSONError) { try JSONLimits.requireNesting(of: payload) } catch {
      throw RunicError.badPayload(error)
    }
  }

  /// The same for a record of which only some registers are written: one that a merge has made too large may be made
  /// smaller.
  private static func requireRoom(
    for payload: ArraySlice<UInt8>, writing values: [RegisterKey: [UInt8]?], over shown: [UInt8]?
  ) throws {
    guard payload.count > payloadLimit, let shown, payload.count < shown.count,
      values.values.reduce(0, { $0 + ($1?.count ?? 0) }) <= payloadLimit
    else { return try requireRoom(for: payload) }
    try requireNesting(of: payload)
  }

  /// Records a history's payload, unless what is there already wins.
  ///
  /// - Parameter payload: as `Kind.prepare` made it.
  /// - Returns: whether anything was stored.
  @discardableResult
  public func add(
    kind: Kind, id: NaturalID, payload: ArraySlice<UInt8>, stamp: Stamp? = nil, origin: Origin? = nil
  ) throws -> Bool {
    guard payload.count <= Self.payloadLimit else {
      throw RunicError.tooLarge(what: "payload", limit: Self.payloadLimit)
    }
    let name = RecordName(family: .history, kind: kind.name, id: id.id)
    if let known = try index.history(name), !known.isSurpassed(by: payload, rank: id.rank) { return false }
    try append(HistoryAdd(kind: kind.name, natural: id, payload: payload, stamp: stamp, origin: origin))
    return true
  }

  /// Records one whole payload of a history: checked, and with what recording fills in.
  ///
  /// - Parameter isLocal: for this device alone, until it is promoted.
  /// - Returns: the record's id, whether anything was stored, and, where nothing was, whether what is there says
  ///   something else and stands.
  public func record(
    _ payload: JSONObject, kind: Kind, isLocal: Bool = false
  ) throws -> (id: [UInt8], isStored: Bool, isOutdone: Bool) {
    guard let time = Timestamp(milliseconds: now) else {
      throw RunicError.badField(kind: kind.name, field: "time", problem: .notATime)
    }
    let facts = RecordingFacts(
      time: time, deviceName: repository.deviceName, platform: repository.identity.platform)
    let prepared = try kind.checked(payload, filling: kind.filling(facts)).canonicalBytes[...]
    var fingerprinter = Fingerprinter()
    let id = try kind.naturalID(of: prepared, using: &fingerprinter)
    let isStored =
      isLocal
      ? try addLocally(kind: kind, id: id, payload: prepared) : try add(kind: kind, id: id, payload: prepared)
    if isStored { return (id.id, true, false) }
    let shown = try current.record(RecordName(family: .history, kind: kind.name, id: id.id))
    return (id.id, false, shown.map { $0.payload != Array(prepared) } ?? false)
  }

  /// Changes keys of a keyed record. What is shown already stores nothing, conflict or not; neither does a
  /// default where the record says nothing.
  ///
  /// - Parameters:
  ///   - patch: its values as the kind's checks made them.
  ///   - condition: the fingerprint that the record must have.
  /// - Returns: whether anything was stored.
  @discardableResult
  public func patch(
    kind: Kind, id: [UInt8], _ patch: Patch, if condition: Digest? = nil
  ) throws -> Bool {
    guard kind.family == .keys else { throw RunicError.wrongFamily(kind: kind.name, family: kind.family) }
    let name = RecordName(family: .keys, kind: kind.name, id: try RecordGrammar.id(id))
    let defaults = repository.configuration.defaults(of: name)
    try check(condition, name)
    return try change(name) { state, _ in
      let shown = try Self.object(state.payload)
      let result = patch.applied(to: shown).withoutNew(defaults, besides: shown)
      try kind.requireOrder(from: shown, to: result)
      guard let values = Self.values(from: shown, to: result, kind: kind, isThere: state.payload != nil)
      else {
        return nil
      }
      try Self.requireRoom(for: result.canonicalBytes[...], writing: values, over: state.payload)
      return .set(state.write(values, kind: kind.name, id: id))
    }
  }

  /// The registers to write so that what is shown becomes the result; nil where it already is.
  private static func values(
    from shown: JSONObject, to result: JSONObject, kind: Kind, isThere: Bool
  ) -> [RegisterKey: [UInt8]?]? {
    if shown == result, isThere || result.isEmpty { return nil }
    if case .lastWriterWins = kind.rule { return [.whole: result.canonicalBytes] }
    var values: [RegisterKey: [UInt8]?] = [:]
    for (key, value) in result where shown[key] != value { values[.key(key.utf8)] = value.canonicalBytes }
    for (key, _) in shown where result[key] == nil { values[.key(key.utf8)] = .some(nil) }
    return values.isEmpty ? nil : values
  }

  /// Deletes a keyed record.
  public func delete(kind: Kind, id: [UInt8], if condition: Digest? = nil) throws {
    guard kind.family == .keys else { throw RunicError.wrongFamily(kind: kind.name, family: kind.family) }
    let name = RecordName(family: .keys, kind: kind.name, id: id)
    try change(name) { state, stamp in
      guard state.payload != nil else {
        throw try current.unknownRecord(kind: kind, id: id)
      }
      try Self.check(condition, name, state.payload)
      return .delete(state.delete(kind: kind.name, id: id, stamp: stamp))
    }
  }

  /// Says that a history's record is to be left out of lists and reports, or takes that back. The record itself
  /// stays: the word of it is a keyed record of the same name.
  ///
  /// - Throws: `unknownRecord` where the history has no such record.
  /// - Returns: whether anything was stored.
  @discardableResult
  public func retract(kind: Kind, id: [UInt8], reason: String?, undo: Bool) throws -> Bool {
    guard kind.family == .history else {
      throw RunicError.wrongFamily(kind: kind.name, family: kind.family)
    }
    guard try index.history(RecordName(family: .history, kind: kind.name, id: id)) != nil else {
      throw try current.unknownRecord(kind: kind, id: id)
    }
    let word = Kind.retractions(of: kind)
    if undo {
      guard try index.keyed(RecordName(family: .keys, kind: kind.name, id: id))?.payload != nil else {
        return false
      }
      return try patch(kind: word, id: id, Patch(set: ["retracted": false], unset: ["reason"]))
    }
    var said: [JSONString: JSONValue] = ["retracted": true]
    if let reason { said["reason"] = .string(JSONString(reason)) }
    return try patch(kind: word, id: id, Patch(set: said))
  }

  // MARK: - Parts

  /// Makes a change from the record's state; an error leaves no commit begun, so the caller may go on.
  @discardableResult
  private func change(
    _ name: RecordName, _ make: (KeyedState, Stamp) throws -> Change?
  ) throws -> Bool {
    var failure: (any Error)?
    let isStored = try append(to: name) { state, stamp in
      do { return try make(state, stamp) } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    return isStored
  }

  /// Checks that a record is still what `get` showed, with what is local of it.
  func check(_ condition: Digest?, _ name: RecordName) throws {
    guard condition != nil else { return }
    let stored = try current.storedRecord(name)
    let view = try LocalRecords(repository: repository).view(of: name, over: stored) ?? stored
    try Self.check(condition, name, view?.payload)
  }

  static func check(_ condition: Digest?, _ name: RecordName, _ payload: [UInt8]?) throws {
    guard let condition else { return }
    guard payload.map({ Fingerprint.of($0, family: name.family, kind: name.kind) }) == condition else {
      throw RunicError.changedMeanwhile(kind: name.kind, id: String(decoding: name.id, as: UTF8.self))
    }
  }

  static func object(_ payload: [UInt8]?) throws -> JSONObject {
    guard let payload else { return [:] }
    return try JSONValue.parse(payload).objectValue ?? [:]
  }
}

extension JSONObject {
  /// Without the defaults that a change would only write down.
  fileprivate func withoutNew(_ defaults: JSONObject, besides shown: JSONObject) -> JSONObject {
    var result = self
    for (key, value) in defaults where shown[key] == nil && result[key] == value { result[key] = nil }
    return result
  }
}

extension Kind {
  /// Refuses a change that breaks a rule over several fields; what a merge broke before may stay broken.
  func requireOrder(from shown: JSONObject, to result: JSONObject) throws(RunicError) {
    let broken = warnings(in: result)
    guard let first = broken.first, broken != warnings(in: shown) else { return }
    throw .badField(kind: name, field: first.lower.string, problem: .rule(first.name))
  }
}
