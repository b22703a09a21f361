/// When a background manager syncs. Intervals are in seconds; one below a second counts as a second.
public struct SyncConfiguration: Hashable, Sendable {
  /// Between two syncs while the app is active.
  public var activeSyncInterval: Double
  /// Between two syncs while it is in the background.
  public var backgroundSyncInterval: Double
  /// Whether becoming active syncs at once.
  public var syncOnForeground: Bool
  /// Whether going to the background syncs at once.
  public var syncOnBackground: Bool

  public init(
    activeSyncInterval: Double = 300, backgroundSyncInterval: Double = 3600, syncOnForeground: Bool = true,
    syncOnBackground: Bool = true
  ) {
    self.activeSyncInterval = activeSyncInterval
    self.backgroundSyncInterval = backgroundSyncInterval
    self.syncOnForeground = syncOnForeground
    self.syncOnBackground = syncOnBackground
  }

  public static let `default` = SyncConfiguration()

  /// Seconds: thirty years, so that no sum of times overflows.
  private static let longestInterval = 1e9

  /// Milliseconds.
  func interval(isActive: Bool) -> Int64 {
    let seconds = isActive ? activeSyncInterval : backgroundSyncInterval
    let bounded = seconds.isFinite ? min(max(1, seconds), Self.longestInterval) : Self.longestInterval
    return Int64(bounded * 1000)
  }
}
