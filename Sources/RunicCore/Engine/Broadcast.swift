import Synchronization

/// Hands every element to every stream that was asked for, in order and without dropping any, and before that to the
/// engine's own listeners, which must not wait for anything.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var next = 0
    var streams: [Int: AsyncStream<Element>.Continuation] = [:]
    var listeners: [Int: @Sendable (Element) -> Void] = [:]

    mutating func number() -> Int {
      next += 1
      return next
    }
  }

  private let state = Mutex(State())

  deinit {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.finish() }
  }

  func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .unbounded)
    let id = state.withLock { state in
      let id = state.number()
      state.streams[id] = continuation
      return id
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  /// - Returns: what `remove` takes.
  func listen(_ body: @escaping @Sendable (Element) -> Void) -> Int {
    state.withLock { state in
      let id = state.number()
      state.listeners[id] = body
      return id
    }
  }

  func remove(_ id: Int) {
    state.withLock { state in
      state.streams[id] = nil
      state.listeners[id] = nil
    }
  }

  func send(_ element: Element) {
    let (listeners, streams) = state.withLock { state in
      (
        state.listeners.sorted { $0.key < $1.key }.map(\.value),
        state.streams.sorted { $0.key < $1.key }.map(\.value)
      )
    }
    for listener in listeners { listener(element) }
    for stream in streams { stream.yield(element) }
  }
}
