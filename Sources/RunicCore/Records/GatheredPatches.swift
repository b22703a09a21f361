import CanonicalJSON
import ObjectStore

/// Patches of one record that follow one another, gathered into one change. What the record shows then, its conflicts,
/// and what each patch is said to have done are as if each had made a change of its own.
struct GatheredPatches {
  let name: RecordName
  private let kind: Kind
  private let defaults: JSONObject
  /// The record as it is stored.
  private let state: KeyedState
  /// What it shows together with what was gathered, and the length of that in its canonical form.
  private var shown: JSONObject
  private var length: Int
  /// What is to be written: also what is shown already, where it was set to something else in between, since a write
  /// settles what was in conflict.
  private(set) var values: [RegisterKey: [UInt8]?] = [:]
  /// About what the change takes.
  private var size = 0

  /// Half of what a change may take: what a key takes is only known roughly.
  private static let room = Transaction.payloadLimit / 2

  init(of name: RecordName, kind: Kind, state: KeyedState, shown: JSONObject, defaults: JSONObject) {
    self.name = name
    self.kind = kind
    self.state = state
    self.shown = shown
    self.defaults = defaults
    length = shown.canonicalBytes.count
  }

  /// Takes a patch that only sets keys.
  ///
  /// - Returns: whether it changes anything; nil where there is no room for it beside what was gathered.
  /// - Throws: what recording it alone would.
  /// - Complexity: O(size of the patch), apart from moving what is shown, and from kinds with rules over several fields.
  mutating func take(_ patch: Patch) throws -> Bool? {
    let news = patch.set.filter { key, value in
      let old = shown[key]
      return old != value && (old != nil || defaults[key] != value)
    }
    if news.isEmpty { return false }
    if !kind.orderRules.isEmpty {
      try kind.requireOrder(from: shown, to: Patch(set: news).applied(to: shown))
    }
    try Transaction.requireRoom(
      for: JSONObject(news.map { (key: $0.key, value: $0.value) }).canonicalBytes[...])
    var (newLength, newSize, count) = (length, size, shown.count)
    var written: [(key: JSONString, value: JSONValue, bytes: [UInt8])] = []
    for (key, value) in news {
      let (bytes, keyLength) = (value.canonicalBytes, JSONValue.string(key).canonicalBytes.count)
      written.append((key, value, bytes))
      newSize += 2 * keyLength + bytes.count + 80 * max(1, state.heads(of: .key(key.utf8)).count)
      if let old = shown[key] {
        newLength += bytes.count - old.canonicalBytes.count
      } else {
        newLength += keyLength + 1 + bytes.count + (count > 0 ? 1 : 0)
        count += 1
      }
    }
    guard newLength <= Transaction.payloadLimit else {
      throw RunicError.tooLarge(what: "payload", limit: Transaction.payloadLimit)
    }
    guard newSize <= Self.room else { return nil }
    for (key, value, bytes) in written {
      shown[key] = value
      values[.key(key.utf8)] = .some(bytes)
    }
    (length, size) = (newLength, newSize)
    return true
  }
}

extension Transaction {
  /// Begins to gather patches of a record; nil where its kind is one register.
  func gatherPatches(kind: Kind, id: [UInt8]) throws -> GatheredPatches? {
    guard case .perKey = kind.rule else { return nil }
    let name = RecordName(family: .keys, kind: kind.name, id: try RecordGrammar.id(id))
    try closeCommit(about: name)
    let state = try index.keyed(name) ?? KeyedState()
    return GatheredPatches(
      of: name, kind: kind, state: state, shown: try Self.object(state.payload),
      defaults: repository.configuration.defaults(of: name))
  }

  /// Records what was gathered.
  func append(_ patches: GatheredPatches) throws {
    if patches.values.isEmpty { return }
    let name = patches.name
    try append(to: name) { state, _ in .set(state.write(patches.values, kind: name.kind, id: name.id)) }
  }
}
