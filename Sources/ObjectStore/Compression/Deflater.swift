import CZlib

/// Makes zlib streams (RFC 1950), one after the other with the same 256 KiB of memory.
public struct Deflater: ~Copyable {
  private var stream = ZlibStream(.deflate)
  private var compressed: [UInt8] = []

  public init() {}

  /// Compresses some more bytes. O(n).
  public mutating func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      let step = stream.step(rest, flush: Z_NO_FLUSH)
      compressed.append(contentsOf: step.output)
      rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
    }
  }

  public mutating func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

  public mutating func write(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { write($0) } }

  /// Ends the stream and returns it; the next write begins a new one.
  public mutating func finish() -> [UInt8] {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var isWhole = false
    while !isWhole {
      let step = stream.step(nothing, flush: Z_FINISH)
      compressed.append(contentsOf: step.output)
      isWhole = step.status == Z_STREAM_END
    }
    stream.reset()
    defer { compressed = [] }
    return compressed
  }

  /// One stream of these bytes.
  public static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var deflater = Deflater()
    deflater.write(bytes)
    return deflater.finish()
  }
}
