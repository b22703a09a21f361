import ObjectStore

/// The time of an engine: passed in, so that a day of it passes in a test in no time.
package struct SyncClock: Sendable {
  /// Milliseconds since 1970, UTC.
  package let now: @Sendable () -> Int64
  /// Milliseconds that nobody sets: how long something took.
  package let ticks: @Sendable () -> Int64
  /// Waits for so many milliseconds, without holding a thread.
  package let sleep: @Sendable (Int64) async throws -> Void

  /// - Parameter ticks: nil: the wall clock, where a test's time is all one.
  package init(
    now: @escaping @Sendable () -> Int64, ticks: (@Sendable () -> Int64)? = nil,
    sleep: @escaping @Sendable (Int64) async throws -> Void
  ) {
    self.now = now
    self.ticks = ticks ?? now
    self.sleep = sleep
  }

  /// How long ago some ticks were, in seconds.
  func seconds(since begin: Int64) -> Double { Double(max(0, ticks() &- begin)) / 1000 }

  package static let system = SyncClock(
    now: Clock.system.now, ticks: Clock.system.ticks,
    sleep: { try await Task.sleep(for: .milliseconds(max(0, $0))) })
}
