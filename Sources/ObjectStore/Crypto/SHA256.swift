/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  /// The digest of bytes that stand together.
  public static func hash(_ message: UnsafeRawBufferPointer) -> Digest {
    var hasher = Hasher()
    hasher.update(message)
    return hasher.finalize()
  }

  public static func hash(_ message: [UInt8]) -> Digest { message.withUnsafeBytes(hash) }

  public static func hash(_ message: ArraySlice<UInt8>) -> Digest { message.withUnsafeBytes(hash) }

  /// The digest of bytes that come in parts.
  public struct Hasher: ~Copyable {
    private var context: DigestContext

    public init() {
      context = DigestContext()
      context.start()
    }

    public mutating func update(_ part: UnsafeRawBufferPointer) { context.update(part) }

    public mutating func update(_ part: [UInt8]) { part.withUnsafeBytes { context.update($0) } }

    public mutating func update(_ part: ArraySlice<UInt8>) { part.withUnsafeBytes { context.update($0) } }

    public consuming func finalize() -> Digest { context.finish() }
  }

  /// Digests of many short messages, one after the other, without an allocation for each.
  public struct RepeatedHasher: ~Copyable {
    private var context = DigestContext()

    public init() {}

    public mutating func hash(_ message: UnsafeRawBufferPointer) -> Digest {
      context.start()
      context.update(message)
      return context.finish()
    }

    public mutating func hash(_ message: [UInt8]) -> Digest { message.withUnsafeBytes { hash($0) } }

    public mutating func hash(_ message: ArraySlice<UInt8>) -> Digest { message.withUnsafeBytes { hash($0) } }
  }
}
