import ObjectStore

extension Repository {
  /// This device's newest head. A damaged one is remembered, so that the next pull brings it again: to go on from
  /// an older one would fork the log.
  func ownHead(_ name: HeadName) throws -> Head {
    do {
      return try store.head(name, keys: keys)
    } catch let error as DamagedFile {
      // A head that needs another key is whole.
      if error.isForLater { throw error }
      try changeTrust { $0.damaged.insert(error.name.path) }
      throw error
    }
  }

  /// What an index could not read when it was brought up to date and the next pull is to bring again. What is not
  /// there of another device has not arrived; of this one it is lost.
  func damage(metBy index: Index) throws -> [TreeName] {
    let objects = index.incompleteHeads.flatMap { head in
      head.objects.map { TreeName.object(head.device, $0.digest) }
    }
    let own = TreeFolder.objects(deviceID)
    return try index.damagedHeads.map(TreeName.head)
      + Set(objects).filter { name in
        try (name.folder == own || store.contains(name)) && !isWhole(name)
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

  /// Drops heads and objects that were found damaged and that newer ones replace: no remote need hold them still, and
  /// what they said is here whole.
  func dropReplacedDamage() throws {
    guard try !readTrust().damaged.isEmpty else { return }
    let replaced = try read { try $0.replacedDamage() }
    guard !replaced.isEmpty else { return }
    let lock = try lock()
    try withExtendedLifetime(lock) {
      for name in replaced { try store.remove(name) }
      try changeTrust { $0.damaged.subtract(replaced.map(\.path)) }
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

extension Snapshot {
  /// The heads and objects that are known to be damaged, or gone, and that newer ones replace: of logs of which all that
  /// a current head needs is whole.
  fileprivate func replacedDamage() throws -> [TreeName] {
    let damaged = try repository.readTrust().damaged.compactMap(TreeName.init(path:))
    let heads = Dictionary(grouping: try repository.store.headNames(), by: \.device)
    return try Dictionary(grouping: damaged, by: \.device).flatMap { device, damaged -> [TreeName] in
      guard let device, let heads = heads[device] else { return [] }
      let kept = try LocalHeads(heads, store: repository.store, index: index, keys: repository.keys)
      let needed = Set(
        kept.current.flatMap { kept in
          [.head(kept.name)] + kept.head.objects.map { TreeName.object(device, $0.digest) }
        })
      guard kept.damaged.isEmpty, try needed.allSatisfy(repository.isWhole) else { return [] }
      return try damaged.filter { try !needed.contains($0) && !repository.isWhole($0) }
    }
  }
}

extension TreeName {
  /// The device whose log a head or an object is of.
  fileprivate var device: DeviceID? {
    switch self {
    case .head(let head): head.device
    case .object(let device, _): device
    case .marker, .slot, .keyFile: nil
    }
  }
}
