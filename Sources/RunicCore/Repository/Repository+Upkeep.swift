import CanonicalJSON
import ObjectStore

extension Repository {
  /// Refuses a place where no repository may be made, before anybody is asked for a passphrase.
  ///
  /// - Throws: `RunicError.repositoryExists`, `.coveredPlace`, `.sharedPlace`, `.occupiedPlace`.
  public static func refuseUnfitPlace(_ root: String, environment: Environment) throws {
    try refuse(RepositoryLayout(at: root, in: environment.fileSystem), environment)
  }

  /// Removes what processes that are gone left among the temporary files, as every writer does when it begins.
  ///
  /// - Throws: `LockTimeout`.
  public func removeLeftovers() throws {
    let lock = try lock()
    try withExtendedLifetime(lock) {
      try reloadDevice()
      try LocalCleaner(repository: self).removeLeftovers()
    }
  }

  /// Checks that this repository lies at a remote, and makes nothing there.
  ///
  /// - Throws: `RemoteError`, `RunicError.foreignRepository`.
  public func checkRemote(_ setting: RemoteSetting) throws { try checkMarker(of: try remote(setting)) }

  /// Says that what is missing of a device is no longer waited for, or that it is again.
  public func retire(_ device: DeviceID, _ isRetired: Bool = true) throws {
    try write { transaction in
      let patch =
        isRetired ? Patch(set: ["retired": true]) : Patch(unset: ["retired"])
      try transaction.patch(kind: .devices, id: Array(device.hex.utf8), patch)
    }
  }
}

extension Snapshot {
  /// The device that a person means: its whole name, or at least four digits of its id.
  ///
  /// - Throws: `RunicError.unknownDevice`, `.ambiguous` where several have that name.
  public func device(_ typed: String) throws -> DeviceView {
    try Self.device(typed, among: try devices(), name: \.name, id: \.id)
  }

  /// The one of some devices, in whatever form they come.
  static func device<Candidate>(
    _ typed: String, among devices: [Candidate], name: (Candidate) -> String, id: (Candidate) -> DeviceID
  ) throws(RunicError) -> Candidate {
    let named = devices.filter { name($0).utf8.elementsEqual(typed.utf8) }
    if named.count == 1, let device = named.first { return device }
    if named.count > 1 { throw .ambiguous(prefix: typed, candidates: named.map { id($0).hex }) }
    guard let device = try UniquePrefix.find(typed, in: devices, name: { id($0).hex }) else {
      throw .unknownDevice(typed, known: devices.map(name))
    }
    return device
  }
}

extension Configuration {
  /// What a setting is set to; nil where it is not set.
  ///
  /// - Throws: `RunicError.unknownConfiguration`, `.unknownRemote`.
  public func value(_ key: String) throws -> String? {
    var trial = self
    try trial.unset(key)
    return settings[key]
  }
}
