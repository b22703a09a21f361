import ObjectStore

/// Something that a person should look at.
public enum Conflict: Hashable, Sendable {
  /// A register of the shown generation whose heads differ: the one shown, and one for each other value,
  /// greatest first.
  case differing(RegisterKey, shown: RegisterHead, others: [RegisterHead])
  /// A commit's writes that stand in a generation that is not shown and that nobody has looked at since.
  case hiddenEdit(commit: Digest, generation: Int64, writes: [HiddenWrite])
  /// A delete of the shown generation that the generation outlived and that nobody has looked at since.
  case overruledDelete(Deletion)

  /// Whether it is for `keep` and `delete` to settle.
  public var concernsDelete: Bool { if case .differing = self { false } else { true } }

  public struct HiddenWrite: Hashable, Sendable {
    public let key: RegisterKey
    public let head: RegisterHead

    public init(key: RegisterKey, head: RegisterHead) {
      self.key = key
      self.head = head
    }
  }
}

/// All that a keyed record shows, as one value to compare.
public struct KeyedView: Hashable, Sendable {
  public let shown: ShownRecord?
  public let conflicts: [Conflict]
  public let heads: [RegisterHeads]

  public init(shown: ShownRecord?, conflicts: [Conflict], heads: [RegisterHeads]) {
    self.shown = shown
    self.conflicts = conflicts
    self.heads = heads
  }
}

extension KeyedState {
  public var view: KeyedView { KeyedView(shown: shown, conflicts: conflicts, heads: heads) }

  /// The conflicts: those of registers by key, then hidden edits by commit, then overruled deletes by commit.
  public var conflicts: [Conflict] {
    let generation = shownGeneration
    return differing(in: generation) + hiddenEdits(outside: generation) + overruledDeletes(of: generation)
  }

  private func differing(in generation: Int64?) -> [Conflict] {
    guard let generation else { return [] }
    return registers(of: generation).compactMap { entry in
      let distinct = entry.distinct
      guard distinct.count > 1, let shown = distinct.first else { return nil }
      return .differing(entry.register.key, shown: shown, others: Array(distinct.dropFirst()))
    }
  }

  private func hiddenEdits(outside generation: Int64?) -> [Conflict] {
    var hidden: [Digest: (generation: Int64, writes: [Conflict.HiddenWrite])] = [:]
    for entry in registers where entry.register.generation != generation {
      for head in entry.heads where !head.isSettled {
        let write = Conflict.HiddenWrite(key: entry.register.key, head: head)
        hidden[head.commit, default: (entry.register.generation, [])].writes.append(write)
      }
    }
    return hidden.sorted { $0.key < $1.key }.map { commit, edit in
      .hiddenEdit(commit: commit, generation: edit.generation, writes: edit.writes)
    }
  }

  private func overruledDeletes(of generation: Int64?) -> [Conflict] {
    guard let generation else { return [] }
    return deletes.filter { !$0.isSettled && $0.generation >= generation }.map { .overruledDelete($0) }
  }
}
