/// What a sync does about concurrent edits of one key (`docs/merge.md`, "Resolutions and strategies").
public enum ConflictResolutionStrategy: String, Hashable, Sendable, CaseIterable {
  /// The latest write shows; the other values stay listed as conflicts. Nothing is written.
  case lastWriteWins
  /// What this device wrote stands.
  case preferLocal
  /// What others wrote stands.
  case preferRemote
  /// Nothing is written; each conflict waits for a person, and the result says so.
  case manual
  /// The merge handler of the record's type decides; without one as `lastWriteWins`.
  case merge

  /// What the merge itself is told: handlers run after it, when no lock is held.
  var mergeStrategy: MergeStrategy {
    switch self {
    case .lastWriteWins, .merge: .lastWriterWins
    case .preferLocal: .preferLocal
    case .preferRemote: .preferRemote
    case .manual: .manual
    }
  }
}

/// How one sync is done.
public struct SyncOptions: Hashable, Sendable {
  public var conflictStrategy: ConflictResolutionStrategy
  /// Whether a failure that may pass is tried again, after 2, 4 and 8 seconds.
  public var retries: Bool

  public init(conflictStrategy: ConflictResolutionStrategy = .lastWriteWins, retries: Bool = true) {
    self.conflictStrategy = conflictStrategy
    self.retries = retries
  }
}

/// How soon a sync runs after something was enqueued. Never whether it is kept.
public enum SyncPriority: Int, Hashable, Comparable, Sendable, CaseIterable {
  case low, normal, high, critical

  public static func < (a: SyncPriority, b: SyncPriority) -> Bool { a.rawValue < b.rawValue }

  /// Milliseconds that it may wait for more to go with it: 60 s, 10 s, 1 s, none.
  package var delay: Int64 {
    switch self {
    case .low: 60_000
    case .normal: 10_000
    case .high: 1000
    case .critical: 0
    }
  }
}
