import ObjectStore

extension Index {
  /// Brings the index up to date with the store: nothing to do where the heads are those that were read;
  /// behind, the missing commits are applied; beside (a store that lost or swapped commits), all is made anew.
  ///
  /// - Returns: whether anything was done.
  @discardableResult
  func catchUp(with store: Store, keys: RepositoryKeys) throws -> Bool {
    try catchUp(with: try store.headNames(), of: store, keys: keys)
  }

  /// The same, where the store's heads are known.
  @discardableResult
  func catchUp(with names: [HeadName], of store: Store, keys: RepositoryKeys) throws -> Bool {
    (damagedHeads, incompleteHeads) = ([], [])
    guard !isCurrent(with: names) else { return false }
    let before = (heads, applied)
    var read = try readHeads(names, from: store, keys: keys)
    var isMadeAnew = false
    if try isBeside(names) {
      try forgetEverything()
      isMadeAnew = true
      read = try readHeads(names, from: store, keys: keys)
    }
    forgetHeads()
    note(heads: read)
    return isMadeAnew || before != (heads, applied)
  }

  /// Whether these are just the heads that were read.
  func isCurrent(with names: [HeadName]) -> Bool {
    names.reduce(Digest.zero) { $0.exclusiveOr($1.digest) } == heads
  }

  /// Newest first, so that the heads before it are found known.
  ///
  /// - Returns: those that could be read. One that is damaged, or needs a key that is not held, is looked at again.
  private func readHeads(
    _ names: [HeadName], from store: Store, keys: RepositoryKeys
  ) throws -> [HeadName] {
    (damagedHeads, incompleteHeads) = ([], [])
    return try names.reversed().filter { name in
      do {
        let head = try store.head(name, keys: keys)
        if try apply(head, from: store, keys: keys) != .whole { incompleteHeads.append(head) }
        return true
      } catch let error as DamagedFile {
        if !error.isForLater { damagedHeads.append(name) }
        return false
      } catch let error as SystemError where error.isMissing {
        return false
      }
    }
  }

  /// Whether the index knows commits that no head of the store leads to any more.
  private func isBeside(_ names: [HeadName]) throws -> Bool {
    var newest: [DeviceID: Int64] = [:]
    for name in names { newest[name.device] = max(newest[name.device] ?? 0, name.sequence) }
    return logs.contains { device, log in
      log.branches.contains { $0.tip.sequence > (newest[device] ?? 0) }
    }
  }
}
