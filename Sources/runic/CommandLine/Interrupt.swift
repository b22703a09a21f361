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
    var previous = sigaction()
    guard sigaction(SIGINT, nil, &previous) == 0, !isIgnored(previous) else { return }
    var action = sigaction()
    setHandler(&action) { _ in Interrupt.received() }
    // No SA_RESTART: a read that waits returns, so that whoever deferred the interrupt sees it.
    action.sa_flags = 0
    _ = sigaction(SIGINT, &action, nil)
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

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #elseif canImport(Musl)
      let handler = action.__sa_handler.sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    // SIG_IGN is the address 1.
    return unsafeBitCast(handler, to: Int.self) == 1
  }

  private static func setHandler(
    _ action: inout sigaction, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #elseif canImport(Musl)
      action.__sa_handler.sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
  }
}

/// What the handler and the program share.
private final class InterruptState: Sendable {
  let requested = Atomic<Bool>(false)
  /// How many callers defer the interrupt.
  let depth = Atomic<Int>(0)
}
