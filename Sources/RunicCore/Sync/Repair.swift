import ObjectStore

/// `push --repair`: reads and hashes every file of a remote, mends what this device holds whole, and removes its
/// own objects that no head needs.
struct Repair {
  private let repository: Repository
  private let remote: any Remote
  private let name: String
  private let folder: String
  private let survey: RemoteSurvey

  init(_ repository: Repository, remote: any Remote, name: String, folder: String, survey: RemoteSurvey) {
    self.repository = repository
    self.remote = remote
    self.name = name
    self.folder = folder
    self.survey = survey
  }

  private var store: Store { repository.store }

  /// - Returns: what is damaged there and cannot be mended from here.
  func run() throws -> [SyncWarning] {
    let folders = [TreeFolder.heads] + (try remote.devices()).sorted().map(TreeFolder.objects)
    try remote.removeLeftovers(in: folders + [.keys])
    let listed = try remote.list(folders)
    var damaged: Set<TreeName> = []
    var unneeded: [TreeName] = []
    let needed = try neededObjects()
    for entry in listed {
      let bytes = try read(entry.name)
      if bytes.map({ SHA256.hash($0) }) != entry.name.digest {
        damaged.insert(entry.name)
      } else if let bytes,
        case .object(repository.deviceID, let digest) = entry.name, !needed.contains(digest),
        try isOurs(bytes)
      {
        unneeded.append(entry.name)
      }
    }
    let missing = try missingObjects(Set(listed.map(\.name)))
    let mendable = damaged.union(missing).filter { (try? store.read($0)) != nil }
    try remote.replace(try mendable.sorted { $0.path < $1.path }.map(repository.localFile))
    try remote.remove(unneeded)
    return try note(damaged.subtracting(mendable), mended: mendable)
  }

  /// A file of the remote, one at a time: memory and disk stay bounded by the largest.
  private func read(_ name: TreeName) throws -> [UInt8]? {
    guard let file = try remote.fetch([name], into: folder).first else { return nil }
    defer { repository.environment.fileSystem.removeLeftover(file.path) }
    return try repository.environment.fileSystem.read(file.path, limit: name.limit)
  }

  /// This device's objects that its heads here list, and the replaced ones that stay for readers that lag.
  private func neededObjects() throws -> Set<Digest> {
    try store.objectNames(of: repository.deviceID)
  }

  /// Objects that heads listed there need and that are not there.
  private func missingObjects(_ listed: Set<TreeName>) throws -> Set<TreeName> {
    var missing: Set<TreeName> = []
    for name in try store.headNames() where survey.listed[name] != nil {
      guard let head = try? store.head(name, keys: repository.keys) else { continue }
      for entry in head.objects {
        let object = TreeName.object(name.device, entry.digest)
        if !listed.contains(object) { missing.insert(object) }
      }
    }
    return missing
  }

  /// Whether every commit of an object is in this device's log: then the device wrote it, or a clone wrote
  /// nothing else.
  private func isOurs(_ file: [UInt8]) throws -> Bool {
    guard
      let last = try? ObjectReader.lastCommit(of: file, device: repository.deviceID, keys: repository.keys)
    else { return false }
    return try repository.read { try $0.index.place(of: last, in: repository.deviceID) } != nil
  }

  private func note(_ damaged: Set<TreeName>, mended: Set<TreeName>) throws -> [SyncWarning] {
    try repository.write { transaction in
      var trust = transaction.trust[remote: name]
      trust.damaged.formUnion(damaged.map(\.path))
      trust.damaged.subtract(mended.map(\.path))
      transaction.trust[remote: name] = trust
    }
    return damaged.map(\.path).sorted().map(SyncWarning.damaged(file:))
  }
}
