import CZlib

/// The owner of a `z_stream` and of the buffer that it writes to.
///
/// The state stands on the heap, since zlib keeps a pointer to it and breaks when it is moved.
struct ZlibStream: ~Copyable {
  enum Direction { case deflate(level: Int32), inflate }

  /// What one step wrote, and what zlib said of it.
  struct Step {
    let status: Int32
    let consumed: Int
    let output: UnsafeRawBufferPointer
  }

  private static let outputCount = 64 << 10

  private let state: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  private let isDeflating: Bool

  init(_ direction: Direction) {
    state = .allocate(capacity: 1)
    state.initialize(to: z_stream())
    output = .allocate(byteCount: Self.outputCount, alignment: 16)
    let size = Int32(MemoryLayout<z_stream>.size)
    let status: Int32
    switch direction {
    case .deflate(let level):
      isDeflating = true
      status = deflateInit_(state, level, ZLIB_VERSION, size)
    case .inflate:
      isDeflating = false
      status = inflateInit_(state, ZLIB_VERSION, size)
    }
    // Fails only for want of memory, where Swift itself would end the process.
    precondition(status == Z_OK, "zlib")
  }

  deinit {
    _ = isDeflating ? deflateEnd(state) : inflateEnd(state)
    output.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Begins a new stream with the memory of the last.
  mutating func reset() {
    _ = isDeflating ? deflateReset(state) : inflateReset(state)
  }

  /// Lets zlib go on with some input and at most `limit` bytes of output, which are valid until the next step.
  mutating func step(_ input: UnsafeRawBufferPointer, flush: Int32, limit: Int = .max) -> Step {
    let offered = min(input.count, 1 << 30)
    let room = max(0, min(limit, output.count))
    // zlib reads through this pointer only; its type lacks the const for the sake of old compilers.
    let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    state.pointee.next_in = UnsafeMutablePointer(mutating: start)
    state.pointee.avail_in = UInt32(offered)
    state.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    state.pointee.avail_out = UInt32(room)
    let status = isDeflating ? CZlib.deflate(state, flush) : CZlib.inflate(state, flush)
    let written = room - Int(state.pointee.avail_out)
    return Step(
      status: status, consumed: offered - Int(state.pointee.avail_in),
      output: UnsafeRawBufferPointer(rebasing: output[..<written]))
  }
}
