import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What SIGINT (Ctrl-C) does: it ends the run with status 130, at once or where the command can stop.
///
/// A crash at any instant loses nothing, and an interrupt is no worse. Only what has to put something back, or
/// stops between two rounds of an endless loop, defers it.
enum Interrupt {
  private static let state = InterruptState()

  /// Installs the handler, unless the signal is ignored (as `nohup` and background jobs do).
  static func install() {
    // The handler may only touch what is already made: this makes it.
    state.requested.store(false, ordering: .relaxed)
    guard !SignalAction.isIgnored(SIGINT) else { return }
    SignalAction.handle(SIGINT) { _ in Interrupt.received() }
  }

  /// Whether an interrupt came while it was deferred.
  static var isRequested: Bool { state.requested.load(ordering: .relaxed) }

  /// Throws where an interrupt came while it was deferred.
  static func check() throws(CommandFailure) {
    if isRequested { throw .interrupted }
  }

  /// Runs `body` with interrupts deferred: it asks `isRequested` now and then. A second interrupt ends the run.
  static func deferred<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.depth.add(1, ordering: .relaxed)
    defer { state.depth.subtract(1, ordering: .relaxed) }
    return try body()
  }

  /// Runs in the signal handler: atomics and `_exit` are all that it may touch.
  private static func received() {
    let isFirst = !state.requested.exchange(true, ordering: .relaxed)
    if isFirst && state.depth.load(ordering: .relaxed) > 0 { return }
    _exit(ExitStatus.interrupted.rawValue)
  }
}

/// What the handler and the program share.
private final class InterruptState: Sendable {
  let requested = Atomic<Bool>(false)
  /// How many callers defer the interrupt.
  let depth = Atomic<Int>(0)
}
