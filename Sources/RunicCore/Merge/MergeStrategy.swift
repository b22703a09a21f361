import ObjectStore

/// What a pull does about concurrent edits (`docs/merge.md`, "Resolutions and strategies").
public enum MergeStrategy: String, Hashable, Sendable, CaseIterable {
  /// The default order decides; the other values stay listed as conflicts.
  case lastWriterWins = "last-writer-wins"
  /// The same, and the pull says that something waits.
  case manual
  /// What this device wrote stands.
  case preferLocal = "prefer-local"
  /// What others wrote stands.
  case preferRemote = "prefer-remote"
}

extension KeyedState {
  /// The resolving writes that a device makes under a strategy, if any: `isOwn` knows all its ids. Each goes
  /// into a commit of its own, for a change has one stamp and each keeps that of the value it chose.
  ///
  /// Only a device that wrote one of the heads resolves, and heads that are all resolutions are left to the
  /// default order: so two devices cannot answer each other for ever.
  public func resolutions(
    under strategy: MergeStrategy, isOwn: (DeviceID) -> Bool, kind: String, id: [UInt8]
  ) -> [RegisterWrite] {
    guard strategy == .preferLocal || strategy == .preferRemote, let generation = shownGeneration else {
      return []
    }
    var state = self
    var made: [RegisterWrite] = []
    for entry in registers(of: generation) {
      guard let choice = entry.choice(under: strategy, isOwn: isOwn) else { continue }
      let write = state.resolve(entry.register.key, choosing: choice, kind: kind, id: id)
      made.append(write)
      // What one lists as settled need not be listed by the next.
      state.markSettled(write.settles)
    }
    return made
  }

  private mutating func markSettled(_ commits: [Digest]) {
    for i in registers.indices {
      for j in registers[i].heads.indices where commits.contains(registers[i].heads[j].commit) {
        registers[i].heads[j].isSettled = true
      }
    }
    for i in deletes.indices where commits.contains(deletes[i].commit) { deletes[i].isSettled = true }
  }
}

extension RegisterHeads {
  /// The head that a device chooses, or nil where it leaves the register alone. This device's own heads are
  /// those that it committed, also where it only brought them in.
  func choice(under strategy: MergeStrategy, isOwn: (DeviceID) -> Bool) -> RegisterHead? {
    guard distinct.count > 1, !heads.allSatisfy(\.isResolution) else { return nil }
    let own = heads.filter { isOwn($0.committer) }
    let others = heads.filter { !isOwn($0.committer) }
    guard !own.isEmpty else { return nil }
    switch strategy {
    case .lastWriterWins, .manual: return nil
    case .preferLocal: return RegisterHeads(register: register, heads: own).shown
    case .preferRemote: return RegisterHeads(register: register, heads: others).shown
    }
  }
}
