/// A SHA-256 value: 32 bytes, kept inline.
@frozen
public struct Digest: FixedBytes {
  // Big-endian words, so that comparing them in order compares the bytes in order.
  @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64)

  @inlinable
  public static var byteCount: Int { 32 }

  @inlinable
  public init(exactly bytes: UnsafeRawBufferPointer) {
    words = (
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    )
  }

  @inlinable
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let stored = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    return Swift.withUnsafeBytes(of: stored, body)
  }

  @inlinable
  public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

  @inlinable
  public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}
