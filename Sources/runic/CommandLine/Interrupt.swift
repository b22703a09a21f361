import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What SIGINT (Ctrl-C), SIGTERM and SIGHUP do: they end the run, at once or where the command can stop. After SIGINT
/// the status is 130; of the others the process dies, as whoever sent them expects.
///
/// A crash at any instant loses nothing, and an interrupt is no worse. Only what has to put something back, or has
/// started programs that would go on alone, or stops between two rounds of an endless loop, defers it.
enum Interrupt {
  private static let state = InterruptState()

  /// Installs the handler, but for signals that are ignored (as `nohup` and background jobs do).
  static func install() {
    // The handler may only touch what is already made: this makes it.
    state.signal.store(0, ordering: .relaxed)
    for signal in [SIGINT, SIGTERM, SIGHUP] where !SignalAction.isIgnored(signal) {
      SignalAction.handle(signal) { Interrupt.received($0) }
    }
  }

  /// Whether an interrupt came while it was deferred.
  static var isRequested: Bool { state.signal.load(ordering: .relaxed) != 0 }

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

  /// Dies of the signal that was deferred, where that is not SIGINT, which has a status.
  static func dieOfSignal() {
    let signal = state.signal.load(ordering: .relaxed)
    if signal != 0, signal != SIGINT { SignalAction.die(of: signal) }
  }

  /// Runs in the signal handler: atomics, sigaction(2), raise(3) and `_exit` are all that it may touch.
  private static func received(_ signal: Int32) {
    let isFirst = state.signal.exchange(signal, ordering: .relaxed) == 0
    if isFirst && state.depth.load(ordering: .relaxed) > 0 { return }
    if signal == SIGINT { _exit(ExitStatus.interrupted.rawValue) }
    SignalAction.die(of: signal)
  }
}

/// What the handler and the program share.
private final class InterruptState: Sendable {
  /// The newest that came; 0 where none did.
  let signal = Atomic<Int32>(0)
  /// How many callers defer the interrupt.
  let depth = Atomic<Int>(0)
}
