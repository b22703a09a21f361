import CanonicalJSON
import ObjectStore
import RunicCore

/// A time that only tests move.
public final class ManualClock: @unchecked Sendable {
  // Guarded by being used from one test's task only.
  public var milliseconds: Int64

  public init(_ milliseconds: Int64 = 1_790_000_000_000) { self.milliseconds = milliseconds }

  public var clock: Clock {
    Clock(now: { self.milliseconds }, sleep: { self.milliseconds += $0 })
  }
}

/// Devices and a shared folder on one file system of the test's own.
public struct Workbench {
  public let fileSystem: any FileSystem
  public let clock = ManualClock()
  public let random: RandomSource
  public let root: String

  public init(_ fileSystem: any FileSystem = MemoryFileSystem(), seed: UInt64 = 1, root: String = "/w") throws
  {
    self.fileSystem = fileSystem
    self.root = root
    random = .seeded(seed)
    try fileSystem.makeDirectories(root, permissions: 0o700)
  }

  public var environment: Environment {
    Environment(fileSystem: fileSystem, clock: clock.clock, random: random, lockWait: 1000)
  }

  public func path(_ name: String) -> String { "\(root)/\(name)" }

  /// A new repository with the folder `shared` as its remote.
  public func begin(_ name: String, remote: String = "shared") throws -> Repository {
    let repository = try Repository.create(
      at: path(name), name: name, passphrase: nil, environment: environment)
    try attach(remote, to: repository)
    return repository
  }

  public func attach(_ remote: String, to repository: Repository) throws {
    let setting = RemoteSetting(name: remote, url: path(remote))
    try repository.configure { try $0.add(setting) }
    _ = try repository.prepareRemote(setting)
  }

  /// A new device of the repository that lies in a shared folder.
  public func join(_ name: String, of first: Repository, remote: String = "shared") throws -> Repository {
    try Repository.clone(
      from: path(remote), named: remote, to: path(name), deviceName: name,
      unlock: .key(first.repositoryKeys.newest.root, first.id), environment: environment)
  }
}

extension Repository {
  /// Sets keys of the preferences.
  @discardableResult
  public func prefer(_ values: [String: JSONValue], unset: [String] = []) throws -> Bool {
    let set = Dictionary(uniqueKeysWithValues: values.map { (JSONString($0.key), $0.value) })
    return try write {
      try $0.patch(
        kind: .preferences, id: Array("user-preferences".utf8),
        Patch(set: set, unset: Set(unset.map { JSONString($0) })))
    }
  }

  /// Records a reading.
  @discardableResult
  public func use(_ provider: String, _ amount: Int64) throws -> Bool {
    let payload: JSONObject = [
      "primaryUsed": .integer(amount), "providerID": .string(JSONString(provider)),
    ]
    let bytes = payload.canonicalBytes
    var fingerprinter = Fingerprinter()
    let id = try Kind.usage.naturalID(of: bytes[...], using: &fingerprinter)
    return try write { try $0.add(kind: .usage, id: id, payload: bytes[...]) }
  }

  /// What the preferences show.
  public var preferences: JSONObject? {
    get throws {
      let name = RecordName(family: .keys, kind: "preferences", id: Array("user-preferences".utf8))
      return try read { try $0.record(name)?.object }
    }
  }

  public var usageCount: Int {
    get throws {
      var count = 0
      try read { snapshot in
        try snapshot.forEachRecord(of: "usage", .history) { _ in
          count += 1
          return true
        }
      }
      return count
    }
  }
}
