import ObjectStore

/// Holds an index against a fresh fold of the store.
enum IndexCheck {
  /// Whether two indexes say the same of all records, conflicts and commits.
  static func areEqual(_ one: Index, _ other: Index) throws -> Bool {
    for sort in [IndexKey.history, IndexKey.keyed, IndexKey.conflict, IndexKey.commit] {
      let (these, those) = (try one.table.cursor(prefix: [sort]), try other.table.cursor(prefix: [sort]))
      guard try areEqual(these, those, hasArrived: { try one.place(of: $0) != nil }) else { return false }
    }
    return true
  }

  private static func areEqual(
    _ one: TableCursor, _ other: TableCursor, hasArrived: (Digest) throws -> Bool
  ) throws -> Bool {
    while true {
      switch (try one.next(), try other.next()) {
      case (nil, nil): return true
      case (let a?, let b?):
        guard a.key.elementsEqual(b.key), try isSame(a.key, a.value, b.value, hasArrived) else {
          return false
        }
      default: return false
      }
    }
  }

  private static func isSame(
    _ key: UnsafeRawBufferPointer, _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer,
    _ hasArrived: (Digest) throws -> Bool
  ) throws -> Bool {
    if a.elementsEqual(b) { return true }
    if key.first == IndexKey.keyed {
      // What was said of a commit before it arrived stays where the commit then says nothing of the record.
      let states = try [a, b].map { try KeyedState(decoding: Array($0)).awaiting { try !hasArrived($0) } }
      return states[0] == states[1]
    }
    guard key.first == IndexKey.commit else { return false }
    // The numbers of branches depend on which one arrived first.
    guard let one = CommitPlace(bytes: Array(a)), let other = CommitPlace(bytes: Array(b)) else {
      return false
    }
    return (one.device, one.sequence, one.stamp, one.time)
      == (other.device, other.sequence, other.stamp, other.time)
  }
}

extension Repository {
  /// Whether the index says what the store's commits say; nil where the store changed all the while.
  func isIndexSound() throws -> Bool? {
    for _ in 0..<3 {
      let names = try store.headNames()
      let folder = try TransferFolder(in: self)
      let fresh = try Index(folder: folder.path, environment: environment, mayErase: true)
      try fresh.catchUp(with: store, keys: keys)
      try fresh.save()
      let isEqual = try read { snapshot -> Bool? in
        guard snapshot.index.heads == fresh.heads, try store.headNames() == names else { return nil }
        return try IndexCheck.areEqual(snapshot.index, fresh)
      }
      try SortedTable.destroy(folder: folder.path, fileSystem: environment.fileSystem)
      _ = consume folder
      if let isEqual { return isEqual }
    }
    return nil
  }

  /// Removes the index: the next command makes it anew.
  func dropIndex() throws {
    let lock = try lock()
    try withExtendedLifetime(lock) {
      try SortedTable.destroy(folder: layout.index, fileSystem: environment.fileSystem)
    }
  }
}
