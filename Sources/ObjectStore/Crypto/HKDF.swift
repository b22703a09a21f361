/// Why a key cannot be derived.
public enum KeyDerivationError: Error, Equatable, Sendable {
  /// HKDF gives at most 255 digests' worth, 8160 bytes.
  case lengthTooGreat(Int)
  /// scrypt does not define these values of N, r and p.
  case invalidParameters
  /// scrypt would need more bytes of memory than the caller allowed.
  case memoryLimitExceeded(needed: UInt64)
}

/// HKDF with SHA-256 (RFC 5869): independent keys from one strong key, one for each `info`.
public enum HKDF {
  /// Extracts and expands.
  ///
  /// - Parameters:
  ///   - secret: The input keying material; it must be hard to guess (a passphrase is not).
  ///   - salt: May be public, and empty.
  ///   - info: What the derived key is for.
  ///   - length: In bytes, 0 to 8160.
  /// - Throws: `KeyDerivationError.lengthTooGreat`.
  public static func deriveKey(
    from secret: SecretBytes, salt: [UInt8] = [], info: [UInt8], length: Int
  ) throws(KeyDerivationError) -> SecretBytes {
    guard length <= 255 * Digest.byteCount else { throw .lengthTooGreat(length) }
    let pseudorandomKey = extract(secret, salt: salt)
    return SecretBytes(count: length) { expand(pseudorandomKey, info: info, into: $0) }
  }

  // RFC 5869, section 2.2. An empty salt stands for zeros, which is how HMAC pads an empty key.
  private static func extract(_ secret: SecretBytes, salt: [UInt8]) -> SecretBytes {
    var code = HMACSHA256.Authenticator(key: SecretBytes(copying: salt))
    secret.withUnsafeBytes { code.update($0) }
    return SecretBytes(code.finalize())
  }

  // RFC 5869, section 2.3: each block is the code of the block before it, the info and a counter.
  private static func expand(_ key: SecretBytes, info: [UInt8], into output: UnsafeMutableRawBufferPointer) {
    var done = 0
    var counter: UInt8 = 0
    while done < output.count {
      counter &+= 1
      var code = HMACSHA256.Authenticator(key: key)
      code.update(UnsafeRawBufferPointer(rebasing: output[max(0, done - Digest.byteCount)..<done]))
      info.withUnsafeBytes { code.update($0) }
      withUnsafeBytes(of: counter) { code.update($0) }
      let count = min(Digest.byteCount, output.count - done)
      code.finalize().withUnsafeBytes { block in
        UnsafeMutableRawBufferPointer(rebasing: output[done..<done + count])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<count]))
      }
      done += count
    }
  }
}

extension SecretBytes {
  /// A code used as a key.
  init(_ digest: Digest) {
    self = digest.withUnsafeBytes { SecretBytes(copying: $0) }
  }
}
