import ObjectStore

/// Where things lie in a local repository (`docs/format.md`, "Private to a device").
public struct RepositoryLayout: Hashable, Sendable {
  public let root: String

  public init(root: String) { self.root = root }

  /// The repository that a path leads to: links are followed once, so that everything is done in one place.
  init(at path: String, in fileSystem: any FileSystem) throws(SystemError) {
    root = try fileSystem.resolved(path)
  }

  /// The shared tree's own copy.
  public var store: String { "\(root)/\(WorkingPlace.store)" }
  public var device: String { "\(root)/\(WorkingPlace.device)" }
  public var repositoryKey: String { "\(root)/repository.key" }
  public var configuration: String { "\(root)/config.json" }
  public var trust: String { "\(root)/trust" }
  public var ledger: String { "\(root)/ledger" }
  /// Held while the ledger is read, compared and written: before the repository's own lock, never after it.
  public var ledgerLock: String { "\(root)/ledger.lock" }
  public var index: String { "\(root)/index" }
  public var local: String { "\(root)/local" }
  public var localRecords: String { "\(root)/local/records.jsonl" }
  public var hooks: String { "\(root)/hooks" }
  public var lock: String { "\(root)/lock" }
  public var temporary: String { "\(root)/tmp" }
  /// Says, while it is there, that a writer was at work: what it left is then looked for.
  public var writing: String { "\(root)/tmp/writing" }
  /// Says, while it is there, that a join was at work beside the repository.
  public var joining: String { "\(root)/tmp/joining" }

  /// The private key of one identity. A device that goes on under a new identity keeps its old keys.
  public func deviceKey(_ device: String) -> String { "\(root)/device-\(device).key" }

  /// An empty file whose times say when a remote was last pulled from or pushed to.
  public func lastSync(_ remote: String, _ direction: String) -> String {
    "\(index)/\(direction)-\(remote)"
  }
}
