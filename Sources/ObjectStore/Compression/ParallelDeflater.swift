/// Makes a zlib stream on a thread of its own once there is much of it, so that who gathers the bytes goes on
/// meanwhile. The stream is byte for byte the one that `Deflater` makes.
///
/// Memory: the stream so far, and at most three pieces that wait.
struct ParallelDeflater: ~Copyable {
  /// Pieces shorter than this are not worth a thread.
  private static let threshold = 64 << 10

  // One thread at a time touches it: this one until the other is given work, and again once that is done.
  private final class Stream: @unchecked Sendable {
    private var deflater = Deflater()

    func write(_ bytes: UnsafeRawBufferPointer) { deflater.write(bytes) }
    func finish() -> [UInt8] { deflater.finish() }
  }

  private let stream = Stream()
  private var thread: SerialThread?

  /// Compresses some more bytes, now or soon.
  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    if thread == nil, bytes.count < Self.threshold { return stream.write(bytes) }
    write(later: [UInt8](bytes))
  }

  mutating func write(_ bytes: [UInt8]) {
    if thread == nil, bytes.count < Self.threshold { return bytes.withUnsafeBytes { stream.write($0) } }
    write(later: bytes)
  }

  private mutating func write(later piece: [UInt8]) {
    guard let thread = thread ?? (try? SerialThread()) else {
      return piece.withUnsafeBytes { stream.write($0) }
    }
    self.thread = thread
    thread.wait(untilAtMost: 2)
    thread.perform { [stream] in piece.withUnsafeBytes { stream.write($0) } }
  }

  /// Ends the stream and returns it.
  consuming func finish() -> [UInt8] {
    thread?.wait(untilAtMost: 0)
    return stream.finish()
  }
}
