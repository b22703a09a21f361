import CanonicalJSON
import ObjectStore

/// Which side a person picks where a source without a base and the record differ.
public enum SourceChoice: Sendable {
  /// The source's values are edits.
  case preferLocal
  /// The record's values stand; the source gets them with the next hand-over.
  case preferRemote
}

/// What a source's payload means for its record: a pure function of payload, base and record.
public struct SourceCapture: Equatable, Sendable {
  /// The registers to write; nil unsets one.
  public private(set) var writes: [RegisterKey: [UInt8]?] = [:]
  /// The heads that each of these writes replaces: those of the base, so that whatever came in between stays
  /// visible as a conflict.
  public private(set) var replacing: [RegisterKey: [Digest]] = [:]
  /// Keys that differ while there is no base to say which side was edited: they wait.
  public private(set) var waiting: [JSONString] = []

  /// - Parameters:
  ///   - payload: all that the source holds. One that is missing, empty, invalid or half written is for the
  ///     caller to leave alone: it is never a deletion.
  ///   - base: nil where the source was never taken from or handed over, or the ledger is lost.
  ///   - state: the record.
  public init(
    _ payload: JSONObject, base: SyncLedger.Base?, state: KeyedState, kind: String,
    choice: SourceChoice? = nil
  ) {
    for (key, value) in payload {
      let bytes = value.canonicalBytes
      guard let base, !base.waiting.contains(key) else {
        captureWithoutBase(key, bytes, state: state, choice: choice)
        continue
      }
      let entry = base.keys[key]
      guard entry?.fingerprint != Fingerprint.of(bytes, family: .keys, kind: kind) else { continue }
      write(key, bytes, over: entry?.heads ?? [], state: state)
    }
    for (key, entry) in base?.keys ?? [:] where entry.fingerprint != nil && payload[key] == nil {
      write(key, nil, over: entry.heads, state: state)
    }
  }

  /// An edit; what the record shows already is none.
  private mutating func write(_ key: JSONString, _ value: [UInt8]?, over heads: [Digest], state: KeyedState) {
    let register = RegisterKey.key(key.utf8)
    guard state.shownValue(register) != value else { return }
    writes[register] = .some(value)
    replacing[register] = heads
  }

  /// A key that the record never had is written; one that differs is no edit.
  private mutating func captureWithoutBase(
    _ key: JSONString, _ bytes: [UInt8], state: KeyedState, choice: SourceChoice?
  ) {
    let register = RegisterKey.key(key.utf8)
    let heads = state.heads(of: register).map(\.commit)
    guard state.shownValue(register) != bytes else { return }
    if heads.isEmpty || choice == .preferLocal {
      writes[register] = .some(bytes)
      replacing[register] = heads
    } else if choice == nil {
      waiting.append(key)
    }
  }
}

extension SyncLedger.Base {
  /// The base once a source was captured: what it holds now, and, of the keys that were written, the heads that
  /// the writes have become. Keys that wait have no entry.
  public mutating func note(_ payload: JSONObject, captured: SourceCapture, state: KeyedState) {
    waiting = Set(captured.waiting)
    for (key, value) in payload where !waiting.contains(key) {
      let register = RegisterKey.key(key.utf8)
      let wasWritten = captured.writes[register] != nil
      let heads = wasWritten || keys[key] == nil ? state.heads(of: register).map(\.commit) : nil
      keys[key] = SyncLedger.Entry(
        fingerprint: Fingerprint.of(value.canonicalBytes, family: .keys, kind: record.kind),
        heads: heads ?? keys[key]?.heads ?? [])
    }
    for (key, _) in keys where payload[key] == nil {
      let register = RegisterKey.key(key.utf8)
      let heads =
        captured.writes[register] != nil ? state.heads(of: register).map(\.commit) : keys[key]?.heads
      keys[key] = SyncLedger.Entry(fingerprint: nil, heads: heads ?? [])
    }
  }

  /// The base once the record was handed over to its source: every key with all its heads, tombstones included.
  ///
  /// - Parameters:
  ///   - payload: what the source holds now, defaults and keys of its own included.
  ///   - waiting: keys that nobody has picked a side for yet; they get no entry.
  public mutating func note(
    handedOver payload: JSONObject, state: KeyedState, waiting: Set<JSONString> = []
  ) {
    (keys, self.waiting) = ([:], waiting)
    for entry in state.heads where entry.register.generation == state.shownGeneration {
      guard let key = entry.register.key.string, !waiting.contains(key) else { continue }
      keys[key] = SyncLedger.Entry(fingerprint: nil, heads: entry.heads.map(\.commit))
    }
    for (key, value) in payload where !waiting.contains(key) {
      let fingerprint = Fingerprint.of(value.canonicalBytes, family: .keys, kind: record.kind)
      keys[key, default: SyncLedger.Entry(fingerprint: nil, heads: [])].fingerprint = fingerprint
    }
  }
}
