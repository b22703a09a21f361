import ObjectStore

extension Repository {
  /// This device's newest head. A damaged one is remembered, so that the next pull brings it again: to go on from
  /// an older one would fork the log.
  func ownHead(_ name: HeadName) throws -> Head {
    do {
      return try store.head(name, keys: keys)
    } catch let error as DamagedFile {
      // A head that needs another key is whole.
      if error.needsKey { throw error }
      try changeTrust { $0.damaged.insert(error.name.path) }
      throw error
    }
  }

  /// The bytes of a file that came from a remote, if they are what its name says.
  func wholeBytes(of file: LocalFile) throws -> [UInt8]? {
    let bytes = try environment.fileSystem.read(file.path, limit: file.name.limit)
    return SHA256.hash(bytes) == file.name.digest ? bytes : nil
  }

  /// Whether a file of the store is there and is what its name says.
  func isWhole(_ name: TreeName) throws -> Bool {
    do {
      _ = try store.read(name)
      return true
    } catch is DamagedFile {
      return false
    } catch let error as SystemError where error.isMissing {
      return false
    }
  }

  /// How many of the files at a remote that are damaged there and not held here are remembered.
  private static let namedFiles = 64

  /// What is remembered of files that were found damaged at a remote: all that are held here, which a push can mend,
  /// and some of the others, so that they are named. A hostile remote can list any number.
  func memorable(_ damaged: Set<String>) throws -> Set<String> {
    let held = try damaged.filter(holds)
    return held.union(damaged.subtracting(held).sorted().prefix(Self.namedFiles))
  }

  /// Whether the store has a file at this path of the tree.
  func holds(_ path: String) throws -> Bool {
    try TreeName(path: path).map { try store.contains($0) } ?? false
  }

  /// Fetches files that are damaged or gone here, and puts those that come whole in their place.
  ///
  /// - Returns: how many.
  func bringBack(_ names: Set<TreeName>, from remote: any Remote, into folder: String) throws -> Int {
    guard !names.isEmpty else { return 0 }
    var whole: [TreeName: String] = [:]
    for file in try remote.fetch(names.sorted { $0.path < $1.path }, into: folder) {
      if try wholeBytes(of: file) != nil {
        whole[file.name] = file.path
      } else {
        environment.fileSystem.removeLeftover(file.path)
      }
    }
    if !whole.isEmpty { try replace(whole) }
    return whole.count
  }

  /// Puts whole files in the place of damaged ones, and applies what can be read now.
  ///
  /// - Parameter files: paths on this file system, in a transfer folder.
  func replace(_ files: [TreeName: String]) throws {
    try adopt(files)
    let heads = try store.headNames().reversed()
    try write { transaction in
      for name in heads {
        guard let head = try? store.head(name, keys: keys) else { continue }
        _ = try transaction.index.apply(head, from: store, keys: keys)
      }
    }
  }

  private func adopt(_ files: [TreeName: String]) throws {
    let lock = try lock()
    try withExtendedLifetime(lock) {
      for (name, path) in files { try store.adopt(path, as: name) }
      for folder in Set(files.keys.map(\.folder)) { try store.syncFolder(folder) }
      try changeTrust { trust in trust.damaged.subtract(files.keys.map(\.path)) }
    }
  }

  /// Changes what is trusted, under the lock and in no transaction: that would need this device's newest head whole
  /// and all its keys, which a change of remotes may be what brings back.
  func amendTrust(_ change: (inout Trust) -> Void) throws {
    let lock = try lock()
    try withExtendedLifetime(lock) { try changeTrust(change) }
  }

  /// Changes what is trusted, outside a transaction; the caller holds the lock.
  private func changeTrust(_ change: (inout Trust) -> Void) throws {
    let before = try readTrust()
    var trust = before
    change(&trust)
    if trust != before { try writeTrust(trust) }
  }
}
