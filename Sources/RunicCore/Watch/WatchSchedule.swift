/// When `watch` does what: a pure function of what happened and of the time that is passed in. Milliseconds.
///
/// It is told of the time, of changes and of how syncs ended; `due()` answers what is to be done now, and `wait()` how
/// long nothing is. Each remote has a time of its own; one that is away keeps no other waiting.
public struct WatchSchedule: Equatable, Sendable {
  /// How often, in milliseconds.
  public struct Intervals: Equatable, Sendable {
    public var active: Int64
    public var background: Int64
    /// Between two looks at the folders.
    public var poll: Int64 = 25_000

    /// As the settings say.
    public init(_ configuration: Configuration = Configuration()) {
      active = Int64(configuration.seconds(.watchActive)) * 1000
      background = Int64(configuration.seconds(.watchBackground)) * 1000
    }
  }

  public enum Task: Hashable, Sendable {
    /// Look at all folders and files: nobody may have told of what happened there.
    case poll
    /// Take the edits of tracked files.
    case capture
    /// Collect usage.
    case collect
    /// Bring a remote and this device together.
    case sync(String)
  }

  private struct RemoteTime: Equatable {
    var due: Int64
    /// Failures in a row.
    var failures = 0
  }

  /// Edits of a file within this time of the first become one commit.
  public static let editWindow: Int64 = 1000
  /// Records that are stored within this time of the first travel together.
  public static let recordWindow: Int64 = 200
  /// For how long after a change the interval is the active one.
  public static let activeTime: Int64 = 600_000
  /// The pause after the first failure; it doubles with each, up to the longest.
  public static let firstPause: Int64 = 30_000
  public static let longestPause: Int64 = 1_800_000
  /// A step of the clock, beyond what was waited for, that tells of a sleep.
  static let sleepStep: Int64 = 60_000

  public var intervals: Intervals {
    didSet { if intervals != oldValue { shorten() } }
  }
  /// How often usage is collected; nil: never.
  public var collects: Int64? {
    didSet { if collects != oldValue { collectDue = collects.map { now &+ $0 } } }
  }
  private var remotes: [String: RemoteTime] = [:]
  private var pollDue: Int64
  private var captureDue: Int64?
  private var collectDue: Int64?
  private var lastChange: Int64
  private var now: Int64
  /// When it was last said how long to wait, and until when.
  private var waitsUntil: Int64

  /// - Parameter now: milliseconds since 1970. All remotes are due at once.
  public init(remotes names: [String], intervals: Intervals = Intervals(), now: Int64) {
    self.intervals = intervals
    self.now = now
    (pollDue, lastChange, waitsUntil) = (now &+ intervals.poll, now, now)
    follow(names)
  }

  /// Knows these remotes and no others; new ones are due at once.
  public mutating func follow(_ names: [String]) {
    remotes = Dictionary(uniqueKeysWithValues: Set(names).map { ($0, remotes[$0] ?? RemoteTime(due: now)) })
  }

  public var isActive: Bool { now &- lastChange < Self.activeTime }
  private var interval: Int64 { isActive ? intervals.active : intervals.background }

  // MARK: - What happened

  /// Takes note of the time.
  ///
  /// - Returns: how long the machine slept, or its clock was set ahead; nil where it did not.
  @discardableResult
  public mutating func advance(to time: Int64) -> Int64? {
    let step = time &- now
    defer { now = time }
    if step < 0 {
      // The clock was set back: what was due stays as far off as it was.
      shift(by: step)
      return nil
    }
    let slept = time &- max(waitsUntil, now)
    guard slept > Self.sleepStep else { return nil }
    now = time
    for name in remotes.keys { remotes[name] = RemoteTime(due: time) }
    pollDue = time
    if collects != nil { collectDue = time }
    return slept
  }

  private mutating func shift(by step: Int64) {
    for name in remotes.keys { remotes[name]?.due &+= step }
    pollDue &+= step
    captureDue = captureDue.map { $0 &+ step }
    collectDue = collectDue.map { $0 &+ step }
    lastChange &+= step
    waitsUntil &+= step
  }

  /// A tracked file changed.
  public mutating func fileChanged() {
    lastChange = now
    if captureDue == nil { captureDue = now &+ Self.editWindow }
  }

  /// Something was recorded on this device: every remote that is not away is due soon.
  public mutating func recordsChanged() {
    lastChange = now
    for (name, remote) in remotes where remote.failures == 0 {
      let due = min(remote.due, now &+ Self.recordWindow)
      remotes[name]?.due = due
    }
  }

  /// A remote shows other heads than it did: it is due at once, and, if it was away, it is back.
  public mutating func remoteChanged(_ name: String) {
    lastChange = now
    hasReturned(name)
  }

  /// A remote that was away can be reached again.
  public mutating func hasReturned(_ name: String) {
    if remotes[name] != nil { remotes[name] = RemoteTime(due: now) }
  }

  /// A sync ended. After a failure the pause doubles each time, between half of it and all of it by chance, so that
  /// machines that lost one remote together do not come back together.
  ///
  /// - Parameters:
  ///   - moved: whether anything went or came.
  ///   - chance: from 0 to 1.
  /// - Returns: milliseconds until the next try, after a failure.
  @discardableResult
  public mutating func ended(_ name: String, succeeded: Bool, moved: Bool = false, chance: Double = 1)
    -> Int64?
  {
    guard var remote = remotes[name] else { return nil }
    defer { remotes[name] = remote }
    if moved { lastChange = now }
    guard !succeeded else {
      remote = RemoteTime(due: now &+ interval)
      return nil
    }
    let pause = min(Self.firstPause << min(remote.failures, 16), Self.longestPause)
    let jittered = pause / 2 &+ Int64(Double(pause / 2) * (chance > 0 ? min(chance, 1) : 0))
    remote = RemoteTime(due: now &+ jittered, failures: remote.failures &+ 1)
    return jittered
  }

  /// Nothing is due later than the intervals now say.
  private mutating func shorten() {
    for (name, remote) in remotes where remote.failures == 0 {
      let due = min(remote.due, now &+ interval)
      remotes[name]?.due = due
    }
    pollDue = min(pollDue, now &+ intervals.poll)
  }

  // MARK: - What is to be done

  /// What is due now, in the order in which it is to be done. Each is answered once: a remote is due again after
  /// `ended`.
  public mutating func due() -> [Task] {
    var tasks: [Task] = []
    if pollDue <= now {
      tasks.append(.poll)
      pollDue = now &+ intervals.poll
    }
    if let due = captureDue, due <= now {
      tasks.append(.capture)
      captureDue = nil
    }
    if let due = collectDue, due <= now {
      tasks.append(.collect)
      collectDue = collects.map { now &+ $0 }
    }
    for (name, remote) in remotes.sorted(by: { $0.key < $1.key }) where remote.due <= now {
      tasks.append(.sync(name))
      let next = now &+ interval
      remotes[name]?.due = next
    }
    return tasks
  }

  /// How long nothing is due: at most until the next look.
  public mutating func wait() -> Int64 {
    let times = [pollDue, captureDue ?? .max, collectDue ?? .max] + remotes.values.map(\.due)
    let next = times.min() ?? pollDue
    waitsUntil = max(now, next)
    return waitsUntil &- now
  }
}
