import ObjectStore

/// `push --repair`: reads and hashes every file of a remote, mends what this device holds whole, brings back what it
/// has lost and the remote holds whole, and removes its own objects that no head needs, here or there, whole or not.
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

  /// What the files there have turned out to be.
  private struct Findings {
    /// What this device's heads list, here and there; nil once one cannot be read: then nobody knows.
    var needed: Set<Digest>?
    var whole: Set<TreeName> = []
    var damaged: Set<TreeName> = []
    /// This device's objects.
    var own: Set<Digest> = []
  }

  /// - Returns: how many files were mended, here or there, or removed for damage that mattered to nobody, and what
  ///   is damaged there and cannot be mended from here.
  func run() throws -> (mended: Int, warnings: [SyncWarning]) {
    let folders = [TreeFolder.heads] + (try remote.devices()).sorted().map(TreeFolder.objects)
    try remote.removeLeftovers(in: folders + [.keys])
    let listed = try remote.list(folders)
    var found = Findings(needed: try neededHere())
    let tree = CheckedTree(remote, through: folder, fileSystem: repository.environment.fileSystem)
    try tree.forEach(listed) { name, bytes in try look(at: name, bytes, &found) }
    let lost = try lostHere().intersection(found.whole)
    let broughtBack = try repository.bringBack(lost, from: remote, into: folder)
    let missing = try missingObjects(Set(listed.map(\.name)))
    let mendable = found.damaged.union(missing).filter { (try? store.read($0)) != nil }
    let mended = mendable.union(try mendableKeys())
    try remote.replace(try mended.sorted { $0.path < $1.path }.map(repository.localFile))
    let unneeded = unneeded(found, damaged: found.damaged.subtracting(mendable))
    try remote.remove(unneeded.sorted { $0.path < $1.path })
    let damaged = found.damaged.subtracting(mendable).subtracting(unneeded)
    let count = mended.count + broughtBack + found.damaged.intersection(unneeded).count
    return (count, try note(damaged, mended: mended.union(unneeded)))
  }

  /// - Parameter bytes: those of the remote's file; nil where it cannot be had whole.
  private func look(at name: TreeName, _ bytes: [UInt8]?, _ found: inout Findings) throws {
    guard let bytes, SHA256.hash(bytes) == name.digest else {
      found.damaged.insert(name)
      return
    }
    found.whole.insert(name)
    switch name {
    case .head(let head) where head.device == repository.deviceID:
      do throws(FormatError) {
        let objects = try Head(decoding: bytes, name: head, keys: repository.keys).objects
        found.needed?.formUnion(objects.map(\.digest))
      } catch {
        if error != .foreign { found.needed = nil }
      }
    case .object(repository.deviceID, let digest):
      if try isOurs(bytes) { found.own.insert(digest) }
    default: break
    }
  }

  /// This device's objects that its heads here list, whether or not they are still here, and the replaced ones that
  /// stay for readers that lag; nil where a head cannot be read.
  private func neededHere() throws -> Set<Digest>? {
    let heads = try store.headNames().filter { $0.device == repository.deviceID }
    guard let listed = try? store.listedObjects(of: heads, keys: repository.keys) else { return nil }
    return listed.union(try store.objectNames(of: repository.deviceID))
  }

  /// This device's objects there that no head needs, whole or not.
  private func unneeded(_ found: Findings, damaged: Set<TreeName>) -> Set<TreeName> {
    let own = repository.deviceID
    var objects = found.own
    for name in damaged {
      switch name {
      // It may list objects that nobody knows of.
      case .head(let head) where head.device == own: return []
      case .object(own, let digest): objects.insert(digest)
      default: break
      }
    }
    guard let needed = found.needed else { return [] }
    return Set(objects.subtracting(needed).map { .object(own, $0) })
  }

  /// Heads here that are damaged, and objects that current ones need and that are not whole here.
  private func lostHere() throws -> Set<TreeName> {
    let heads = try store.headNames()
    let current = try repository.read { try $0.currentHeads(of: Set(heads.map(\.device))) }
    let objects = current.flatMap { kept in
      kept.head.objects.map { TreeName.object(kept.name.device, $0.digest) }
    }
    return Set(try (heads.map(TreeName.head) + objects).filter { try !repository.isWhole($0) })
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

  /// Slots and key files that are whole here, and there are gone or cannot be read.
  private func mendableKeys() throws -> Set<TreeName> {
    let withdrawn = Set(try repository.read { try $0.withdrawnSlots() }.map(TreeName.slot))
    let digests = try repository.read { try $0.slotDigests() }
    let there = try remote.keys()
    return Set(
      try store.names(in: .keys).filter { name in
        guard !withdrawn.contains(name), !(there[name].map { Self.isKey($0, name, digests) } ?? false) else {
          return false
        }
        return (try? store.read(name)).map { Self.isKey($0, name, digests) } ?? false
      })
  }

  /// Whether bytes are what the name of a slot or key file says, and what the slot's record says.
  private static func isKey(_ bytes: [UInt8], _ name: TreeName, _ digests: [SlotID: Digest]) -> Bool {
    switch name {
    case .slot(let id):
      (digests[id].map { $0 == SHA256.hash(bytes) } ?? true) && (try? KeySlot(decoding: bytes, id: id)) != nil
    case .keyFile(let file): (try? KeyFile(decoding: bytes, name: file)) != nil
    case .marker, .head, .object: false
    }
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
      let known = trust.damaged.union(damaged.map(\.path)).subtracting(mended.map(\.path))
      trust.damaged = try repository.memorable(known)
      transaction.trust[remote: name] = trust
    }
    return damaged.map(\.path).sorted().map(SyncWarning.damaged(file:))
  }
}

// MARK: - The marker

extension Repair {
  /// Puts the marker back where it is damaged or gone and a head there shows that this repository lies there.
  ///
  /// - Returns: whether it was put back.
  /// - Throws: what is wrong with the place, where it is anything else.
  static func mendMarker(
    of remote: any Remote, repository: Repository, folder: () throws -> String
  ) throws -> Bool {
    do {
      try repository.checkMarker(of: remote)
      return false
    } catch let error as DamagedFile where error.name == .marker {
      guard try holdsHead(of: repository, remote, folder) else { throw error }
      try remote.replace([try repository.localFile(.marker)])
    } catch let error as RemoteError where error.reason == .notARepository {
      guard try holdsHead(of: repository, remote, folder) else { throw error }
      try remote.create([try repository.localFile(.marker)])
    }
    return true
  }

  /// How many heads are tried: whoever fills the folder with names hides none that this device has.
  private static let triedHeads = 16

  /// Whether a head there is one of this repository's.
  private static func holdsHead(
    of repository: Repository, _ remote: any Remote, _ folder: () throws -> String
  ) throws -> Bool {
    let names = try remote.list([.heads]).map(\.name)
    let here = Set(try repository.store.headNames().map(TreeName.head))
    let tried = names.filter(here.contains) + names.filter { !here.contains($0) }
    let files = try remote.fetch(Array(tried.prefix(triedHeads)), into: try folder())
    return files.contains { file in
      guard case .head(let name) = file.name, let bytes = try? repository.wholeBytes(of: file) else {
        return false
      }
      return (try? Head(decoding: bytes, name: name, keys: repository.keys)) != nil
    }
  }
}
