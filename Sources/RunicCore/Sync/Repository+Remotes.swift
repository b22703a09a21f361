import ObjectStore

/// What `remote add` found.
public enum RemoteState: Equatable, Sendable {
  /// The tree was made there.
  case created
  /// This repository lies there.
  case found
}

extension Repository {
  /// Opens a remote by its address, with its own time limit.
  ///
  /// - Parameter onRetry: called before something that failed for a passing reason is tried again.
  /// - Throws: `RunicError.badAddress` for a sort of address that this version does not know.
  public func remote(
    _ setting: RemoteSetting, onRetry: (@Sendable () -> Void)? = nil
  ) throws -> any Remote {
    var environment = environment
    if let onRetry, let said = environment.remotes?.observer.willRetry {
      environment.remotes?.observer.willRetry = { error, pause in
        onRetry()
        said(error, pause)
      }
    }
    if let timeout = configuration.timeout(ofRemote: setting.name) { environment.remotes?.timeout = timeout }
    return try Self.remote(at: setting.url, device: deviceID, environment: environment)
  }

  /// A folder's address is its path; the others are those of `docs/remotes.md`. What looks like another
  /// sort of address is refused, so that a typing error makes no folder of that name.
  public static func remote(
    at address: String, device: DeviceID, environment: Environment
  ) throws -> any Remote {
    guard !address.isEmpty else { throw RunicError.badAddress(address) }
    if let remote = environment.testRemote?(address) { return remote }
    if address.utf8.first == UInt8(ascii: "/") || isPlainPath(address) {
      return DirectoryRemote(
        path: address, device: device, fileSystem: environment.fileSystem, random: environment.random,
        progress: environment.remotes?.observer.progress)
    }
    guard let options = environment.remotes else { throw RunicError.badAddress(address) }
    let (fileSystem, clock, random) = (environment.fileSystem, environment.clock, environment.random)
    let remote: (any Remote)? =
      if address.utf8.starts(with: "rclone:".utf8) {
        RcloneRemote(
          address, device: device, fileSystem: fileSystem, clock: clock, random: random, options: options)
      } else {
        RsyncRemote(
          address, device: device, fileSystem: fileSystem, clock: clock, random: random, options: options)
      }
    guard let remote else { throw RunicError.badAddress(address) }
    return remote
  }

  /// Neither `scheme://…`, nor `host:path`, nor `rclone:NAME:path`: no colon before the first slash.
  public static func isPlainPath(_ address: String) -> Bool {
    let head = address.utf8.prefix { $0 != UInt8(ascii: "/") }
    return !head.contains(UInt8(ascii: ":"))
  }

  /// Refuses a place that is of no use as one more remote.
  ///
  /// - Throws: `RunicError.ownPlace` for this repository's own tree, `.placeTaken` for that of another remote.
  public func refuseUselessPlace(_ setting: RemoteSetting) throws {
    let fileSystem = environment.fileSystem
    let place = RemotePlace(setting.url, fileSystem)
    if place == RemotePlace(layout.store, fileSystem) { throw RunicError.ownPlace(url: setting.url) }
    let others = configuration.remotes.filter { $0.name != setting.name }
    if let other = others.first(where: { place == RemotePlace($0.url, fileSystem) }) {
      throw RunicError.placeTaken(url: setting.url, remote: other.name)
    }
  }

  /// Makes the tree at a remote's place where that is missing or empty, or checks the one that is there.
  ///
  /// - Throws: `RunicError.foreignRepository`, `RemoteError`.
  public func prepareRemote(_ setting: RemoteSetting) throws -> RemoteState {
    let remote = try remote(setting)
    let state: RemoteState
    do {
      try check(marker: try remote.marker())
      state = .found
    } catch let error as RemoteError where error.reason == .empty || error.isMissingPlace {
      try remote.create(try treeFiles())
      state = .created
    }
    try configure { $0.note(repository: id.hex, ofRemote: setting.name) }
    return state
  }

  /// Marker and slots, as files of the store.
  private func treeFiles() throws -> [LocalFile] {
    try (try store.names(in: .keys) + [.marker]).map(localFile)
  }

  func localFile(_ name: TreeName) throws -> LocalFile {
    let length = try environment.fileSystem.status(store.path(name))?.length ?? 0
    return LocalFile(name: name, path: store.path(name), length: length)
  }

  /// Checks that a remote is this repository.
  func checkMarker(of remote: any Remote) throws { try check(marker: try remote.marker()) }

  func check(marker bytes: [UInt8]) throws {
    if bytes == knownMarker { return }
    let marker = try Marker.read(ofRemote: bytes)
    guard marker.repository == id else {
      throw RunicError.foreignRepository(here: id, there: marker.repository)
    }
    guard marker.accepts(keys) else { throw DamagedFile(.marker, .authentication) }
    knownMarker = bytes
  }

  /// Notes in a file's time that a sync went through: nothing is written where nothing was to be done.
  func noteSync(with remote: String, _ direction: String) {
    let path = layout.lastSync(remote, direction)
    do {
      if try environment.fileSystem.status(path) == nil {
        try environment.fileSystem.makeDirectories(layout.index, permissions: 0o700)
        let file = try OpenFile(path, .openOrCreate(permissions: 0o600), in: environment.fileSystem)
        _ = consume file
      } else {
        try environment.fileSystem.touch(path)
      }
    } catch {
      // Only what `status` says of the last sync is lost.
    }
  }

  func lastSync(with remote: String, _ direction: String) throws -> Int64? {
    try environment.fileSystem.status(layout.lastSync(remote, direction)).map { $0.modified / 1_000_000 }
  }

  // MARK: - Settings

  // Setting and trust are two files. Wherever a change is cut off between them, what is known of a remote stands under
  // the name that it has; what is left under another is forgotten when a remote gets that name.

  /// Takes up a remote, of which nothing is known yet.
  ///
  /// - Throws: `RunicError.remoteExists`, `.badRemoteName`.
  public func addRemote(_ setting: RemoteSetting) throws {
    try configured { try $0.add(setting) }
    try amendTrust { $0.remotes[setting.name] = nil }
    forgetSyncs(with: setting.name)
    try configure { try $0.add(setting) }
  }

  /// Forgets a remote, and what is known of it.
  ///
  /// - Throws: `RunicError.unknownRemote`.
  public func removeRemote(_ name: String) throws {
    try configured { try $0.removeRemote(name) }
    try amendTrust { $0.remotes[name] = nil }
    forgetSyncs(with: name)
    try configure { try $0.removeRemote(name) }
  }

  /// Gives a remote another name; what is known of it goes along.
  ///
  /// - Throws: `RunicError.unknownRemote`, `.remoteExists`, `.badRemoteName`.
  public func renameRemote(_ name: String, to other: String) throws {
    try configured { try $0.renameRemote(name, to: other) }
    try amendTrust { $0.remotes[other] = $0.remotes[name] }
    try configure { try $0.renameRemote(name, to: other) }
    try amendTrust { $0.remotes[name] = nil }
    for direction in Self.directions {
      try? environment.fileSystem.rename(
        layout.lastSync(name, direction), to: layout.lastSync(other, direction))
    }
  }

  /// Gives a remote another place, of which nothing is known yet.
  ///
  /// - Parameter isChecked: whether this repository was found there.
  /// - Throws: `RunicError.unknownRemote`.
  public func moveRemote(_ name: String, to url: String, isChecked: Bool) throws {
    let before = try configuration.remote(name).url
    if url != before {
      try amendTrust { $0.remotes[name]?.move() }
      forgetSyncs(with: name)
    }
    try configure { configuration in
      try configuration.setURL(url, ofRemote: name)
      if isChecked { configuration.note(repository: id.hex, ofRemote: name) }
    }
  }

  private static let directions = ["pull", "push"]

  private func forgetSyncs(with name: String) {
    for direction in Self.directions {
      environment.fileSystem.removeLeftover(layout.lastSync(name, direction))
    }
  }

  /// Tries a change of the settings before anything is written for its sake.
  private func configured(_ change: (inout Configuration) throws -> Void) throws {
    var trial = configuration
    try change(&trial)
  }
}

extension RemoteError {
  /// Whether the place is simply not there, as for a folder that nobody made yet.
  var isMissingPlace: Bool { reason == .unreachable && cause?.isMissing == true }
}

/// Where an address leads: of a folder that is there, which folder it is, whatever paths lead to it.
private enum RemotePlace: Equatable {
  case folder([UInt64])
  case rsync(RsyncAddress)
  /// Without slashes at its end.
  case address([UInt8])

  init(_ address: String, _ fileSystem: any FileSystem) {
    var name = Array(address.utf8)
    while name.last == UInt8(ascii: "/") { name.removeLast() }
    self = .address(name)
    if !name.starts(with: "rclone:".utf8), let address = RsyncAddress(address) {
      self = .rsync(address.shortest)
    }
    guard address.hasPrefix("/") || Repository.isPlainPath(address),
      let found = try? fileSystem.status(address),
      // What a link leads to, and not the link.
      let status = found.type == .symbolicLink ? try? fileSystem.status("\(address)/.") : found
    else { return }
    self = .folder(status.identity)
  }
}
