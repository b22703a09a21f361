import ObjectStore

/// Has lines of a history made ready on a thread of its own, some chunks ahead of whoever records them. What fits in
/// one chunk takes no thread.
struct LinePipeline: ~Copyable {
  /// How many chunks may wait: enough to go on with while a run of the index is written.
  private static let mostAhead = 5

  private let kind: Kind
  private let filling: [FilledField]
  private var gathering = LineChunk()
  /// Handed to the thread and not recorded yet, oldest first.
  private var ahead: [LineChunk] = []
  private var thread: SerialThread?

  init(kind: Kind, filling: [FilledField]) {
    self.kind = kind
    self.filling = filling
  }

  /// Takes a line, nil for one that is too long, and answers a chunk that is to be recorded now.
  mutating func take(_ line: UnsafeRawBufferPointer?, _ number: Int) -> LineChunk? {
    gathering.gather(line, number)
    guard gathering.isFull else { return nil }
    handOver()
    return ahead.count > Self.mostAhead ? nextReady() : nil
  }

  /// The chunks that are left, one a call; nil once there is none.
  mutating func next() -> LineChunk? {
    if !gathering.isEmpty {
      if thread != nil || !ahead.isEmpty {
        handOver()
      } else {
        gathering.prepare(kind, filling)
        defer { gathering = LineChunk() }
        return gathering
      }
    }
    return ahead.isEmpty ? nil : nextReady()
  }

  private mutating func handOver() {
    let (chunk, kind, filling) = (gathering, kind, filling)
    if thread == nil { thread = try? SerialThread() }
    if let thread { thread.perform { chunk.prepare(kind, filling) } } else { chunk.prepare(kind, filling) }
    ahead.append(chunk)
    gathering = LineChunk()
  }

  private mutating func nextReady() -> LineChunk {
    thread?.wait(untilAtMost: ahead.count - 1)
    return ahead.removeFirst()
  }
}
