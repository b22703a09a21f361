import ObjectStore

extension Repository {
  /// This device's newest head. A damaged one is remembered, so that the next pull brings it again: to go on from
  /// an older one would fork the log.
  func ownHead(_ name: HeadName) throws -> Head {
    do {
      return try store.head(name, keys: keys)
    } catch let error as DamagedFile {
      try changeTrust { $0.damaged.insert(error.name.path) }
      throw error
    }
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

  /// Changes what is trusted, outside a transaction; the caller holds the lock.
  private func changeTrust(_ change: (inout Trust) -> Void) throws {
    let before = try readTrust()
    var trust = before
    change(&trust)
    if trust != before { try writeTrust(trust) }
  }
}
