import ObjectStore

/// What is known of one keyed record (`docs/merge.md`, "Keys" and "Deletes and generations"), kept up commit by
/// commit in whatever order the commits arrive.
///
/// It holds what can still matter and no more: heads, the latest write of each generation, deletes, and of the
/// commits that others name only those that have not arrived yet. `state(of:)` is the definition that it equals.
public struct KeyedState: Hashable, Sendable {
  /// What was said of a commit before it arrived.
  struct Awaited: Hashable, Sendable {
    var replacedIn: Set<Register> = []
    var isSettled = false
  }

  /// Sorted by register. Those of generations that are not shown stay: a late write can bring one back.
  var registers: [RegisterHeads] = []
  /// For each generation the greatest stamp of any of its writes, superseded or not.
  var latestWrites: [Int64: Stamp] = [:]
  /// Sorted by commit. One that is settled and covered by another is dropped.
  var deletes: [Deletion] = []
  var awaited: [Digest: Awaited] = [:]
  /// The commits from which changes of this record were imported.
  public internal(set) var origins: Set<Digest> = []

  /// The state of a record of which nothing has arrived.
  public init() {}

  /// Takes in one change. Each commit must be applied exactly once; the order is free.
  ///
  /// - Parameter hasArrived: whether a commit has been applied before, to this record or any other. It only
  ///   saves memory: what it cannot tell is remembered as not yet arrived. It must never say yes too early.
  /// - Complexity: for each key that is written O(log registers) and O(heads of it), where it is new O(registers);
  ///   besides, where the change settles something, O(registers + deletes²).
  public mutating func apply(
    _ change: RegisterWrite, _ context: CommitContext, hasArrived: (Digest) -> Bool = { _ in false }
  ) {
    note(change.origin)
    settle(change.settles, hasArrived)
    raise(change.generation, to: change.stamp ?? context.stamp)
    for (key, written) in change.writes {
      let register = Register(generation: change.generation, key: key)
      supersede(written.replaces, in: register, hasArrived)
    }
    let said = awaited.removeValue(forKey: context.hash) ?? Awaited()
    for (key, written) in change.writes {
      let register = Register(generation: change.generation, key: key)
      if said.replacedIn.contains(register) { continue }
      insert(RegisterHead(change, written, context, isSettled: said.isSettled), into: register)
    }
  }

  /// Takes in a delete; see `apply(_:_:hasArrived:)` for a write.
  ///
  /// - Complexity: O(deletes²), and O(registers) where the change settles something.
  public mutating func apply(
    _ change: RecordDelete, _ context: CommitContext, hasArrived: (Digest) -> Bool = { _ in false }
  ) {
    note(change.origin)
    settle(change.settles, hasArrived)
    let said = awaited.removeValue(forKey: context.hash) ?? Awaited()
    let deletion = Deletion(change, context, isSettled: said.isSettled)
    let place = deletes.firstIndex { context.hash < $0.commit } ?? deletes.endIndex
    deletes.insert(deletion, at: place)
    dropCoveredDeletes()
  }

  /// The same, of the commits that others name only those that are still awaited.
  func awaiting(_ isAwaited: (Digest) throws -> Bool) rethrows -> KeyedState {
    var state = self
    state.awaited = try awaited.filter { try isAwaited($0.key) }
    return state
  }

  private mutating func note(_ origin: Origin?) {
    if let commit = origin?.commit { origins.insert(commit) }
  }

  private mutating func raise(_ generation: Int64, to stamp: Stamp) {
    latestWrites[generation] = max(latestWrites[generation] ?? .zero, stamp)
  }

  /// What is listed once as settled stays so, also where it comes later than the list.
  private mutating func settle(_ commits: [Digest], _ hasArrived: (Digest) -> Bool) {
    guard !commits.isEmpty else { return }
    var missing = Set(commits)
    let named = missing
    for i in registers.indices {
      for j in registers[i].heads.indices where named.contains(registers[i].heads[j].commit) {
        registers[i].heads[j].isSettled = true
        missing.remove(registers[i].heads[j].commit)
      }
    }
    for i in deletes.indices where named.contains(deletes[i].commit) {
      deletes[i].isSettled = true
      missing.remove(deletes[i].commit)
    }
    for commit in missing where !hasArrived(commit) {
      awaited[commit, default: Awaited()].isSettled = true
    }
    dropCoveredDeletes()
  }

  /// A write that any write of its register lists is superseded for ever, in whatever order the two arrive.
  private mutating func supersede(
    _ commits: [Digest], in register: Register, _ hasArrived: (Digest) -> Bool
  ) {
    guard !commits.isEmpty else { return }
    var missing = Set(commits)
    let (place, isThere) = position(of: register)
    if isThere {
      registers[place].heads.removeAll { missing.remove($0.commit) != nil }
      if registers[place].heads.isEmpty { registers.remove(at: place) }
    }
    for commit in missing where !hasArrived(commit) {
      awaited[commit, default: Awaited()].replacedIn.insert(register)
    }
  }

  private mutating func insert(_ head: RegisterHead, into register: Register) {
    let (place, isThere) = position(of: register)
    if isThere {
      let heads = registers[place].heads
      registers[place].heads.insert(head, at: heads.firstIndex { head.commit < $0.commit } ?? heads.endIndex)
    } else {
      registers.insert(RegisterHeads(register: register, heads: [head]), at: place)
    }
  }

  /// Where a register stands, or would have to stand.
  func position(of register: Register) -> (place: Int, isThere: Bool) {
    var low = registers.startIndex
    var high = registers.endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if registers[middle].register < register { low = middle + 1 } else { high = middle }
    }
    return (low, low < registers.endIndex && registers[low].register == register)
  }

  /// Drops deletes that can no longer matter. Covering is transitive and its ties are broken by hash, so what
  /// is left does not depend on when this runs.
  mutating func dropCoveredDeletes() {
    guard deletes.count > 1 else { return }
    let all = deletes
    deletes.removeAll { one in one.isSettled && all.contains { $0.covers(one) } }
  }
}

extension RegisterHead {
  init(_ change: RegisterWrite, _ written: WrittenValue, _ context: CommitContext, isSettled: Bool) {
    self.init(
      commit: context.hash, committer: context.device, writer: Writer(change.origin, context),
      stamp: change.stamp ?? context.stamp, value: written.value, isResolution: change.isResolution,
      isSettled: isSettled)
  }
}

extension Deletion {
  init(_ change: RecordDelete, _ context: CommitContext, isSettled: Bool) {
    self.init(
      commit: context.hash, committer: context.device, writer: Writer(change.origin, context),
      generation: change.generation, stamp: change.stamp ?? context.stamp, isSettled: isSettled)
  }
}
