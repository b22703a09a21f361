import ObjectStore

/// How the syncs of a device or of an app went: a value that grows by `recording(succeeded:duration:at:)`.
///
/// Durations are in seconds. Nothing here reads a clock, apart from ``summary``.
public struct SyncStatistics: Hashable, Sendable {
  /// Syncs that ended, whichever way.
  public private(set) var totalSyncs = 0
  public private(set) var successfulSyncs = 0
  /// Of the syncs that succeeded, in seconds: how long a failure waited says nothing of a sync.
  public private(set) var totalDuration: Double = 0
  /// When a sync last succeeded; nil where none did.
  public private(set) var lastSyncDate: Timestamp?

  public init() {}

  /// Statistics as they were kept.
  ///
  /// Counts below zero count as none, and no more syncs succeed than were made.
  public init(
    totalSyncs: Int, successfulSyncs: Int, totalDuration: Double, lastSyncDate: Timestamp? = nil
  ) {
    self.totalSyncs = max(0, totalSyncs)
    self.successfulSyncs = min(max(0, successfulSyncs), self.totalSyncs)
    self.totalDuration = totalDuration.isFinite ? max(0, totalDuration) : 0
    self.lastSyncDate = lastSyncDate
  }

  public var failedSyncs: Int { totalSyncs - successfulSyncs }

  /// Of the syncs that succeeded, in seconds; 0 where none did.
  public var averageDuration: Double {
    successfulSyncs == 0 ? 0 : totalDuration / Double(successfulSyncs)
  }

  /// Of a hundred syncs, how many succeeded: 0 to 100; 0 where none was made.
  public var successRate: Double {
    totalSyncs == 0 ? 0 : Double(successfulSyncs) / Double(totalSyncs) * 100
  }

  /// The statistics with one more sync.
  ///
  /// - Parameters:
  ///   - duration: seconds; less than zero, as after the clock was set back, counts as none.
  ///   - time: when it ended.
  public func recording(succeeded: Bool, duration: Double, at time: Timestamp) -> SyncStatistics {
    SyncStatistics(
      totalSyncs: totalSyncs == .max ? totalSyncs : totalSyncs + 1,
      successfulSyncs: succeeded && successfulSyncs < .max ? successfulSyncs + 1 : successfulSyncs,
      totalDuration: succeeded && duration.isFinite ? totalDuration + max(0, duration) : totalDuration,
      lastSyncDate: succeeded ? time : lastSyncDate)
  }
}

// MARK: - Words

extension SyncStatistics {
  /// What `summary(now:)` says by the machine's clock.
  public var summary: String { summary(now: Timestamp(milliseconds: Clock.system.now())) }

  /// Six lines for people (`docs/library.md`, "What it prints"):
  ///
  ///     Sync Statistics:
  ///      Total syncs: 42
  ///      Successful: 40 (95.2%)
  ///      Failed: 2
  ///      Average duration: 1.23s
  ///      Last sync: 2 minutes ago
  public func summary(now: Timestamp?) -> String {
    """
    Sync Statistics:
     Total syncs: \(totalSyncs)
     Successful: \(successfulSyncs) (\(Self.decimal(successRate, digits: 1))%)
     Failed: \(failedSyncs)
     Average duration: \(Self.decimal(averageDuration, digits: 2))s
     Last sync: \(lastSync(now: now))
    """
  }

  private func lastSync(now: Timestamp?) -> String {
    guard let lastSyncDate else { return "never" }
    guard let now, now > lastSyncDate else { return "just now" }
    return Self.age(now.seconds - lastSyncDate.seconds)
  }

  private static func age(_ seconds: Int64) -> String {
    let units: [(name: String, seconds: Int64)] = [
      ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]
    guard let unit = units.first(where: { seconds >= $0.seconds }) else { return "just now" }
    let count = seconds / unit.seconds
    return "\(count) \(unit.name)\(count == 1 ? "" : "s") ago"
  }

  /// A number that is not below zero, rounded to so many digits after the point.
  private static func decimal(_ value: Double, digits: Int) -> String {
    let scale = digits == 1 ? 10 : 100
    let rounded = Int64(exactly: (min(value, 1e12) * Double(scale)).rounded()) ?? 0
    let (whole, rest) = rounded.quotientAndRemainder(dividingBy: Int64(scale))
    let fraction = "\(rest)"
    return "\(whole).\(String(repeating: "0", count: max(0, digits - fraction.utf8.count)))\(fraction)"
  }
}
