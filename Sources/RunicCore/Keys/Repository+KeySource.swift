import ObjectStore

extension Repository {
  /// The command that stands in for the key file, where one does.
  var keyCommand: String? { configuration.keyCommand }

  /// The keys, from their file or from the command that stands in for one, checked against the marker.
  static func keys(
    of device: DeviceFile, configuration: Configuration, files: PrivateFiles
  ) throws -> RepositoryKeys {
    let marker = try marker(in: files)
    guard let command = configuration.keyCommand else {
      let keys = try files.readKeys(of: device.repository)
      guard marker.accepts(keys) else { throw RunicError.wrongKeyFile(path: files.layout.repositoryKey) }
      return keys
    }
    let folder = try KeyFolder(of: files.store, marker: marker)
    let printed = try files.environment.keys(printedBy: command, of: device.repository)
    guard let keys = try folder.keys(printed), marker.accepts(keys) else {
      throw RunicError.keyNotPrinted(command)
    }
    return keys
  }

  /// The marker of the local store, of a repository that is not open yet.
  static func marker(in files: PrivateFiles) throws -> Marker {
    let path = "\(files.layout.store)/\(TreeName.marker.path)"
    guard let bytes = try files.read(path) else { throw RunicError.badPrivateFile(path: path) }
    do throws(FormatError) { return try Marker(decoding: bytes) } catch {
      if case .newerFormat(let version) = error {
        throw RunicError.newerFormat(name: path, version: version)
      }
      throw RunicError.badPrivateFile(path: path)
    }
  }

  // MARK: - Keys that were held

  /// How many keys this device held that are not there now: an older copy of its key file was put back, or a command
  /// prints fewer.
  public var lostKeyCount: Int { max(0, device.keyCount - keys.all.count) }

  /// What was written with a lost key cannot be gone on from. What the index holds can be read all the same.
  ///
  /// - Throws: `RunicError.keysLost`.
  public func requireAllKeys() throws {
    guard lostKeyCount > 0 else { return }
    throw RunicError.keysLost(held: keys.all.count, of: device.keyCount, command: keyCommand)
  }

  /// Puts the key file back where it is gone or is not what it should be: with a key or a passphrase that the `keys`
  /// folder of the local store, or else of a remote, has something for.
  ///
  /// - Throws: `RunicError.wrongKey`, `.noUsableSlot`, `.foreignRepository`; `.keyNotPrinted` where a command stands in
  ///   for the file.
  public static func restoreKeys(
    at root: String, unlock: Unlock, environment: Environment
  ) throws -> [KeyID] {
    var source: KeyFolder?
    let repository = try open(at: root, environment: environment) { device, configuration, files in
      if let command = configuration.keyCommand { throw RunicError.keyNotPrinted(command) }
      let marker = try marker(in: files)
      let found = try openFirst(
        unlock, marker: marker, local: KeyFolder(of: files.store, marker: marker),
        remotes: configuration.remotes.map { setting in
          { try remote(at: setting.url, device: device.device, environment: environment).keys() }
        })
      source = found.folder
      return found.keys
    }
    if let source { try repository.take(repository.keys.all, from: source) }
    return repository.keys.all.map(\.id)
  }

  /// Opens the first folder of keys that can be.
  private static func openFirst(
    _ unlock: Unlock, marker: Marker, local: KeyFolder, remotes: [() throws -> [TreeName: [UInt8]]]
  ) throws -> (folder: KeyFolder, keys: RepositoryKeys) {
    let unlock = try unlock.askingOnce()
    do { return (local, try local.open(unlock, marker: marker)) } catch {
      for keys in remotes {
        guard let found = try? keys() else { continue }
        let folder = KeyFolder(found, marker: marker)
        if let keys = try? folder.open(unlock, marker: marker) { return (folder, keys) }
      }
      throw error
    }
  }

  // MARK: - From the key file to a command

  /// The key files that lie here though a command stands in for them.
  public func needlessKeyFiles() throws -> [String] {
    if keyCommand == nil { return [] }
    return try [layout.repositoryKey, layout.formerKey].filter {
      try environment.fileSystem.status($0) != nil
    }
  }

  /// Has a command stand in for the key file, and removes that once the command has printed every key that it holds.
  /// Meanwhile the file lies elsewhere, where it is read all the same, so that no command proves itself by reading it.
  ///
  /// - Returns: whether there was a file, which is gone now; one that cannot be read stays.
  /// - Throws: `RunicError.keysLost` where the command prints fewer keys than were held, and what opening the repository
  ///   with it throws; the command is not used then.
  public func useKeyCommand(_ command: String) throws -> Bool {
    var trial = configuration
    try trial.set(Configuration.keyCommandName, to: command)
    let fileSystem = environment.fileSystem
    try exclusively {
      guard try fileSystem.status(layout.repositoryKey) != nil else { return }
      // What an earlier trial left goes along.
      if try fileSystem.status(layout.formerKey) != nil { try files.writeKeys(keys.adding(keysInFiles)) }
      try fileSystem.rename(layout.repositoryKey, to: layout.formerKey)
    }
    do {
      let printed = try Self.keys(of: device, configuration: trial, files: files)
      return try exclusively { try use(command, printing: printed) }
    } catch {
      try exclusively { try putBackKeyFile() }
      throw error
    }
  }

  private func use(_ command: String, printing printed: RepositoryKeys) throws -> Bool {
    try reloadDevice()
    let (held, all) = (printed.all.count, max(device.keyCount, printed.adding(keysInFiles).all.count))
    guard held == all else { throw RunicError.keysLost(held: held, of: all, command: command) }
    try changeConfiguration { try $0.set(Configuration.keyCommandName, to: command) }
    guard (try? files.readKeys(of: id, at: layout.formerKey)) != nil else {
      try putBackKeyFile()
      return false
    }
    try environment.fileSystem.remove(layout.formerKey)
    try environment.fileSystem.syncDirectory(layout.root)
    return true
  }

  private func putBackKeyFile() throws {
    let fileSystem = environment.fileSystem
    guard try fileSystem.status(layout.formerKey) != nil, try fileSystem.status(layout.repositoryKey) == nil
    else { return }
    try fileSystem.rename(layout.formerKey, to: layout.repositoryKey)
  }

  /// What can be read of the key file, and of one that waits for the end of a trial.
  private var keysInFiles: [RepositoryKey] {
    [layout.repositoryKey, layout.formerKey].flatMap { (try? files.readKeys(of: id, at: $0))?.all ?? [] }
  }

  private func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try lock()
    return try withExtendedLifetime(lock, body)
  }

  // MARK: - From a command back to the file

  /// Goes back from a command to the key file, which then holds the keys that the command prints.
  public func useKeyFile() throws {
    try exclusively {
      try reloadDevice()
      try files.writeKeys(keys.adding(keysInFiles))
      try changeConfiguration { try $0.unset(Configuration.keyCommandName) }
      try environment.fileSystem.removeIfPresent(layout.formerKey)
    }
  }

  /// The same where the command prints no key any more: what the key file holds is what there is.
  ///
  /// - Throws: `RunicError.noRepository`.
  public static func forgetKeyCommand(at root: String, environment: Environment) throws {
    let layout = try RepositoryLayout(at: root, in: environment.fileSystem)
    let files = PrivateFiles(layout: layout, environment: environment)
    guard try files.readObject(layout.device) != nil else { throw RunicError.noRepository(path: root) }
    let lock = try FileLock.acquire(
      layout.lock, wait: environment.lockWait, in: environment.fileSystem, clock: environment.clock)
    try withExtendedLifetime(lock) {
      var configuration = try configuration(in: files)
      try configuration.unset(Configuration.keyCommandName)
      try files.writeObject(configuration.json, to: layout.configuration)
    }
  }
}

extension Configuration {
  public static let keyCommandName = Setting.keyCommand.rawValue

  /// The command that stands in for the key file, where one does.
  public var keyCommand: String? { settings[Self.keyCommandName] }
}

extension Unlock {
  /// The same with the passphrase at hand.
  fileprivate func askingOnce() throws -> Unlock {
    guard case .passphrase(let ask) = self else { return self }
    let passphrase = try ask()
    return .passphrase { passphrase }
  }
}

extension Environment {
  /// What a command prints in place of a key file: what `key export` does, or what the file holds. The number of a key
  /// is not known by the string: 1 stands for it.
  ///
  /// - Throws: `RunicError.badConfiguration`, `.foreignRepository`.
  func keys(printedBy command: String, of repository: RepositoryID) throws -> [RepositoryKey] {
    var text = try keyCommand?(command) ?? []
    let refused = RunicError.badConfiguration(key: Configuration.keyCommandName, value: command)
    guard KeyString.begins(text) else {
      guard let keys = PrivateFiles.keys(in: &text, of: repository) else { throw refused }
      return keys
    }
    guard let (there, roots) = try? KeyString.decode(&text) else { throw refused }
    guard there == repository else { throw RunicError.foreignRepository(here: repository, there: there) }
    return try roots.map { try RepositoryKey(root: $0, number: 1, repository: repository) }
  }
}
