import CanonicalJSON

/// What the last syncs did and what became of conflicts: a small file of this device's, bounded, and safe to
/// lose. A pure value: whoever keeps it passes the time in.
public struct SyncHistory: Equatable, Sendable {
  /// One sync with one remote.
  public struct Sync: Equatable, Sendable {
    /// When it ended, in milliseconds since 1970.
    public var time: Int64
    public var remote: String
    /// `pull`, `push`, `sync` or `watch`.
    public var operation: String
    /// Seconds.
    public var duration: Double
    /// Changes, files and bytes that went to the remote, and that came from it.
    public var sent = Traffic()
    public var received = Traffic()
    public var retries = 0
    /// Conflicts that were open after it.
    public var conflicts = 0
    /// Conflicts that its strategy settled at once.
    public var settled = 0
    /// Why it failed, in one word; nil where it did not.
    public var failure: String?

    public init(time: Int64, remote: String, operation: String, duration: Double) {
      (self.time, self.remote, self.operation) = (time, remote, operation)
      self.duration = duration.isFinite ? max(0, duration) : 0
    }
  }

  /// What went one way.
  public struct Traffic: Equatable, Sendable {
    public var changes: Int64 = 0
    public var files: Int64 = 0
    public var bytes: Int64 = 0

    public init(changes: Int64 = 0, files: Int64 = 0, bytes: Int64 = 0) {
      (self.changes, self.files, self.bytes) = (changes, files, bytes)
    }
  }

  /// Syncs, and conflicts, that are remembered.
  public static let limit = 200
  /// Syncs that tell whether a remote is slow, and the seconds from which on it is.
  static let judged = 10
  static let slow: Double = 5

  public internal(set) var statistics = SyncStatistics()
  /// The newest last.
  public internal(set) var syncs: [Sync] = []
  /// Those that were met first come first.
  public internal(set) var conflicts: [MetConflict] = []

  public init() {}

  public mutating func note(_ sync: Sync) {
    syncs = (syncs + [sync]).suffix(Self.limit)
    if let time = Timestamp(milliseconds: sync.time) {
      statistics = statistics.recording(
        succeeded: sync.failure == nil, duration: sync.duration, at: time)
    }
  }

  /// The seconds that the last ten syncs with a remote took on average, where that is more than five. Those that
  /// failed do not count: how long a failure waited says nothing of the remote.
  public func slowness(of remote: String) -> Double? {
    let last = syncs.filter { $0.remote == remote && $0.failure == nil }.suffix(Self.judged)
    guard last.count == Self.judged else { return nil }
    let average = last.reduce(0) { $0 + $1.duration } / Double(Self.judged)
    return average > Self.slow ? average : nil
  }
}
