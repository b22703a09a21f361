import ObjectStore

/// The state of one record, of either family.
public enum RecordState: Hashable, Sendable {
  case history(HistoryState)
  case keyed(KeyedState)
}

/// The state of every record as a pure function of a set of commits (`docs/merge.md`).
///
/// This is the definition, written out and not accumulated: it looks at the whole set at once, for each thing
/// that can be said of a record. It is what `KeyedState.apply` and `HistoryState.merge` are held against.
///
/// - Parameter commits: each commit once, in any order.
public func state(
  of commits: some Sequence<(context: CommitContext, changes: [Change])>
) -> [RecordName: RecordState] {
  var adds: [RecordName: [Made<HistoryAdd>]] = [:]
  var keyed: [RecordName: KeyedChanges] = [:]
  for (context, changes) in commits {
    for change in changes {
      switch change {
      case .add(let add): adds[change.name, default: []].append(Made(change: add, context: context))
      case .set(let write):
        keyed[change.name, default: KeyedChanges()].writes.append(Made(change: write, context: context))
      case .delete(let delete):
        keyed[change.name, default: KeyedChanges()].deletes.append(Made(change: delete, context: context))
      }
    }
  }
  var states: [RecordName: RecordState] = [:]
  for (name, adds) in adds { states[name] = definition(of: adds).map { .history($0) } }
  for (name, changes) in keyed { states[name] = .keyed(changes.definition) }
  return states
}

/// A change and the commit that it stands in.
private struct Made<Content> {
  let change: Content
  let context: CommitContext
}

/// The greatest rank, then the greatest bytes; of the adds that have both, the earliest.
private func definition(of adds: [Made<HistoryAdd>]) -> HistoryState? {
  let states = adds.map { HistoryState($0.change, $0.context) }
  guard let rank = states.map(\.rank).max() else { return nil }
  let ranked = states.filter { $0.rank == rank }
  guard let payload = ranked.map(\.payload).max(by: { $0.lexicographicallyPrecedes($1) }) else { return nil }
  return ranked.filter { $0.payload == payload }.min { $0.added < $1.added }
}

/// All the changes of one keyed record.
private struct KeyedChanges {
  var writes: [Made<RegisterWrite>] = []
  var deletes: [Made<RecordDelete>] = []

  var definition: KeyedState {
    var state = KeyedState()
    state.registers = heads
    for write in writes {
      let others = writes.filter { $0.change.generation == write.change.generation }
      state.latestWrites[write.change.generation] =
        others.map { $0.change.stamp ?? $0.context.stamp }.max()
    }
    state.deletes = deletes.map {
      Deletion($0.change, $0.context, isSettled: settled.contains($0.context.hash))
    }.sorted { $0.commit < $1.commit }
    state.dropCoveredDeletes()
    state.awaited = awaited
    state.origins = Set(origins.compactMap { $0?.commit })
    return state
  }

  private var origins: [Origin?] { writes.map(\.change.origin) + deletes.map(\.change.origin) }

  private var arrived: Set<Digest> { Set(writes.map(\.context.hash) + deletes.map(\.context.hash)) }

  /// All commits that any change lists as settled.
  private var settled: Set<Digest> {
    Set(writes.flatMap(\.change.settles) + deletes.flatMap(\.change.settles))
  }

  /// For each register all commits that any write of it lists as replaced.
  private var replaced: [Register: Set<Digest>] {
    var replaced: [Register: Set<Digest>] = [:]
    for write in writes {
      for (key, written) in write.change.writes {
        let register = Register(generation: write.change.generation, key: key)
        replaced[register, default: []].formUnion(written.replaces)
      }
    }
    return replaced
  }

  /// The writes that no write of their register lists.
  private var heads: [RegisterHeads] {
    let (replaced, settled) = (replaced, settled)
    var heads: [Register: [RegisterHead]] = [:]
    for write in writes {
      let commit = write.context.hash
      for (key, written) in write.change.writes {
        let register = Register(generation: write.change.generation, key: key)
        if replaced[register, default: []].contains(commit) { continue }
        let isSettled = settled.contains(commit)
        heads[register, default: []].append(
          RegisterHead(write.change, written, write.context, isSettled: isSettled))
      }
    }
    return heads.sorted { $0.key < $1.key }.map { register, heads in
      RegisterHeads(register: register, heads: heads.sorted { $0.commit < $1.commit })
    }
  }

  /// What is listed, as replaced or as settled, and is not among the commits.
  private var awaited: [Digest: KeyedState.Awaited] {
    let arrived = arrived
    var awaited: [Digest: KeyedState.Awaited] = [:]
    for (register, commits) in replaced {
      for commit in commits.subtracting(arrived) {
        awaited[commit, default: KeyedState.Awaited()].replacedIn.insert(register)
      }
    }
    for commit in settled.subtracting(arrived) {
      awaited[commit, default: KeyedState.Awaited()].isSettled = true
    }
    return awaited
  }
}
