import CZlib

/// Why bytes are not one zlib stream of the allowed length.
public enum InflateError: Error, Equatable, Sendable {
  /// The stream breaks the format, or its checksum is wrong.
  case damaged
  /// The bytes end before the stream does.
  case truncated
  /// The stream ends before the bytes do.
  case trailingBytes
  /// The stream asks for a preset dictionary, which runic never uses.
  case presetDictionary
  /// The stream holds more than the limit, in bytes.
  case tooLarge(limit: Int)
}

/// Reads one zlib stream (RFC 1950) that stands in memory, in chunks.
///
/// Takes about 100 KiB besides the chunks, whatever the stream claims. Strict: the input must be one whole
/// stream and nothing else. That is known only when `next` has returned false; until then the output is what
/// the stream says, unchecked.
public struct Inflater: ~Copyable {
  private var stream = ZlibStream(.inflate)
  private let input: [UInt8]
  private var position: Int
  private let end: Int
  private let limit: Int
  private var produced = 0
  private var outcome: Result<Void, InflateError>?

  /// - Parameters:
  ///   - input: Shared with the caller, not copied.
  ///   - range: Where in `input` the stream stands; all of it where nil.
  ///   - limit: How many bytes the stream may hold.
  public init(_ input: [UInt8], _ range: Range<Int>? = nil, limit: Int) {
    let range = (range ?? input.indices).clamped(to: input.indices)
    self.input = input
    position = range.lowerBound
    end = range.upperBound
    self.limit = limit
  }

  /// Adds up to `count` more bytes to the end of `output`.
  ///
  /// - Returns: Whether there may be more; false once the stream has ended and is found whole.
  /// - Throws: `InflateError`, again at every later call. `output` may have grown by what came before the error.
  public mutating func next(
    appendingTo output: inout [UInt8], upTo count: Int = 64 << 10
  ) throws(InflateError) -> Bool {
    var wanted = max(1, count)
    while wanted > 0, outcome == nil {
      wanted -= advance(wanted, &output)
    }
    guard let outcome else { return true }
    try outcome.get()
    return false
  }

  /// One step of zlib: how many bytes it added.
  private mutating func advance(_ wanted: Int, _ output: inout [UInt8]) -> Int {
    // One byte over the limit is asked for, and never handed out, so as to learn that the stream goes on.
    let room = min(wanted, (limit - produced).addingReportingOverflow(1).partialValue)
    let step = input.withUnsafeBytes { bytes in
      stream.step(UnsafeRawBufferPointer(rebasing: bytes[position..<end]), flush: Z_NO_FLUSH, limit: room)
    }
    position += step.consumed
    guard step.output.count <= limit - produced else {
      outcome = .failure(.tooLarge(limit: limit))
      return 0
    }
    produced += step.output.count
    output.append(contentsOf: step.output)
    judge(step)
    return step.output.count
  }

  private mutating func judge(_ step: ZlibStream.Step) {
    switch step.status {
    case Z_STREAM_END: outcome = position == end ? .success(()) : .failure(.trailingBytes)
    case Z_NEED_DICT: outcome = .failure(.presetDictionary)
    // Room was left and nothing could be done: the input is used up.
    case Z_BUF_ERROR: outcome = .failure(.truncated)
    case Z_OK: break
    default: outcome = .failure(.damaged)
    }
  }

  /// All that one stream holds.
  ///
  /// - Throws: `InflateError`.
  public static func inflate(
    _ input: [UInt8], _ range: Range<Int>? = nil, limit: Int
  ) throws(InflateError) -> [UInt8] {
    var inflater = Inflater(input, range, limit: limit)
    var output: [UInt8] = []
    while try inflater.next(appendingTo: &output) {}
    return output
  }
}
