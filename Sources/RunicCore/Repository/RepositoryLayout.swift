import ObjectStore

/// Where things lie in a local repository (`docs/format.md`, "Private to a device").
public struct RepositoryLayout: Hashable, Sendable {
  /// The repository's own folder.
  public let root: String

  public init(root: String) { self.root = root }

  /// The repository that a path leads to: links are followed once, so that everything is done in one place.
  init(at path: String, in fileSystem: any FileSystem) throws(SystemError) {
    root = try fileSystem.resolved(path)
  }

  /// The shared tree's own copy.
  public var store: String { "\(root)/\(WorkingPlace.store)" }
  /// Which device this is, and of which repository.
  public var device: String { "\(root)/\(WorkingPlace.device)" }
  /// The repository's keys, where no command prints them.
  public var repositoryKey: String { "\(root)/repository.key" }
  /// Where the key file waits while a command that is to stand in for it is tried.
  public var formerKey: String { "\(root)/repository.key.former" }
  /// Remotes, settings, defaults of kinds, tracked files.
  public var configuration: String { "\(root)/config.json" }
  /// The newest verified commit of each device, and what each remote has shown.
  public var trust: String { "\(root)/trust" }
  /// The bases of three-way merges with outside sources.
  public var ledger: String { "\(root)/ledger" }
  /// Held while the ledger is read, compared and written: before the repository's own lock, never after it.
  public var ledgerLock: String { "\(root)/ledger.lock" }
  /// The state of all records: a folder that is made anew when it is gone.
  public var index: String { "\(root)/index" }
  /// What is never synced: a folder.
  public var local: String { "\(root)/local" }
  /// Records of this device alone.
  public var localRecords: String { "\(root)/local/records.jsonl" }
  /// The folder of the user's own programs that run around a sync.
  public var hooks: String { "\(root)/hooks" }
  /// Held by whoever writes.
  public var lock: String { "\(root)/lock" }
  /// Files in the making: a folder that the next writer clears.
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
