import CanonicalJSON
import ObjectStore

/// A change to some keys of a record, as flags, `KEY=VALUE` and standard input make it.
public struct Patch: Sendable {
  public var set: [JSONString: JSONValue]
  public var unset: Set<JSONString>
  /// Whether `set` is the whole payload, so that keys it does not name are unset.
  public var replacesAll: Bool

  public init(
    set: [JSONString: JSONValue] = [:], unset: Set<JSONString> = [], replacesAll: Bool = false
  ) {
    self.set = set
    self.unset = unset
    self.replacesAll = replacesAll
  }

  public init(replacingAllBy payload: JSONObject) {
    self.init(set: Dictionary(uniqueKeysWithValues: payload.map { ($0.key, $0.value) }), replacesAll: true)
  }

  /// What a payload becomes.
  public func applied(to payload: JSONObject) -> JSONObject {
    var result = replacesAll ? JSONObject() : payload
    for key in unset { result[key] = nil }
    for (key, value) in set { result[key] = value }
    return result
  }
}

extension Transaction {
  /// Records a history's payload, unless what is there already wins.
  ///
  /// - Parameter payload: as `Kind.prepare` made it.
  /// - Returns: whether anything was stored.
  @discardableResult
  public func add(
    kind: Kind, id: NaturalID, payload: ArraySlice<UInt8>, stamp: Stamp? = nil, origin: Origin? = nil
  ) throws -> Bool {
    let name = RecordName(family: .history, kind: kind.name, id: id.id)
    if let known = try index.history(name), !known.isSurpassed(by: payload, rank: id.rank) { return false }
    try append(
      HistoryAdd(kind: kind.name, id: id.id, payload: payload, rank: id.rank, stamp: stamp, origin: origin))
    return true
  }

  /// Changes keys of a keyed record. What is shown already stores nothing, conflict or not.
  ///
  /// - Parameter condition: the fingerprint that the record must have.
  /// - Returns: whether anything was stored.
  @discardableResult
  public func patch(
    kind: Kind, id: [UInt8], _ patch: Patch, if condition: Digest? = nil
  ) throws -> Bool {
    let name = RecordName(family: .keys, kind: kind.name, id: try RecordGrammar.id(id))
    return try append(to: name) { state, _ in
      let shown = try Self.object(state.payload)
      try Self.check(condition, name, state)
      let result = patch.applied(to: shown)
      if let broken = kind.warnings(in: result).first, kind.warnings(in: shown) != kind.warnings(in: result) {
        throw RunicError.badField(
          kind: kind.name, field: broken.lower.string, problem: .rule(broken.name))
      }
      guard let values = Self.values(from: shown, to: result, kind: kind, isThere: state.payload != nil)
      else {
        return nil
      }
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
    try append(to: name) { state, stamp in
      guard state.payload != nil else {
        throw RunicError.unknownRecord(kind: kind.name, id: String(decoding: id, as: UTF8.self))
      }
      try Self.check(condition, name, state)
      return .delete(state.delete(kind: kind.name, id: id, stamp: stamp))
    }
  }

  private static func check(_ condition: Digest?, _ name: RecordName, _ state: KeyedState) throws {
    guard let condition else { return }
    let fingerprint = state.payload.map { Fingerprint.of($0, family: .keys, kind: name.kind) }
    guard fingerprint == condition else {
      throw RunicError.changedMeanwhile(kind: name.kind, id: String(decoding: name.id, as: UTF8.self))
    }
  }

  private static func object(_ payload: [UInt8]?) throws -> JSONObject {
    guard let payload else { return [:] }
    return try JSONValue.parse(payload).objectValue ?? [:]
  }
}
