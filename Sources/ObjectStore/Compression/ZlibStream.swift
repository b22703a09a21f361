import CZlib

/// The owner of a `z_stream` and of the buffer that it writes to.
///
/// The state stands on the heap, since zlib keeps a pointer to it and breaks when it is moved.
struct ZlibStream: ~Copyable {
  enum Direction { case deflate, inflate }

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
    case .deflate:
      isDeflating = true
      status = Self.beginDeflating(state, size)
    case .inflate:
      isDeflating = false
      status = inflateInit_(state, ZLIB_VERSION, size)
    }
    // Fails only for want of memory, where Swift itself would end the process.
    precondition(status == Z_OK, "zlib")
  }

  private static func beginDeflating(_ state: UnsafeMutablePointer<z_stream>, _ size: Int32) -> Int32 {
    let status = deflateInit_(state, 6, ZLIB_VERSION, size)
    return status == Z_OK ? tune(state) : status
  }

  /// Lines of records repeat themselves at length: to look at few places (12, where level 6 looks at 128) and never to
  /// be content with a short match gives streams as long as level 6's in two thirds of its time. deflateTune(3).
  private static func tune(_ state: UnsafeMutablePointer<z_stream>) -> Int32 {
    deflateTune(state, 32, 64, 128, 12)
  }

  deinit {
    _ = isDeflating ? deflateEnd(state) : inflateEnd(state)
    output.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Begins a new stream with the memory of the last.
  mutating func reset() {
    if isDeflating {
      _ = deflateReset(state)
      // A new stream begins with the level's own ways.
      _ = Self.tune(state)
    } else {
      _ = inflateReset(state)
    }
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
