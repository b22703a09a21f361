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
