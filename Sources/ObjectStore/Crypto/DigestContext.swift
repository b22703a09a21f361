import CCrypto

/// SHA-256 of one message after another: the owner of an `EVP_MD_CTX`.
///
/// Not private to `SHA256`: other modules destroy it where they hold a hasher, and the optimizer of Swift 6.3 then
/// leaves a private type's symbol behind.
struct DigestContext: ~Copyable {
  private let pointer = Libcrypto.require(EVP_MD_CTX_new())

  deinit { EVP_MD_CTX_free(pointer) }

  mutating func start() {
    Libcrypto.require(EVP_DigestInit_ex2(pointer, Libcrypto.sha256, nil))
  }

  mutating func update(_ part: UnsafeRawBufferPointer) {
    Libcrypto.require(EVP_DigestUpdate(pointer, part.baseAddress, part.count))
  }

  mutating func finish() -> Digest {
    withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { buffer in
      Libcrypto.require(EVP_DigestFinal_ex(pointer, buffer.baseAddress, nil))
      return Digest(exactly: UnsafeRawBufferPointer(buffer))
    }
  }
}
