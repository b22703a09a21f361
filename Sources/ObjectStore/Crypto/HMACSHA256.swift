import CCrypto

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
  /// The code of a message given in parts, which count as one message: give a part a fixed length, or its length
  /// before it, where it could run into the next.
  public static func authenticate(_ parts: [UInt8]..., key: SecretBytes) -> Digest {
    var code = Authenticator(key: key)
    for part in parts { part.withUnsafeBytes { code.update($0) } }
    return code.finalize()
  }

  /// Whether a code is the one of the message, in a time that depends on the message alone.
  public static func isValid(_ code: [UInt8], for parts: [UInt8]..., key: SecretBytes) -> Bool {
    var expected = Authenticator(key: key)
    for part in parts { part.withUnsafeBytes { expected.update($0) } }
    return expected.finalize().withUnsafeBytes { first in
      code.withUnsafeBytes { constantTimeEqual(first, $0) }
    }
  }

  /// The code of a message that comes in parts.
  public struct Authenticator: ~Copyable {
    // The owner of an `EVP_MAC_CTX`.
    private let pointer: OpaquePointer

    public init(key: SecretBytes) {
      pointer = Libcrypto.require(EVP_MAC_CTX_new(Libcrypto.hmac))
      start(key)
    }

    deinit { EVP_MAC_CTX_free(pointer) }

    /// The parameter keeps the pointer to its name, so the name must outlive it: a Swift string that is handed to C
    /// lives as long as that one call. A literal is there for ever, with a zero behind it.
    private static let digestName: StaticString = "digest"

    private func start(_ key: SecretBytes) {
      var digest = Array("SHA256".utf8CString)
      digest.withUnsafeMutableBufferPointer { name in
        let parameter = UnsafeRawPointer(Self.digestName.utf8Start).assumingMemoryBound(to: CChar.self)
        let parameters = [
          OSSL_PARAM_construct_utf8_string(parameter, name.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        key.withUnsafeBytes { Libcrypto.require(EVP_MAC_init(pointer, $0.baseAddress, $0.count, parameters)) }
      }
    }

    public mutating func update(_ part: UnsafeRawBufferPointer) {
      Libcrypto.require(EVP_MAC_update(pointer, part.baseAddress, part.count))
    }

    public consuming func finalize() -> Digest {
      withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { buffer in
        Libcrypto.require(EVP_MAC_final(pointer, buffer.baseAddress, nil, buffer.count))
        let digest = Digest(exactly: UnsafeRawBufferPointer(buffer))
        // Codes serve as keys (HKDF) too, so none is left on the stack.
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        return digest
      }
    }
  }
}
