import CanonicalJSON
import ObjectStore

extension Repository {
  /// Begins a new repository: a fresh key, a fresh device, an empty tree.
  ///
  /// - Parameters:
  ///   - name: what people call this device; the machine's name where nil.
  ///   - passphrase: makes a key slot, so that the passphrase alone opens the repository elsewhere.
  /// - Throws: `RunicError.repositoryExists`, `.coveredPlace`, `.sharedPlace`, `.occupiedPlace`.
  public static func create(
    at root: String, name: String?, passphrase: SecretBytes?, environment: Environment
  ) throws -> Repository {
    let id = RepositoryID(from: environment.random)
    let key = try RepositoryKey(
      root: environment.random.secret(RepositoryKey.byteCount), number: 1, repository: id)
    let slots = try passphrase.map {
      [try KeySlot(wrapping: key, passphrase: $0, random: environment.random)]
    }
    let keyFiles = (slots ?? []).map { (TreeName.slot($0.id), $0.bytes) }
    return try establish(
      at: root, deviceName: name, keys: RepositoryKeys(key), marker: Marker(key: key),
      keyFiles: Dictionary(uniqueKeysWithValues: keyFiles), configuration: Configuration(),
      environment: environment)
  }

  /// Makes the private files and the tree of a new device of a repository. `device.json` comes last: until it
  /// is there, there is no repository, and a second attempt begins again from nothing.
  static func establish(
    at root: String, deviceName: String?, keys: RepositoryKeys, marker: Marker,
    keyFiles: [TreeName: [UInt8]], configuration: Configuration, environment: Environment
  ) throws -> Repository {
    let fileSystem = environment.fileSystem
    let layout = try RepositoryLayout(at: root, in: fileSystem)
    try refuse(layout, environment)
    try fileSystem.makeDirectories(layout.root, permissions: 0o700)
    try fileSystem.setPermissions(layout.root, 0o700)
    for folder in [layout.temporary, layout.index, layout.local, layout.hooks] {
      try fileSystem.makeDirectories(folder, permissions: 0o700)
    }
    let files = PrivateFiles(layout: layout, environment: environment)
    let key = SigningKey.generate(from: environment.random)
    let name = deviceName ?? Machine.hostName
    var device = DeviceFile(device: key.publicKey.deviceID, name: name, repository: keys.repository)
    device.keyCount = keys.all.count
    let repository = Repository(
      layout: layout, environment: environment, configuration: configuration, device: device,
      identity: DeviceIdentity(key: key, name: name, platform: Machine.platform), keys: keys)
    try repository.store.create()
    for leftover in try repository.store.names(in: .keys) { try repository.store.remove(leftover) }
    for (name, bytes) in keyFiles { try repository.store.write(bytes, to: name) }
    try repository.store.write(marker.bytes, to: .marker)
    try files.writeKeys(keys)
    try files.writeSecret(key.seed, to: layout.deviceKey(device.device.hex))
    try files.writeObject(configuration.json, to: layout.configuration)
    try files.writeObject(device.json, to: layout.device)
    return repository
  }

  // MARK: - Where a repository may lie

  /// What sync tools put into the folders that they cover.
  private static let coverSigns = [
    ".stfolder", ".dropbox", ".dropbox.cache", ".sync", ".nextcloudsync.log", ".owncloudsync.log",
    ".unison", ".megaignore", ".pcloud", "desktop.ini.onedrive", ".icloud", ".resilio",
  ]

  /// Refuses a place that holds a repository or anything else, that lies in a shared tree, or that a sync tool would copy
  /// elsewhere, keys and all.
  static func refuse(_ layout: RepositoryLayout, _ environment: Environment) throws {
    let fileSystem = environment.fileSystem
    if try fileSystem.status(layout.device) != nil {
      throw RunicError.repositoryExists(path: layout.root)
    }
    var folder = layout.root
    while true {
      let start = folder == "/" ? "" : folder
      if try isTree(start, in: fileSystem) {
        throw RunicError.sharedPlace(path: layout.root, tree: folder)
      }
      for sign in coverSigns where try fileSystem.status("\(start)/\(sign)") != nil {
        throw RunicError.coveredPlace(path: layout.root, sign: "\(start)/\(sign)")
      }
      let above = parent(of: folder)
      if above == folder || above == "." { break }
      folder = above
    }
    let isOther = try fileSystem.status(layout.root).map { $0.type != .directory } ?? false
    guard try !isOther && fileSystem.listIfPresent(layout.root).allSatisfy(layout.mayBeLeftover) else {
      throw RunicError.occupiedPlace(path: layout.root)
    }
  }
}

extension Repository {
  /// Whether a repository lies in a folder that was used, whatever has become of `device.json`: more than an attempt to
  /// make one leaves.
  static func isUsed(_ layout: RepositoryLayout, in fileSystem: any FileSystem) throws -> Bool {
    guard try fileSystem.status("\(layout.store)/\(TreeName.marker.path)") != nil else { return false }
    return try !fileSystem.list(layout.root).allSatisfy(layout.mayBeLeftover)
  }

  /// Whether a shared tree lies in a folder: other things may be called as its marker is.
  private static func isTree(_ folder: String, in fileSystem: any FileSystem) throws -> Bool {
    let path = "\(folder)/\(TreeName.marker.path)"
    guard try fileSystem.status(path) != nil else { return false }
    if try fileSystem.status("\(folder)/\(TreeFolder.heads.path)")?.type == .directory { return true }
    guard let bytes = try? fileSystem.read(path, limit: Limits.smallFile) else { return false }
    do throws(FormatError) { _ = try Marker(decoding: bytes) } catch {
      if case .newerFormat = error { return true }
      return false
    }
    return true
  }
}

extension RepositoryLayout {
  /// What lies in folders by itself.
  private static let ordinary: Set<String> = ["lost+found", ".DS_Store"]

  /// Whether something in the repository's folder may be what an attempt to make one left that was cut off.
  fileprivate func mayBeLeftover(_ entry: DirectoryEntry) -> Bool {
    let path = "\(root)/\(entry.name)"
    if Self.ordinary.contains(entry.name) { return true }
    if entry.type == .directory { return [store, temporary, index, local, hooks].contains(path) }
    let device = entry.name.split(separator: "-").last?.split(separator: ".").first ?? ""
    return [repositoryKey, configuration].contains(path)
      || (path == deviceKey(String(device)) && DeviceID(hex: device) != nil)
  }
}
