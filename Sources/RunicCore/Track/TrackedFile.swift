import CanonicalJSON
import ObjectStore

/// A JSON settings file of some app that a keyed record follows, and that follows the record.
public struct TrackedFile: Hashable, Sendable {
  /// From the root on, no symbolic link.
  public let path: String
  public let record: RecordName
  /// The top-level keys that are followed; none: all of them.
  public var keys: [JSONString]
  /// Values that are stored only where base or record holds another.
  public var defaults: JSONObject

  public init(path: String, record: RecordName, keys: [JSONString] = [], defaults: JSONObject = [:]) {
    self.path = path
    self.record = record
    self.keys = keys
    self.defaults = defaults
  }

  /// What the ledger calls it.
  public var source: String { "file:\(path)" }

  func covers(_ key: JSONString) -> Bool { keys.isEmpty || keys.contains(key) }
}

// MARK: - Bytes

extension TrackedFile {
  var json: JSONValue {
    [
      "defaults": .object(defaults), "id": .string(JSONString(utf8: record.id) ?? ""),
      "keys": .array(keys.map(JSONValue.string)), "kind": .string(JSONString(record.kind)),
      "path": .string(JSONString(path)),
    ]
  }

  init?(json: JSONValue) {
    guard let path = json["path"]?.textValue, let kind = json["kind"]?.textValue,
      let id = json["id"]?.stringValue
    else { return nil }
    self.init(
      path: path, record: RecordName(family: .keys, kind: kind, id: id.utf8),
      keys: json["keys"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      defaults: json["defaults"]?.objectValue ?? [:])
  }
}

// MARK: - What it means: pure functions of the file, its base and the record

extension TrackedFile {
  /// What of a file's payload is captured: the keys that are followed, without defaults that nobody ever
  /// stored.
  func captured(of payload: JSONObject, base: SyncLedger.Base?, state: KeyedState) -> JSONObject {
    JSONObject(
      payload.filter { key, value in
        guard covers(key) else { return false }
        if defaults[key] != value { return true }
        return base?.keys[key]?.fingerprint != nil || state.shownValue(.key(key.utf8)) != nil
      })
  }

  /// A base without the keys that are followed no longer.
  func covered(_ base: SyncLedger.Base?) -> SyncLedger.Base? {
    guard var base, base.record == record else { return nil }
    if keys.isEmpty { return base }
    base.keys = base.keys.filter { covers($0.key) }
    base.waiting = base.waiting.filter(covers)
    return base
  }

  /// Takes away the base of what was not followed so far: what differs there waits.
  ///
  /// - Parameter before: how the file was followed; nil where it was not, whatever somebody who died left of it.
  func forgetWhatWasNotFollowed(since before: TrackedFile?, in ledger: inout SyncLedger) {
    guard let before else {
      ledger.sources[source] = nil
      return
    }
    if record != before.record || (keys.isEmpty && !before.keys.isEmpty) {
      ledger.sources[source] = nil
    } else if !before.keys.isEmpty {
      ledger.sources[source]?.waiting.formUnion(keys.filter { !before.covers($0) })
    }
  }

  /// How many of the keys that the base holds a payload lacks, and how many the base holds.
  static func lost(_ payload: JSONObject, base: SyncLedger.Base?) -> (lost: Int, of: Int) {
    let held = (base?.keys ?? [:]).filter { $0.value.fingerprint != nil }
    return (held.keys.count(where: { payload[$0] == nil }), held.count)
  }

  /// What the file is to hold: its own payload, with what the record shows. Keys that wait stay as they are; one
  /// goes only where the record once had it and shows it no more.
  func handedOver(to payload: JSONObject, base: SyncLedger.Base, state: KeyedState) -> JSONObject {
    // A deleted record says nothing about its file.
    guard let generation = state.shownGeneration else { return payload }
    var result = payload
    for entry in state.registers(of: generation) {
      guard let key = entry.register.key.string, covers(key), !base.waiting.contains(key) else { continue }
      if let value = entry.shown?.value.flatMap({ try? JSONValue.parse($0) }) { result[key] = value }
    }
    for (key, _) in payload where covers(key) && !base.waiting.contains(key) {
      let register = RegisterKey.key(key.utf8)
      guard state.shownValue(register) == nil else { continue }
      let wasThere = !state.heads(of: register).isEmpty || base.keys[key]?.heads.isEmpty == false
      if wasThere { result[key] = nil }
    }
    return result
  }
}
