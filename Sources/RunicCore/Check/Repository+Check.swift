import CanonicalJSON
import ObjectStore

extension Repository {
  /// Checks the local store: every file, every seal and signature, every chain and change, and the index.
  ///
  /// What is damaged is remembered, so that the next pull brings it again; a wrong index is made anew.
  ///
  /// - Complexity: reads everything; memory for the largest object and the names.
  public func check() throws -> CheckReport {
    var report = try check(
      CheckedTree(folder: store.root, fileSystem: environment.fileSystem), withKey: true)
    try remember(report.damagedFiles) { trust, damaged in trust.damaged = damaged }
    // Without all keys the index holds what could not be put into a new one.
    if report.damage.isEmpty, lostKeyCount == 0 {
      try whereDiskTakesIt {
        guard try isIndexSound() == false else { return }
        report.damaged("index", .index)
        try dropIndex()
      }
    }
    return report
  }

  /// Checks a remote likewise. What is damaged there is remembered, so that the next push replaces it.
  ///
  /// - Parameter withKey: false to look at the names' digests alone.
  public func check(remote name: String, withKey: Bool = true) throws -> CheckReport {
    let setting = try configuration.remote(name)
    let folder = try TransferFolder.forReading(self)
    let tree = CheckedTree(
      try remote(setting), through: folder.path, fileSystem: environment.fileSystem)
    var report = try check(tree, withKey: withKey)
    _ = consume folder
    try report.noteHeld(in: store)
    try remember(try memorable(report.damagedFiles)) { trust, damaged in
      trust[remote: name].damaged = damaged
    }
    for (device, rollback) in try readTrust()[remote: name].rolledBack {
      report.rolledBack[device] = (rollback.from, rollback.to)
    }
    return report
  }

  /// Checks the digests of a repository's store without its key, or anything but the folder.
  public static func checkWithoutKey(at root: String, environment: Environment) throws -> CheckReport {
    let layout = try RepositoryLayout(at: root, in: environment.fileSystem)
    guard try environment.fileSystem.status(layout.store) != nil else {
      throw RunicError.noRepository(path: root)
    }
    let marker = "\(layout.store)/\(TreeName.marker.path)"
    guard try environment.fileSystem.status(marker) != nil else {
      throw RunicError.badPrivateFile(path: marker)
    }
    var check = TreeCheck(
      CheckedTree(folder: layout.store, fileSystem: environment.fileSystem), keys: nil,
      progress: environment.progress,
      isOwn: { _ in false })
    try check.run()
    return check.report
  }

  private func check(_ tree: CheckedTree, withKey: Bool) throws -> CheckReport {
    let device = device
    var check = TreeCheck(
      tree, keys: withKey ? keys : nil, slotDigests: withKey ? slotDigests() : [:],
      progress: environment.progress,
      isOwn: { device.isOwn($0) })
    try check.run()
    return check.report
  }

  /// What the slots' records say of their files. A store that is too damaged to be read says nothing.
  private func slotDigests() -> [SlotID: Digest] { (try? read { try $0.slotDigests() }) ?? [:] }

  private func remember(_ files: Set<String>, _ note: (inout Trust, Set<String>) -> Void) throws {
    try whereDiskTakesIt {
      let lock = try lock()
      try withExtendedLifetime(lock) {
        let before = try readTrust()
        var trust = before
        note(&trust, files)
        if trust != before { try writeTrust(trust) }
      }
    }
  }

  /// A disk that is full or read-only can be checked all the same; what was found is then told, and not remembered.
  private func whereDiskTakesIt(_ body: () throws -> Void) throws {
    do { try body() } catch let error as SystemError where error.forbidsWriting { return }
  }
}
