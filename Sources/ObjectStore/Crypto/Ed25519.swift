import CCrypto

/// An Ed25519 public key (RFC 8032): 32 bytes, kept inline.
public struct PublicKey: FixedBytes {
  private let encoded: Digest

  public static var byteCount: Int { 32 }

  public init(exactly bytes: UnsafeRawBufferPointer) {
    encoded = Digest(exactly: bytes)
  }

  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    encoded.withUnsafeBytes(body)
  }

  public static func < (left: PublicKey, right: PublicKey) -> Bool { left.encoded < right.encoded }

  /// The id of the device that signs with this key: the first 16 bytes of the SHA-256 of the key.
  public var deviceID: DeviceID {
    withUnsafeBytes { SHA256.hash($0) }.withUnsafeBytes { digest in
      DeviceID(exactly: UnsafeRawBufferPointer(rebasing: digest[..<DeviceID.byteCount]))
    }
  }

  /// Whether `signature` is one of `message` by this key. False for a signature that is not 64 bytes and for a
  /// key that is no point of the curve. EVP_DigestVerify(3).
  public func isValid(signature: [UInt8], for message: UnsafeRawBufferPointer) -> Bool {
    guard signature.count == SigningKey.signatureCount else { return false }
    return Libcrypto.quietly {
      let key = withUnsafeBytes {
        EVP_PKEY_new_raw_public_key_ex(Libcrypto.context, "ED25519", nil, $0.baseAddress, $0.count)
      }
      guard let key else { return false }
      defer { EVP_PKEY_free(key) }
      let context = Libcrypto.require(EVP_MD_CTX_new())
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestVerifyInit_ex(context, nil, nil, Libcrypto.context, nil, key, nil) == 1 else {
        return false
      }
      return EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
    }
  }

  public func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
    message.withUnsafeBytes { isValid(signature: signature, for: $0) }
  }
}

/// An Ed25519 private key (RFC 8032).
public struct SigningKey: Sendable {
  /// The length of a seed, in bytes.
  public static let seedCount = 32
  /// The length of a signature, in bytes.
  public static let signatureCount = 64

  /// The 32 bytes that the key is made of; whoever has them can sign.
  public let seed: SecretBytes
  public let publicKey: PublicKey
  private let handle: KeyHandle

  /// The key of a seed; nil unless that has 32 bytes.
  public init?(seed: SecretBytes) {
    guard seed.count == Self.seedCount else { return nil }
    self.init(exactly: seed)
  }

  /// A new key.
  public static func generate(from random: RandomSource) -> SigningKey {
    SigningKey(exactly: random.secret(seedCount))
  }

  private init(exactly seed: SecretBytes) {
    self.seed = seed
    handle = KeyHandle(seed)
    publicKey = handle.publicKey
  }

  /// The signature of a message: 64 bytes, always the same for the same message. EVP_DigestSign(3).
  public func sign(_ message: UnsafeRawBufferPointer) -> [UInt8] {
    withExtendedLifetime(handle) {
      let context = Libcrypto.require(EVP_MD_CTX_new())
      defer { EVP_MD_CTX_free(context) }
      Libcrypto.require(EVP_DigestSignInit_ex(context, nil, nil, Libcrypto.context, nil, handle.pointer, nil))
      var signature = [UInt8](repeating: 0, count: Self.signatureCount)
      var count = signature.count
      Libcrypto.require(EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count))
      return signature
    }
  }

  public func sign(_ message: [UInt8]) -> [UInt8] { message.withUnsafeBytes { sign($0) } }
}

/// libcrypto's own copy of a seed, with what it reckons from it: that costs as much as a signature. It lives as long
/// as the seed is held anyway, and libcrypto wipes it.
// Unchecked, because of the pointer: the key is only read once it is made, which libcrypto allows to all threads.
private final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ seed: SecretBytes) {
    pointer = seed.withUnsafeBytes {
      Libcrypto.require(
        EVP_PKEY_new_raw_private_key_ex(Libcrypto.context, "ED25519", nil, $0.baseAddress, $0.count))
    }
  }

  deinit { EVP_PKEY_free(pointer) }

  var publicKey: PublicKey {
    withUnsafeTemporaryAllocation(byteCount: PublicKey.byteCount, alignment: 8) { buffer in
      var count = buffer.count
      Libcrypto.require(EVP_PKEY_get_raw_public_key(pointer, buffer.baseAddress, &count))
      return PublicKey(exactly: UnsafeRawBufferPointer(buffer))
    }
  }
}
