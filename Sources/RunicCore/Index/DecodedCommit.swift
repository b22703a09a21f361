import ObjectStore

/// A commit on its way into the index, whose changes are decoded perhaps on another thread.
// One thread at a time touches it: who made it, who decodes it, and again who made it, once that is done.
final class DecodedCommit: @unchecked Sendable {
  let commit: CommitName
  let envelope: CommitLine
  private let bytes: [UInt8]
  private var decoded: Result<[Change], any Error>?

  init(_ commit: CommitName, _ envelope: CommitLine, line: UnsafeRawBufferPointer) {
    (self.commit, self.envelope) = (commit, envelope)
    bytes = Array(line[envelope.changes])
  }

  func decode() { decoded = Result { try ChangeCodec.decode(bytes[...]) } }

  /// All of a commit's changes or none: one that cannot be read ends the log here.
  var changes: [Change] {
    get throws {
      if decoded == nil { decode() }
      return try decoded?.get() ?? []
    }
  }
}

/// Has commits decoded ahead of whoever applies them, where they are long enough to be worth a thread.
struct CommitDecoding: ~Copyable {
  private static let threshold = 64 << 10
  /// How many commits may wait: enough to go on with while a run of the index is written.
  private static let mostAhead = 3

  /// Oldest first.
  private var waiting: [DecodedCommit] = []
  private var thread: SerialThread?

  /// Takes the next commit and answers the one whose turn it is, if enough wait behind it.
  mutating func take(_ next: DecodedCommit, length: Int) -> DecodedCommit? {
    waiting.append(next)
    if thread == nil, length >= Self.threshold { thread = try? SerialThread() }
    thread?.perform { next.decode() }
    return waiting.count > (thread == nil ? 1 : Self.mostAhead) ? self.next() : nil
  }

  /// The commits that are left, one a call; nil once there is none.
  mutating func next() -> DecodedCommit? {
    guard !waiting.isEmpty else { return nil }
    thread?.wait(untilAtMost: waiting.count - 1)
    return waiting.removeFirst()
  }

  /// Drops the commits that are left.
  mutating func discard() {
    thread?.wait(untilAtMost: 0)
    waiting = []
  }
}
