import CanonicalJSON
import ObjectStore

/// For each outside source of whole payloads (a tracked file, an app's record): what it held when it was last
/// taken from or handed over. It is the base of the three-way merge, so that no payload needs an `updatedAt`
/// (`docs/merge.md`, "Imports and other sources").
///
/// Durable and private to a device; it cannot be derived. Without it no edit is invented: keys that differ wait
/// until somebody picks a side.
public struct SyncLedger: Equatable, Sendable {
  /// One key of a source, as it was at the hand-over.
  public struct Entry: Equatable, Sendable {
    /// Of the value; nil where the source did not hold the key.
    public var fingerprint: Digest?
    /// The commits whose writes were the heads of the key's register: what an edit of the source replaces.
    public var heads: [Digest]

    public init(fingerprint: Digest?, heads: [Digest]) {
      self.fingerprint = fingerprint
      self.heads = heads
    }
  }

  /// What a source held.
  public struct Base: Equatable, Sendable {
    public var record: RecordName
    public var keys: [JSONString: Entry]
    /// Keys that differed when there was no base for them, and that wait until somebody picks a side.
    public var waiting: Set<JSONString> = []
    /// The whole payload, where the record is one register (a kind declared last-writer-wins).
    public var whole: Entry?
    /// Edits that were about to be stored, and values that were about to be handed over: what a crash in the middle
    /// leaves, so that nobody has to guess which side was edited.
    var taking: [JSONString: Entry] = [:]
    var giving: [JSONString: Entry] = [:]

    public init(record: RecordName, keys: [JSONString: Entry] = [:]) {
      self.record = record
      self.keys = keys
    }
  }

  /// The bases by the names of their sources.
  public var sources: [String: Base] = [:]

  public init() {}
}

// MARK: - Bytes

extension SyncLedger {
  var json: JSONObject {
    ["format": 1, "sources": .object(JSONObject(sources.mapValues { .object($0.json) }))]
  }

  init?(json: JSONObject) {
    guard json["format"]?.intValue == 1, let sources = json["sources"]?.objectValue else { return nil }
    for (name, value) in sources {
      guard let base = value.objectValue.flatMap(Base.init(json:)) else { return nil }
      self.sources[name.string] = base
    }
  }
}

extension SyncLedger.Base {
  fileprivate var json: JSONObject {
    var members = JSONObject()
    for (key, entry) in keys { members[key] = .object(entry.json) }
    var object: JSONObject = [
      "family": .string(JSONString(record.family.name)), "id": .string(JSONString(utf8: record.id) ?? ""),
      "keys": .object(members), "kind": .string(JSONString(record.kind)),
      "waiting": .array(waiting.sorted().map(JSONValue.string)),
    ]
    if let whole { object["whole"] = .object(whole.json) }
    for (name, entries) in [("giving", giving), ("taking", taking)] where !entries.isEmpty {
      object[JSONString(name)] = .object(JSONObject(entries.mapValues { .object($0.json) }))
    }
    return object
  }

  fileprivate init?(json: JSONObject) {
    guard let family = json["family"]?.textValue.flatMap(Family.init(name:)),
      let kind = json["kind"]?.textValue, let id = json["id"]?.stringValue,
      let members = json["keys"]?.objectValue, let waiting = json["waiting"]?.arrayValue
    else { return nil }
    self.init(record: RecordName(family: family, kind: kind, id: id.utf8))
    self.waiting = Set(waiting.compactMap(\.stringValue))
    if let value = json["whole"] {
      guard let entry = value.objectValue.flatMap(SyncLedger.Entry.init(json:)) else { return nil }
      whole = entry
    }
    guard let keys = Self.entries(members), let taking = Self.entries(json["taking"]?.objectValue ?? [:]),
      let giving = Self.entries(json["giving"]?.objectValue ?? [:])
    else { return nil }
    (self.keys, self.taking, self.giving) = (keys, taking, giving)
  }

  private static func entries(_ members: JSONObject) -> [JSONString: SyncLedger.Entry]? {
    var entries: [JSONString: SyncLedger.Entry] = [:]
    for (key, value) in members {
      guard let entry = value.objectValue.flatMap(SyncLedger.Entry.init(json:)) else { return nil }
      entries[key] = entry
    }
    return entries
  }
}

extension SyncLedger.Entry {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["heads": .strings(heads.map(\.hex))]
    if let fingerprint { object["fingerprint"] = .string(JSONString(fingerprint.hex)) }
    return object
  }

  fileprivate init?(json: JSONObject) {
    guard let heads = json["heads"]?.stringsValue else { return nil }
    let fingerprint = json["fingerprint"]?.textValue
    self.init(
      fingerprint: fingerprint.flatMap { Digest(hex: $0) }, heads: heads.compactMap { Digest(hex: $0) })
    guard self.heads.count == heads.count, (fingerprint == nil) == (self.fingerprint == nil) else {
      return nil
    }
  }
}
