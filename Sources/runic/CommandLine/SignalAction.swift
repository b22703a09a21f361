import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a signal does: sigaction(2), whose handler has another name in each C library.
enum SignalAction {
  /// Whether the signal is ignored, as `nohup` and background jobs have it; also where that cannot be told.
  static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return true }
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

  /// Has `handler` run at the signal. No SA_RESTART: a wait returns, so that whoever waits sees the signal.
  static func handle(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #elseif canImport(Musl)
      action.__sa_handler.sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    _ = sigaction(signal, &action, nil)
  }

  /// Has the signal do what it does by itself, and sends it; within its own handler it comes once that returns.
  static func die(of signal: Int32) {
    var action = sigaction()
    _ = sigaction(signal, &action, nil)
    _ = raise(signal)
  }

  // MARK: - Signals that wait

  private static let waiting = WaitingSignal()

  /// Whether a signal came that `deferring` holds back.
  static var isWaiting: Bool { waiting.signal.load(ordering: .relaxed) != 0 }

  /// Runs `body`, which asks `isWaiting` now and then; what came of these signals does its work afterwards.
  static func deferring<Result>(_ signals: [Int32], _ body: () throws -> Result) rethrows -> Result {
    let deferred = signals.filter { !isIgnored($0) }
    var before = deferred.map { signal in
      var action = sigaction()
      _ = sigaction(signal, nil, &action)
      return action
    }
    for signal in deferred { handle(signal) { SignalAction.waiting.signal.store($0, ordering: .relaxed) } }
    defer {
      for index in deferred.indices { _ = sigaction(deferred[index], &before[index], nil) }
      let signal = waiting.signal.exchange(0, ordering: .relaxed)
      if signal != 0 { _ = raise(signal) }
    }
    return try body()
  }
}

/// What the handler and the program share.
private final class WaitingSignal: Sendable {
  let signal = Atomic<Int32>(0)
}
