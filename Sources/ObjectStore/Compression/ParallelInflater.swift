/// Reads one zlib stream in pieces, the next one on a thread of its own while the last is being used. Strict as
/// `Inflater`, and piece for piece what that hands out.
///
/// Memory: two pieces, and what `Inflater` takes.
struct ParallelInflater: ~Copyable {
  static let piece = 256 << 10

  // One thread at a time touches it: the other one between `begin` and `wait`, this one else.
  private final class Stream: @unchecked Sendable {
    private var inflater: Inflater
    private var piece: [UInt8] = []
    private var hasMore: Result<Bool, InflateError> = .success(true)

    init(_ input: [UInt8], _ range: Range<Int>, limit: Int) {
      inflater = Inflater(input, range, limit: limit)
    }

    func advance() {
      piece.removeAll(keepingCapacity: true)
      do throws(InflateError) {
        hasMore = .success(try inflater.next(appendingTo: &piece, upTo: ParallelInflater.piece))
      } catch { hasMore = .failure(error) }
    }

    func take(into output: inout [UInt8]) throws(InflateError) -> Bool {
      output.append(contentsOf: piece)
      return try hasMore.get()
    }
  }

  private let stream: Stream
  private var thread: SerialThread?
  /// Whether the stream is worth a thread: it is longer than one piece.
  private let isLong: Bool
  private var isAhead = false

  /// - Parameters: as those of `Inflater`.
  init(_ input: [UInt8], _ range: Range<Int>, limit: Int) {
    stream = Stream(input, range, limit: limit)
    isLong = limit > Self.piece
  }

  deinit { thread?.wait(untilAtMost: 0) }

  /// Adds the next piece to the end of `output`.
  ///
  /// - Returns: whether there may be more; false once the stream has ended and is found whole.
  /// - Throws: `InflateError`; `output` may have grown by what came before the error.
  mutating func next(appendingTo output: inout [UInt8]) throws(InflateError) -> Bool {
    if isAhead { thread?.wait(untilAtMost: 0) } else { stream.advance() }
    isAhead = false
    guard try stream.take(into: &output) else { return false }
    // Without a thread it is read on the spot.
    guard isLong, let thread = thread ?? (try? SerialThread()) else { return true }
    self.thread = thread
    isAhead = true
    thread.perform { [stream] in stream.advance() }
    return true
  }
}
