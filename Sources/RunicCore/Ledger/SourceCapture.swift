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
    for key in Set(payload.map(\.key)).union(keys.keys).subtracting(waiting) {
      let register = RegisterKey.key(key.utf8)
      let fingerprint = payload[key].map(fingerprint)
      // An edit that was not written is what the record shows: the source and the record have met all the same.
      let isEdit = captured.writes[register] != nil || keys[key]?.fingerprint != fingerprint
      let heads = isEdit ? state.heads(of: register).map(\.commit) : keys[key]?.heads
      keys[key] = SyncLedger.Entry(fingerprint: fingerprint, heads: heads ?? [])
    }
    (taking, giving) = ([:], [:])
  }

  func fingerprint(_ value: JSONValue) -> Digest {
    Fingerprint.of(value.canonicalBytes, family: .keys, kind: record.kind)
  }

  /// The base once the record was handed over to its source: every key with all its heads, tombstones included.
  ///
  /// - Parameters:
  ///   - payload: what the source holds now, defaults and keys of its own included.
  ///   - waiting: keys that nobody has picked a side for yet; they get no entry.
  public mutating func note(
    handedOver payload: JSONObject, state: KeyedState, waiting: Set<JSONString> = []
  ) {
    (keys, self.waiting, taking, giving) = ([:], waiting, [:], [:])
    for entry in state.heads where entry.register.generation == state.shownGeneration {
      guard let key = entry.register.key.string, !waiting.contains(key) else { continue }
      keys[key] = SyncLedger.Entry(fingerprint: nil, heads: entry.heads.map(\.commit))
    }
    for (key, value) in payload where !waiting.contains(key) {
      keys[key, default: SyncLedger.Entry(fingerprint: nil, heads: [])].fingerprint = fingerprint(value)
    }
  }
}

// MARK: - Crashes

extension SyncLedger.Base {
  /// The base as it is kept while edits are about to be stored.
  func beforeTaking(_ captured: SourceCapture) -> SyncLedger.Base {
    var next = self
    for (register, value) in captured.writes {
      guard let key = register.string else { continue }
      next.taking[key] = SyncLedger.Entry(
        fingerprint: value.map { Fingerprint.of($0, family: .keys, kind: record.kind) },
        heads: keys[key]?.heads ?? [])
    }
    return next
  }

  /// The base as it is kept while values are about to be handed over.
  func beforeGiving(_ payload: JSONObject, over held: JSONObject, state: KeyedState) -> SyncLedger.Base {
    var next = self
    for key in Set(payload.map(\.key)).union(held.map(\.key)) where payload[key] != held[key] {
      next.giving[key] = SyncLedger.Entry(
        fingerprint: payload[key].map(fingerprint),
        heads: state.heads(of: .key(key.utf8)).map(\.commit))
    }
    return next
  }

  /// The base after what was under way when a crash came: edits that were stored, and values that were handed over,
  /// are noted; what did not happen is forgotten.
  ///
  /// - Parameter writes: all writes of the record by this device, asked for only where its heads do not tell: somebody
  ///   who saw an edit may have replaced it since.
  func afterCrash(
    _ payload: JSONObject, state: KeyedState, writes: () throws -> [(commit: Digest, write: RegisterWrite)]
  ) rethrows -> SyncLedger.Base {
    var next = self
    (next.taking, next.giving) = ([:], [:])
    for (key, entry) in giving where payload[key].map(fingerprint) == entry.fingerprint {
      next.keys[key] = entry
      next.waiting.remove(key)
    }
    var past: [(commit: Digest, write: RegisterWrite)]?
    for (key, entry) in taking {
      var stored = state.heads(of: .key(key.utf8)).filter { head in
        !entry.heads.contains(head.commit) && isValue(head.value, of: entry)
      }.map(\.commit)
      if stored.isEmpty {
        let writes = try past ?? writes()
        past = writes
        stored = writes.filter { isEdit($0.write, entry, of: .key(key.utf8), state: state) }.map(\.commit)
      }
      if stored.isEmpty { continue }
      next.keys[key] = SyncLedger.Entry(fingerprint: entry.fingerprint, heads: stored)
      next.waiting.remove(key)
    }
    return next
  }

  private func isValue(_ value: [UInt8]?, of entry: SyncLedger.Entry) -> Bool {
    value.map { Fingerprint.of($0, family: .keys, kind: record.kind) } == entry.fingerprint
  }

  /// Whether a write is the edit that was about to be stored. One that replaces nothing may have a double in an earlier
  /// generation.
  private func isEdit(
    _ write: RegisterWrite, _ entry: SyncLedger.Entry, of key: RegisterKey, state: KeyedState
  ) -> Bool {
    guard let written = write.writes[key], !write.isResolution else { return false }
    return written.replaces == entry.heads.sorted() && isValue(written.value, of: entry)
      && (!entry.heads.isEmpty || write.generation == state.newestGeneration)
  }
}
