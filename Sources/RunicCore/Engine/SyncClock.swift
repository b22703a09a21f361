import ObjectStore

/// The time of an engine: passed in, so that a day of it passes in a test in no time.
package struct SyncClock: Sendable {
  /// Milliseconds since 1970, UTC.
  package let now: @Sendable () -> Int64
  /// Waits for so many milliseconds, without holding a thread.
  package let sleep: @Sendable (Int64) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Int64, sleep: @escaping @Sendable (Int64) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  package static let system = SyncClock(
    now: Clock.system.now, sleep: { try await Task.sleep(for: .milliseconds(max(0, $0))) })
}
