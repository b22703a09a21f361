import CCrypto

/// Bytes that nobody else may see: keys, seeds, passphrases.
///
/// They stand outside the Swift heap's arrays, copies of the value share them, and they are overwritten when the
/// last copy goes (OPENSSL_cleanse(3)). No description, mirror or dump shows anything but their number.
public struct SecretBytes: Sendable {
  private let storage: Storage

  /// Makes `count` bytes, zero at first, and lets `body` fill them.
  ///
  /// - Throws: what `body` throws; what it had written is wiped.
  public init<Failure: Error>(
    count: Int, filledBy body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    storage = Storage(count: count)
    try body(storage.bytes)
  }

  /// A copy of bytes whose owner has to wipe them.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// A copy of bytes that need no wiping, or whose owner does so.
  public init(copying bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { SecretBytes(copying: $0) }
  }

  /// Takes the bytes over: `bytes` is wiped and left empty.
  public init(taking bytes: inout [UInt8]) {
    self = bytes.withUnsafeMutableBytes { buffer in
      defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
      return SecretBytes(copying: UnsafeRawBufferPointer(buffer))
    }
    bytes = []
  }

  /// What hexadecimal digits stand for; nil for anything else. They are read where they stand.
  public init?(hexDigits digits: UnsafeRawBufferPointer) {
    struct NoDigits: Error {}
    do {
      try self.init(count: digits.count / 2) { output throws(NoDigits) in
        guard Hexadecimal.decode(digits, into: output) else { throw NoDigits() }
      }
    } catch { return nil }
  }

  public var count: Int { storage.bytes.count }

  /// Calls `body` with the bytes. They are valid only until it returns, and should not be copied out.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage.bytes))
  }
}

extension SecretBytes: Equatable {
  /// In a time that depends on the lengths alone.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    left.withUnsafeBytes { first in right.withUnsafeBytes { constantTimeEqual(first, $0) } }
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "SecretBytes(\(count))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

// Unchecked, because of the pointer: the bytes are written only while `SecretBytes` is being made.
private final class Storage: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  init(count: Int) {
    bytes = .allocate(byteCount: count, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    bytes.deallocate()
  }
}
