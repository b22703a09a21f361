import CCrypto

/// One message under AES-256-GCM (NIST SP 800-38D): the owner of an `EVP_CIPHER_CTX`.
struct GCMContext: ~Copyable {
  enum Direction: Int32 { case open = 0, seal = 1 }

  private let pointer: OpaquePointer

  /// Uses the last 12 bytes of `nonce`.
  init(_ direction: Direction, key: SecretBytes, nonce: [UInt8]) {
    let pointer = Libcrypto.require(EVP_CIPHER_CTX_new())
    key.withUnsafeBytes { key in
      nonce.suffix(12).withUnsafeBufferPointer { nonce in
        let bytes = key.bindMemory(to: UInt8.self).baseAddress
        Libcrypto.require(
          EVP_CipherInit_ex2(
            pointer, Libcrypto.aes256GCM, bytes, nonce.baseAddress, direction.rawValue, nil))
      }
    }
    self.pointer = pointer
  }

  deinit { EVP_CIPHER_CTX_free(pointer) }

  /// Takes in the associated data, then encrypts or decrypts the message where it stands. Neither may be longer
  /// than an `Int32` counts.
  mutating func run(associatedData: [UInt8], message: UnsafeMutableRawBufferPointer) {
    var count: Int32 = 0
    if !associatedData.isEmpty {
      Libcrypto.require(EVP_CipherUpdate(pointer, nil, &count, associatedData, Int32(associatedData.count)))
    }
    guard !message.isEmpty else { return }
    let bytes = message.bindMemory(to: UInt8.self).baseAddress
    Libcrypto.require(EVP_CipherUpdate(pointer, bytes, &count, bytes, Int32(message.count)))
  }

  consuming func writeTag(_ tag: UnsafeMutableRawBufferPointer) {
    var (count, nothing) = (Int32(0), UInt8(0))
    Libcrypto.require(EVP_CipherFinal_ex(pointer, &nothing, &count))
    Libcrypto.require(
      EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress))
  }

  consuming func matchesTag(_ tag: UnsafeMutableRawBufferPointer) -> Bool {
    var (count, nothing) = (Int32(0), UInt8(0))
    Libcrypto.require(
      EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), tag.baseAddress))
    return Libcrypto.quietly { EVP_CipherFinal_ex(pointer, &nothing, &count) == 1 }
  }
}
