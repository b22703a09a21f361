/// A value of a fixed number of bytes that is kept inline: digests, identifiers, public keys.
///
/// Values compare as their bytes do, and so as their hexadecimal spellings do.
public protocol FixedBytes: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// How many bytes every value of the type has.
  static var byteCount: Int { get }
  /// Reads a value. `bytes` must hold exactly `byteCount` bytes: `init(bytes:)` checks that.
  init(exactly bytes: UnsafeRawBufferPointer)
  /// Calls `body` with the bytes, which are valid only until it returns.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

// Inlinable, so that each type in each module has code of its own: ids are read and written by the million.
extension FixedBytes {
  /// The value with these bytes; nil unless there are exactly `byteCount`.
  @inlinable
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(exactly: bytes)
  }

  /// The value with these bytes; nil unless there are exactly `byteCount`.
  @inlinable
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    let value = Array(bytes).withUnsafeBytes { Self(exactly: $0) }
    self = value
  }

  /// The value of exactly `2 * byteCount` lower-case digits; nil for anything else.
  @inlinable
  public init?(hex: some StringProtocol) {
    guard let value = Hexadecimal.withDigits(of: hex, { Self(hexDigits: $0) }) else { return nil }
    self = value
  }

  /// The value of exactly `2 * byteCount` lower-case digits in UTF-8; nil for anything else.
  @inlinable
  public init?(hexDigits: UnsafeRawBufferPointer) {
    let value: Self? = withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { bytes in
      Hexadecimal.decode(hexDigits, into: bytes) ? Self(exactly: UnsafeRawBufferPointer(bytes)) : nil
    }
    guard let value else { return nil }
    self = value
  }

  /// The bytes, `byteCount` of them.
  @inlinable
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// The bytes in lower-case hexadecimal.
  @inlinable
  public var hex: String { withUnsafeBytes { Hexadecimal.encode($0) } }

  /// Adds the lower-case digits, as UTF-8, to the end of `output`.
  @inlinable
  public func appendHex(to output: inout [UInt8]) {
    withUnsafeBytes { Hexadecimal.encode($0, appendingTo: &output) }
  }

  @inlinable
  public var description: String { hex }
}
