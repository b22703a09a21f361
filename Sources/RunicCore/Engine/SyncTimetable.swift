/// When a background manager syncs: a pure function of what happened and when. Times are milliseconds since 1970.
package struct SyncTimetable: Equatable, Sendable {
  /// How long after becoming active it reads again, where no change has come by then.
  package static let secondLook: Int64 = 8000

  package private(set) var configuration: SyncConfiguration
  package private(set) var isActive = true
  package private(set) var isRunning = false
  private var lastBegin: Int64?
  private var regular: Int64?
  private var again: Int64?

  package init(_ configuration: SyncConfiguration) { self.configuration = configuration }

  /// When the next sync is due; nil: none is.
  package var due: Int64? {
    guard isRunning else { return nil }
    return [regular, again].compactMap(\.self).min()
  }

  /// The first sync is due at once.
  package mutating func start(at now: Int64) {
    guard !isRunning else { return }
    (isRunning, regular) = (true, now)
  }

  package mutating func stop() { (isRunning, regular, again) = (false, nil, nil) }

  package mutating func syncBegan(at now: Int64) {
    lastBegin = now
    regular = now &+ configuration.interval(isActive: isActive)
    if let time = again, time <= now { again = nil }
  }

  package mutating func becomeActive(at now: Int64) {
    isActive = true
    plan(at: now, syncsNow: configuration.syncOnForeground)
    again = now &+ Self.secondLook
  }

  package mutating func enterBackground(at now: Int64) {
    isActive = false
    plan(at: now, syncsNow: configuration.syncOnBackground)
    again = nil
  }

  package mutating func remoteChangeCame() { again = nil }

  package mutating func update(_ configuration: SyncConfiguration, at now: Int64) {
    self.configuration = configuration
    plan(at: now, syncsNow: false)
  }

  private mutating func plan(at now: Int64, syncsNow: Bool) {
    guard syncsNow == false else { return regular = now }
    // A first sync that is due stays due.
    guard let lastBegin else { return }
    regular = max(now, lastBegin &+ configuration.interval(isActive: isActive))
  }
}
