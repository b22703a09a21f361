import CanonicalJSON
import ObjectStore

/// What a payload that an app hands over means for its record, whether that is a register for each key or one for all:
/// a pure function of payload, base and record.
struct AppCapture {
  private(set) var writes: [RegisterKey: [UInt8]?] = [:]
  private(set) var replacing: [RegisterKey: [Digest]] = [:]
  /// What differs and has no base to say which side was edited.
  private(set) var undecided: JSONObject?
  private let payload: JSONObject
  private let keys: SourceCapture?

  /// - Parameter base: nil where the app never held the record.
  init(
    _ payload: JSONObject, base: SyncLedger.Base?, state: KeyedState, kind: Kind,
    choice: SourceChoice? = nil
  ) {
    self.payload = payload
    if case .lastWriterWins = kind.rule {
      keys = nil
      captureWhole(base: base?.whole, state: state, kind: kind.name, choice: choice)
      return
    }
    var captured = SourceCapture(payload, base: base, state: state, kind: kind.name, choice: choice)
    if base != nil, state.isDeleted, !captured.writes.isEmpty {
      // An edit brings back a record that was deleted elsewhere: all of it, not the edited keys alone.
      captured = SourceCapture(payload, base: nil, state: state, kind: kind.name, choice: choice)
    }
    keys = captured
    (writes, replacing) = (captured.writes, captured.replacing)
    if !captured.waiting.isEmpty {
      undecided = JSONObject(payload.filter { captured.waiting.contains($0.key) })
    }
  }

  private mutating func captureWhole(
    base: SyncLedger.Entry?, state: KeyedState, kind: String, choice: SourceChoice?
  ) {
    let bytes = payload.canonicalBytes
    if state.shownValue(.whole) == bytes { return }
    let heads = state.heads(of: .whole).map(\.commit)
    if let base {
      if base.fingerprint == Fingerprint.of(bytes, family: .keys, kind: kind) { return }
      (writes[.whole], replacing[.whole]) = (.some(bytes), base.heads)
    } else if heads.isEmpty || choice == .preferLocal {
      (writes[.whole], replacing[.whole]) = (.some(bytes), heads)
    } else if choice == nil {
      undecided = payload
    }
  }

  /// The base once the payload was taken in.
  ///
  /// - Parameter state: the record with what was written.
  func base(after base: SyncLedger.Base?, of name: RecordName, state: KeyedState) -> SyncLedger.Base {
    var next = base ?? SyncLedger.Base(record: name)
    if let keys {
      next.note(payload, captured: keys, state: state)
    } else if undecided == nil {
      let hasSeen = !writes.isEmpty || next.whole == nil
      next.whole = SyncLedger.Entry(
        fingerprint: Fingerprint.of(payload.canonicalBytes, family: .keys, kind: name.kind),
        heads: hasSeen ? state.heads(of: .whole).map(\.commit) : next.whole?.heads ?? [])
    }
    return next
  }
}

extension SyncLedger.Base {
  /// The base once an app was handed what the record shows.
  init(handedOver view: RecordView, state: KeyedState, kind: Kind) {
    self.init(record: view.name)
    if case .lastWriterWins = kind.rule {
      whole = SyncLedger.Entry(
        fingerprint: view.fingerprint, heads: state.heads(of: .whole).map(\.commit))
    } else {
      note(handedOver: view.object, state: state)
    }
  }
}
