import ObjectStore

extension FileSyncEngine {
  /// What a device calls the remote that it begins with.
  private static let firstRemote = "origin"

  /// Makes a new repository in a folder, and the shared tree at its remote where there is none yet.
  ///
  /// - Parameters:
  ///   - name: what people call this device; nil: the machine's name.
  ///   - remote: the address of a folder or server that the devices share; nil: none yet.
  ///   - passphrase: opens the shared tree on other devices; without one they need a copy of the key.
  /// - Throws: `SyncError`: `.damaged` where a repository is there already or a sync tool covers the place, `.wrongKey`
  ///   where another repository lies at the remote, and why the remote cannot be used: the repository is made then, and
  ///   knows its remote.
  public static func create(
    repository: String, name: String? = nil, remote: String? = nil, passphrase: String? = nil
  ) throws {
    try SyncError.of {
      let made = try Repository.create(
        at: repository, name: name, passphrase: passphrase.map(SecretBytes.init(utf8:)),
        environment: .embedded)
      guard let remote else { return }
      let setting = RemoteSetting(name: firstRemote, url: remote)
      try made.configure { try $0.add(setting) }
      _ = try made.prepareRemote(setting)
    }
  }

  /// Makes a new device of the repository that lies at a remote; a sync brings what is there.
  ///
  /// - Parameter name: what people call this device; nil: the machine's name.
  /// - Throws: `SyncError`: `.wrongKey`, `.damaged` where a repository is there already or a sync tool covers the
  ///   place, and why the remote cannot be used. Nothing has been written then.
  public static func clone(
    remote: String, repository: String, name: String? = nil, passphrase: String
  ) throws {
    try SyncError.of {
      _ = try Repository.clone(
        from: remote, named: firstRemote, to: repository, deviceName: name,
        unlock: .passphrase { SecretBytes(utf8: passphrase) }, environment: .embedded)
    }
  }

  /// Declares a kind of the app's own, for all devices; one that is declared already changes nothing.
  ///
  /// A declaration says how records merge and which field holds their ids. What a payload holds is the app's to check.
  ///
  /// - Returns: a failure where the name is none, or means a kind that merges otherwise, or a built-in one.
  @discardableResult
  public func declare(_ kind: Kind) async -> Result<Void, SyncError> {
    let declared = await result { try await self.records.run { try $0.declare(kind) } }
    if case .success(true) = declared { requestSync(.normal) }
    return declared.map { _ in () }
  }
}

extension SecretBytes {
  fileprivate init(utf8 text: String) {
    var bytes = Array(text.utf8)
    self.init(taking: &bytes)
  }
}
