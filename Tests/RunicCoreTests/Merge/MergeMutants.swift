import ObjectStore

@testable import RunicCore

/// Wrong: what arrives last is shown.
struct WinnerByArrival: MergeUnderTest {
  private(set) var known = KeyedState()
  private var last: [RegisterKey: [UInt8]] = [:]

  mutating func apply(_ change: Change, _ context: CommitContext) {
    known.apply(change, context)
    guard case .set(let write) = change else { return }
    for (key, written) in write.writes { last[key] = written.value }
  }

  var view: KeyedView {
    let view = known.view
    guard let shown = view.shown else { return view }
    let registers = shown.registers.map { member in
      ShownRecord.Member(key: member.key, value: last[.key(member.key)])
    }
    return KeyedView(
      shown: ShownRecord(whole: last[.whole], registers: registers), conflicts: view.conflicts,
      heads: view.heads)
  }
}

/// Wrong in what it makes of a change before it applies it.
protocol AlteringMerge: MergeUnderTest {
  var known: KeyedState { get set }
  func altered(_ change: Change) -> Change
}

extension AlteringMerge {
  var view: KeyedView { known.view }
  mutating func apply(_ change: Change, _ context: CommitContext) { known.apply(altered(change), context) }
}

/// Wrong: nothing is ever superseded.
struct ReplacedIgnored: AlteringMerge {
  var known = KeyedState()
  func altered(_ change: Change) -> Change { change.replacing { _, _ in false } }
}

/// Wrong: a replaced commit that comes after the one that replaces it stands again.
struct LateReplacedStands: AlteringMerge {
  var known = KeyedState()
  func altered(_ change: Change) -> Change {
    let heads = known.heads
    return change.replacing { register, commit in
      heads.contains { $0.register == register && $0.heads.contains { $0.commit == commit } }
    }
  }
}

/// Wrong: no edit outlives a delete.
struct DeleteAlwaysWins: AlteringMerge {
  var known = KeyedState()
  func altered(_ change: Change) -> Change {
    guard case .delete(let delete) = change else { return change }
    return .delete(
      RecordDelete(
        kind: delete.kind, id: delete.id, generation: delete.generation, settles: delete.settles,
        stamp: .greatest))
  }
}

/// Wrong: what was looked at stays a conflict.
struct SettledIgnored: AlteringMerge {
  var known = KeyedState()
  func altered(_ change: Change) -> Change {
    switch change {
    case .add: change
    case .set(let write): .set(write.with(writes: write.writes, settles: []))
    case .delete(let delete):
      .delete(
        RecordDelete(kind: delete.kind, id: delete.id, generation: delete.generation, stamp: delete.stamp))
    }
  }
}

extension Change {
  /// The change with only those replaced commits that a mutant takes note of.
  fileprivate func replacing(_ isNoted: (Register, Digest) -> Bool) -> Change {
    guard case .set(let write) = self else { return self }
    var writes: [RegisterKey: WrittenValue] = [:]
    for (key, written) in write.writes {
      let register = Register(generation: write.generation, key: key)
      writes[key] = WrittenValue(
        value: written.value, replaces: written.replaces.filter { isNoted(register, $0) })
    }
    return .set(write.with(writes: writes, settles: write.settles))
  }
}

extension RegisterWrite {
  fileprivate func with(writes: [RegisterKey: WrittenValue], settles: [Digest]) -> RegisterWrite {
    RegisterWrite(
      kind: kind, id: id, generation: generation, writes: writes, settles: settles,
      isResolution: isResolution, stamp: stamp, origin: origin)
  }
}
