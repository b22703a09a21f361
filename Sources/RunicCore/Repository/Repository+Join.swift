import ObjectStore

/// What `join` did.
public struct JoinOutcome {
  /// The repository as it is now: the one that lies at the remote, with what was here.
  public let repository: Repository
  public let pulled: SyncOutcome
  public let imported: ImportOutcome
  /// Where the repository lies that was here before.
  public let formerly: String
}

extension Repository {
  /// Brings this repository, which was begun on its own, into the one that lies at a remote: under a new
  /// identity, its records with their old stamps and nothing replaced.
  ///
  /// The new repository is made beside this one and takes its place in one step at the end; this one is kept.
  ///
  /// - Parameters:
  ///   - url: the remote's address; `name` is what it is called from then on.
  ///   - unlock: opens the repository there.
  /// - Throws: as `clone` does; `RunicError.joinedAlready` where this repository itself lies there,
  ///   `.kindDeclaredTwice` where both declared a kind and its records merge by two rules.
  public func join(_ url: String, as name: String, unlock: Unlock) throws -> JoinOutcome {
    try refuseJoiningItself(url)
    let source = try CloneSource(url, unlock: unlock, environment: environment)
    let place = JoinPlace(
      root: layout.root, suffix: Hexadecimal.encode(environment.random.bytes(4)))
    do {
      return try join(source, as: name, through: place)
    } catch {
      do { try removeUnfinishedJoins() } catch {}
      throw error
    }
  }

  private func join(
    _ source: CloneSource, as name: String, through place: JoinPlace
  ) throws -> JoinOutcome {
    let atWork = try announceJoin()
    let joined = try source.makeDevice(
      named: deviceName, at: place.unfinished, remote: name, environment: environment)
    let pulled = try joined.pull(name)
    let imported = try write { transaction in
      // Nobody writes here from now on: what is recorded later is recorded in the new repository.
      let imported = try joined.takeIn(try transaction.snapshot)
      try joined.takePrivateFiles(of: self)
      try place.swap(in: environment.fileSystem)
      environment.fileSystem.removeLeftover(RepositoryLayout(root: place.formerly).joining)
      return imported
    }
    return try withExtendedLifetime(atWork) {
      JoinOutcome(
        repository: try Repository.open(at: layout.root, environment: environment), pulled: pulled,
        imported: imported, formerly: place.formerly)
    }
  }

  /// Says, for as long as its result is held, that a join is at work: should it die, the next command clears up.
  private func announceJoin() throws -> FileLock {
    let lock = try lock()
    return try withExtendedLifetime(lock) {
      guard let atWork = try FileLock.acquireIfFree(layout.joining, in: environment.fileSystem) else {
        throw LockTimeout(path: layout.joining, waited: 0)
      }
      return atWork
    }
  }

  private func refuseJoiningItself(_ url: String) throws {
    let remote = try Self.remote(at: url, device: deviceID, environment: environment)
    if let marker = try? Marker(decoding: try remote.marker()), marker.repository == id {
      throw RunicError.joinedAlready(url: url)
    }
  }

  private func takeIn(_ snapshot: Snapshot) throws -> ImportOutcome {
    try write { transaction in
      let importer = Importer(into: transaction)
      var count: Int64 = 0
      try Exporter(snapshot).forEachRecord { record in
        try importer.add(record)
        count += 1
        environment.progress?(Progress(.takingAlong, done: count))
      }
      return try importer.finish()
    }
  }

  /// What is no record: settings that count, defaults, and what `local` holds. Remotes are places of the old one.
  private func takePrivateFiles(of other: Repository) throws {
    try configure { configuration in
      let left = Set(other.configuration.disregarded + [Configuration.keyCommandName])
      for (key, value) in other.configuration.settings
      where !left.contains(key) && !key.hasPrefix("remote.") {
        try configuration.set(key, to: value)
      }
      for (kind, defaults) in other.configuration.defaults {
        configuration.setDefaults(defaults, ofKind: kind)
      }
      other.configuration.tracked.forEach { configuration.track($0) }
    }
    if let prices = try other.files.read(other.layout.prices) { try files.write(prices, to: layout.prices) }
    // Bases name commits of the old log, which are none here: what an app hands over next is compared anew.
    for entry in try environment.fileSystem.listIfPresent(other.layout.local)
    where entry.type == .file && !entry.name.hasPrefix(AppLedger.prefix) {
      guard let bytes = try other.files.read("\(other.layout.local)/\(entry.name)") else { continue }
      try files.write(bytes, to: "\(layout.local)/\(entry.name)")
    }
    for entry in try environment.fileSystem.listIfPresent(other.layout.hooks) where entry.type == .file {
      guard let bytes = try other.files.read("\(other.layout.hooks)/\(entry.name)") else { continue }
      let path = "\(layout.hooks)/\(entry.name)"
      try files.write(bytes, to: path)
      try environment.fileSystem.setPermissions(path, 0o700)
    }
  }

  // MARK: - What a crash leaves

  /// Opens the repository in a folder, after a join that died there has been brought to its end.
  ///
  /// - Throws: as `open(at:environment:)`.
  public static func openFinishingJoin(at root: String, environment: Environment) throws -> Repository {
    do { return try open(at: root, environment: environment) } catch RunicError.noRepository {
      let place = try environment.fileSystem.resolved(root)
      guard try finishJoin(at: place, environment: environment) else {
        throw RunicError.noRepository(path: root)
      }
      return try open(at: root, environment: environment)
    }
  }

  /// Puts the new repository in its place where a crash came between the two renames.
  ///
  /// - Returns: whether there is a repository now.
  static func finishJoin(at root: String, environment: Environment) throws -> Bool {
    let fileSystem = environment.fileSystem
    guard try fileSystem.status(root) == nil else { return false }
    for place in try JoinPlace.all(beside: root, in: fileSystem)
    where try fileSystem.status(place.formerly) != nil {
      try fileSystem.rename(place.unfinished, to: root)
      try fileSystem.syncDirectory(parent(of: root))
      return true
    }
    return false
  }

  /// Removes what a join left that died before its end; nothing while one is at work.
  func removeUnfinishedJoins() throws {
    let fileSystem = environment.fileSystem
    guard let lock = try FileLock.acquireIfFree(layout.joining, in: fileSystem) else { return }
    try withExtendedLifetime(lock) {
      for place in try JoinPlace.all(beside: layout.root, in: fileSystem) {
        try fileSystem.removeTree(place.unfinished)
      }
      try fileSystem.removeIfPresent(layout.joining)
    }
  }
}

/// Where a join makes the new repository, and where it puts the old one.
private struct JoinPlace {
  let root: String
  let suffix: String

  private static let mark = ".join-"

  var unfinished: String { "\(root)\(Self.mark)\(suffix)" }
  var formerly: String { "\(root).before-join-\(suffix)" }

  static func all(beside root: String, in fileSystem: any FileSystem) throws -> [JoinPlace] {
    let start = (root.split(separator: "/").last.map(String.init) ?? root) + mark
    return try fileSystem.listIfPresent(parent(of: root)).compactMap { entry in
      guard entry.type == .directory, entry.name.hasPrefix(start) else { return nil }
      return JoinPlace(root: root, suffix: String(entry.name.dropFirst(start.count)))
    }
  }

  /// The old repository makes way, the new one takes its place; `finishJoin` does the second where a crash
  /// kept it from being done.
  func swap(in fileSystem: any FileSystem) throws {
    try fileSystem.rename(root, to: formerly)
    do { try fileSystem.rename(unfinished, to: root) } catch {
      // Where this fails too, the next command finds the new repository and puts it there.
      do { try fileSystem.rename(formerly, to: root) } catch {}
      throw error
    }
    try fileSystem.syncDirectory(parent(of: root))
  }
}

extension FileSystem {
  /// Removes a folder and everything in it; links are removed, not followed.
  fileprivate func removeTree(_ path: String) throws {
    for entry in try listIfPresent(path) {
      let child = "\(path)/\(entry.name)"
      if entry.type == .directory { try removeTree(child) } else { try removeIfPresent(child) }
    }
    try removeDirectory(path)
  }
}
