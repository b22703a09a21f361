import ObjectStore

/// What one sync did.
public struct SyncResult: Hashable, Sendable {
  /// Changes that went to the remote, and that came from it.
  public var pushedCount: Int
  public var fetchedCount: Int
  /// Conflicts that the strategy or a handler settled.
  public var conflictsResolved: Int
  /// Records that others deleted.
  public var deletedCount: Int
  public var completedAt: Timestamp?
  /// Seconds.
  public var duration: Double
  /// For people, a line each.
  public var warnings: [String]
  /// Conflicts that are open after it.
  public var openConflicts: Int

  public init(
    pushedCount: Int = 0, fetchedCount: Int = 0, conflictsResolved: Int = 0, deletedCount: Int = 0,
    completedAt: Timestamp? = nil, duration: Double = 0, warnings: [String] = [], openConflicts: Int = 0
  ) {
    self.pushedCount = pushedCount
    self.fetchedCount = fetchedCount
    self.conflictsResolved = conflictsResolved
    self.deletedCount = deletedCount
    self.completedAt = completedAt
    self.duration = duration
    self.warnings = warnings
    self.openConflicts = openConflicts
  }
}

extension SyncWarning {
  /// One line for the people of an app.
  var line: String {
    switch self {
    case .rolledBack(_, let name, let from, let to, _):
      "the remote was rolled back: of '\(name)' it shows \(to), and showed \(from)"
    case .forked(_, let name): "the log of '\(name)' has two branches: it was cloned or restored"
    case .newIdentity(_, let now): "this device was cloned or restored and goes on as \(now.hex)"
    case .damaged(let file): "'\(file)' is damaged"
    case .farAhead(_, let name, _): "the clock of '\(name)' is more than a day ahead"
    case .unreadable(_, let name, let object): "commits of '\(name)' cannot be read ('\(object)')"
    case .slow(let remote, _): "'\(remote)' is slow"
    case .waitingKeys(let path, let count): "'\(path)' differs from its record in \(count) keys"
    }
  }
}
