import RunicCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The signals that a command which runs on and on obeys: SIGTERM and SIGINT end it, SIGHUP has it read its
/// configuration again. Each writes a byte to a pipe, so that a wait ends at once.
enum Termination {
  private static let state = TerminationState()

  /// Installs the handlers, and answers the end of the pipe to wait at; nil where no pipe can be had.
  static func install() -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    state.writer.store(ends[1], ordering: .relaxed)
    SignalAction.handle(SIGTERM) { _ in Termination.received(.stop) }
    SignalAction.handle(SIGHUP) { _ in Termination.received(.reread) }
    return ends[0]
  }

  /// Whether an end was asked for, by SIGTERM or Ctrl-C.
  static var isRequested: Bool { state.stops.load(ordering: .relaxed) || Interrupt.isRequested }

  /// What was asked for since this was last asked. An end is asked for once and for all.
  static func next() -> WatchCall? {
    if isRequested { return .stop }
    return state.rereads.exchange(false, ordering: .relaxed) ? .reread : nil
  }

  /// Runs in the signal handler: atomics and write(2) are all that it may touch.
  private static func received(_ call: WatchCall) {
    switch call {
    case .stop: state.stops.store(true, ordering: .relaxed)
    case .reread: state.rereads.store(true, ordering: .relaxed)
    }
    var byte: UInt8 = 1
    _ = write(state.writer.load(ordering: .relaxed), &byte, 1)
  }
}

/// What the handlers and the program share.
private final class TerminationState: Sendable {
  let stops = Atomic<Bool>(false)
  let rereads = Atomic<Bool>(false)
  let writer = Atomic<Int32>(-1)
}
