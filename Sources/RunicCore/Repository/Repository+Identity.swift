import ObjectStore

extension Repository {
  /// Reads `device.json` again: another process may have found that this device is a clone.
  func reloadDevice() throws {
    guard let json = try files.readObject(layout.device), let stored = DeviceFile(json: json) else {
      throw RunicError.badPrivateFile(path: layout.device)
    }
    guard stored != device else { return reloadKeys() }
    // A `join` has put another repository in this one's place: these keys are not its keys.
    guard stored.repository == device.repository else {
      throw RunicError.foreignRepository(here: device.repository, there: stored.repository)
    }
    device = stored
    reloadKeys()
    identity = try Self.identity(of: stored, files: files)
  }

  /// Makes a key this device's, and its old identity one of the former ones. The key's file comes first, so
  /// that a crash leaves either identity whole.
  func adopt(_ key: SigningKey) throws {
    let id = key.publicKey.deviceID
    try files.writeSecret(key.seed, to: layout.deviceKey(id.hex))
    var next = device
    next.formerly.append(device.device)
    next.device = id
    try files.writeObject(next.json, to: layout.device)
    device = next
    identity = DeviceIdentity(key: key, name: next.name, platform: Machine.platform)
  }

  /// Gives the device another name. Others see it with the next head.
  public func rename(to name: String) throws {
    try write { transaction in
      var next = device
      next.name = name
      guard next != device else { return }
      try files.writeObject(next.json, to: layout.device)
      device = next
      identity = DeviceIdentity(key: identity.key, name: name, platform: identity.platform)
      transaction.useIdentity()
      try transaction.appendEmptyCommit()
    }
  }
}
