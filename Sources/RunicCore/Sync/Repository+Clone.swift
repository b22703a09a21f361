import ObjectStore

/// What opens a repository that lies at a remote.
public enum Unlock {
  /// Asked for only once there is a slot that a passphrase can open.
  case passphrase(() throws -> SecretBytes)
  /// From `key export`.
  case keys([SecretBytes], RepositoryID)

  public static func key(_ key: SecretBytes, _ repository: RepositoryID) -> Unlock {
    .keys([key], repository)
  }

  /// The ids of the keys given that are not among those held; none where a passphrase is to be asked for.
  func keysNotHeld(by keys: RepositoryKeys) throws -> [KeyID] {
    guard case .keys(let roots, _) = self else { return [] }
    return try roots.map { try RepositoryKey(root: $0, number: 1, repository: keys.repository).id }
      .filter { keys[$0] == nil }
  }
}

extension Repository {
  /// Makes a new device of the repository that lies at a remote, and pulls.
  ///
  /// Nothing is written anywhere before the key has been found to be the right one.
  ///
  /// - Throws: `RunicError.wrongKey`, `.noUsableSlot`, `.keyFileAbsent`, `.foreignRepository` where the key is of another
  ///   repository; what `refuseUnfitPlace` throws.
  public static func clone(
    from url: String, named name: String, to root: String, deviceName: String?, unlock: Unlock,
    environment: Environment
  ) throws -> Repository {
    try refuseUnfitPlace(root, environment: environment)
    let source = try CloneSource(url, unlock: unlock, environment: environment)
    return try source.makeDevice(named: deviceName, at: root, remote: name, environment: environment)
  }
}

/// A repository at a remote, opened with its key: nothing has been written anywhere yet.
struct CloneSource {
  private let url: String
  private let keys: RepositoryKeys
  private let marker: Marker
  private let keyFiles: [TreeName: [UInt8]]

  /// - Throws: `RunicError.wrongKey`, `.noUsableSlot`, `.foreignRepository`, `.newerFormat`, `RemoteError`.
  init(_ url: String, unlock: Unlock, environment: Environment) throws {
    self.url = url
    let stranger = SigningKey.generate(from: environment.random).publicKey.deviceID
    let remote = try Repository.remote(at: url, device: stranger, environment: environment)
    marker = try Marker.read(ofRemote: try remote.marker())
    let folder = KeyFolder(try remote.keys(), marker: marker)
    keys = try folder.open(unlock, marker: marker)
    keyFiles = folder.bytes
  }

  /// Makes a new device of the repository, with nothing but marker and slots.
  func makeDevice(
    named deviceName: String?, at root: String, remote name: String, environment: Environment
  ) throws -> Repository {
    var configuration = Configuration()
    try configuration.add(RemoteSetting(name: name, url: url, repository: marker.repository.hex))
    return try Repository.establish(
      at: root, deviceName: deviceName, keys: keys, marker: marker, keyFiles: keyFiles,
      configuration: configuration, environment: environment)
  }
}

extension Marker {
  /// Reads the marker of a remote.
  ///
  /// - Throws: `RunicError.newerFormat`, `DamagedFile`.
  static func read(ofRemote bytes: [UInt8]) throws -> Marker {
    do throws(FormatError) { return try Marker(decoding: bytes) } catch {
      if case .newerFormat(let version) = error {
        throw RunicError.newerFormat(name: TreeName.marker.path, version: version)
      }
      throw DamagedFile(.marker, error)
    }
  }
}
