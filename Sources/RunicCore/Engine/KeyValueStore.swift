import CanonicalJSON
import ObjectStore

/// What a suite holds on this device: the app's own values, and what was written or removed since they were last
/// handed over. A private file, never synced itself.
struct KeyValueFile: Equatable, Sendable {
  /// Values that were written here or came from elsewhere.
  var values: [String: JSONValue] = [:]
  /// Keys that were written or removed here and that the record does not hold yet.
  var edited: Set<String> = []
}

/// The same, with what the file system says of the file.
struct KnownKeyValues: Sendable {
  let status: FileStatus?
  let file: KeyValueFile
}

extension KeyValueFile {
  var json: JSONObject {
    [
      "edited": .array(edited.sorted().map { .string(JSONString($0)) }), "format": 1,
      "values": .object(JSONObject(values)),
    ]
  }

  init?(json: JSONObject) {
    guard json["format"]?.intValue == 1, let values = json["values"]?.objectValue,
      let edited = json["edited"]?.textsValue
    else { return nil }
    for (key, value) in values { self.values[key.string] = value }
    self.edited = Set(edited)
  }
}

extension Repository {
  /// Suites have any names; files have not.
  private func keyValuePath(_ suite: String) -> String {
    "\(layout.local)/keys-\(SHA256.hash(Array(suite.utf8)).hex).json"
  }

  func readKeyValues(_ suite: String) throws -> KeyValueFile {
    let path = keyValuePath(suite)
    guard let json = try files.readObject(path) else { return KeyValueFile() }
    guard let file = KeyValueFile(json: json) else { throw RunicError.badPrivateFile(path: path) }
    return file
  }

  /// What a suite holds now.
  ///
  /// - Parameter known: what it held when it was last read: an untouched file is not read again.
  func readKeyValues(_ suite: String, known: KnownKeyValues?) throws -> KnownKeyValues {
    let status = try environment.fileSystem.status(keyValuePath(suite))
    if let known, known.status == status { return known }
    return KnownKeyValues(status: status, file: try readKeyValues(suite))
  }

  /// Changes what a suite holds, as one step for all who have it open, in this process and others.
  func changeKeyValues(_ suite: String, _ change: (inout KeyValueFile) throws -> Void) throws {
    // Whoever holds the lock may clean where files are made.
    let lock = try lock()
    try withExtendedLifetime(lock) { try replaceKeyValues(suite, change) }
  }

  /// Takes over what the record shows of some keys, as one step likewise.
  ///
  /// - Returns: the keys that this changed, and what all keys hold that are as the record shows them.
  func takeKeyValues(
    _ keys: Set<String>, from record: KeyValueRecord, into suite: String
  ) throws -> (came: Set<String>, values: [String: SyncValue?]) {
    var came: Set<String> = []
    // The transaction has the lock and the index: a read of its own would wait for the one to make the other.
    let values = try write { transaction in
      let shown = try record.shown(in: transaction.current)
      var values: [String: SyncValue?] = [:]
      try replaceKeyValues(suite) { file in
        let taken = file.take(keys, from: shown)
        // A step that is done again finds what it took the first time.
        came.formUnion(taken.came)
        values = taken.values
      }
      return values
    }
    return (came, values)
  }

  /// The lock is held.
  private func replaceKeyValues(
    _ suite: String, _ change: (inout KeyValueFile) throws -> Void
  ) throws {
    let before = try readKeyValues(suite)
    var file = before
    try change(&file)
    guard file != before else { return }
    try environment.fileSystem.makeDirectories(layout.local, permissions: 0o700)
    try files.writeObject(file.json, to: keyValuePath(suite))
  }
}

/// The record of a suite.
struct KeyValueRecord: Sendable {
  static let kind = Kind("key-value", .perKey(key: nil))
  let name: RecordName
  /// What the ledger calls the app's copy.
  let source: String

  init(suite: String) {
    name = RecordName(family: .keys, kind: Self.kind.name, id: Array(suite.utf8))
    source = "suite:\(suite)"
  }

  /// Refuses a value that no change could hold.
  ///
  /// - Throws: `RunicError.tooLarge`, `.badPayload` for too much nesting.
  static func requireRoom(for value: JSONValue, key: String) throws {
    let payload: JSONObject = [JSONString(key): value]
    try Transaction.requireRoom(for: payload.canonicalBytes[...])
    guard size(of: value, key: key) <= Transaction.payloadLimit else {
      throw RunicError.tooLarge(what: "value", limit: Transaction.payloadLimit)
    }
  }

  /// About what an edit takes of a change: the key stands there twice, with the head that it replaces.
  private static func size(of value: JSONValue?, key: String) -> Int {
    2 * JSONValue.string(JSONString(key)).canonicalBytes.count + (value?.canonicalBytes.count ?? 0) + 80
  }

  /// Edits in parts that each fit in a change, by key.
  static func parts(of edits: [String: JSONValue?]) -> [[String: JSONValue?]] {
    var parts: [[String: JSONValue?]] = []
    var room = 0
    for (key, value) in edits.sorted(by: { $0.key < $1.key }) {
      let size = size(of: value, key: key)
      if parts.isEmpty || size > room {
        parts.append([:])
        // Half of it: a key in conflict replaces more heads than one.
        room = Transaction.payloadLimit / 2
      }
      parts[parts.count - 1][key] = .some(value)
      room -= size
    }
    return parts
  }

  /// Writes edits to the record: over the heads that this device had seen, so that what came in between stays visible
  /// as a conflict. A key that is only missing is no edit.
  ///
  /// - Parameter edits: nil removes a key.
  func write(_ edits: [String: JSONValue?], in repository: Repository) throws {
    guard !edits.isEmpty else { return }
    _ = try repository.declare(Self.kind)
    var ledger = AppLedger(repository)
    let base = try ledger.base(of: source)
    try repository.write { transaction in
      for part in Self.parts(of: edits) { try write(part, over: base, in: transaction) }
    }
    try note(Set(edits.keys), in: repository)
  }

  private func write(
    _ edits: [String: JSONValue?], over base: SyncLedger.Base?, in transaction: Transaction
  ) throws {
    try transaction.append(to: name) { state, _ in
      var (writes, replacing): ([RegisterKey: [UInt8]?], [RegisterKey: [Digest]]) = ([:], [:])
      for (key, value) in edits {
        let register = RegisterKey.key(Array(key.utf8))
        guard state.shownValue(register) != value?.canonicalBytes else { continue }
        writes[register] = .some(value?.canonicalBytes)
        if let heads = base?.keys[JSONString(key)]?.heads { replacing[register] = heads }
      }
      if writes.isEmpty { return nil }
      return .set(state.write(writes, kind: name.kind, id: name.id, replacing: replacing))
    }
  }

  /// Notes that this device has seen what the record now shows of some keys.
  func note(_ keys: Set<String>, in repository: Repository) throws {
    let state = try repository.read { try $0.index.keyed(name) } ?? KeyedState()
    var ledger = AppLedger(repository)
    var base = try ledger.base(of: source) ?? SyncLedger.Base(record: name)
    for key in keys {
      let register = RegisterKey.key(Array(key.utf8))
      let value = state.shownValue(register)
      base.keys[JSONString(key)] = SyncLedger.Entry(
        fingerprint: value.map { Fingerprint.of($0, family: .keys, kind: name.kind) },
        heads: state.heads(of: register).map(\.commit))
    }
    ledger.note(base, of: source)
    try ledger.save()
  }

  /// What a record shows, and of which keys anything is known at all.
  struct Shown {
    let values: JSONObject
    let known: Set<String>
  }

  func shown(in snapshot: Snapshot) throws -> Shown {
    let state = try snapshot.index.keyed(name) ?? KeyedState()
    let known = state.heads.compactMap { $0.register.key.string?.string }
    return Shown(values: try snapshot.storedRecord(name)?.object ?? [:], known: Set(known))
  }
}
