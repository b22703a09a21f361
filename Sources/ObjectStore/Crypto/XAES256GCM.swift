import CCrypto

/// Why a message cannot be sealed or opened. Which byte of a message is wrong is not told, and is not known.
public enum SealError: Error, Equatable, Sendable {
  /// A key is 32 bytes.
  case invalidKeyLength(Int)
  /// A nonce is 24 bytes.
  case invalidNonceLength(Int)
  /// A message or its associated data is longer than 2 GiB.
  case messageTooLong
  /// Key, nonce, associated data and message do not belong together.
  case authenticationFailed
}

/// XAES-256-GCM, authenticated encryption with a nonce long enough to be random (c2sp.org/XAES-256-GCM).
///
/// What it seals is as long as the message and `tagCount` bytes more.
public struct XAES256GCM: Sendable {
  public static let keyCount = 32
  public static let nonceCount = 24
  public static let tagCount = 16

  private let key: SecretBytes
  // The CMAC subkey K1, which depends on the key alone and so is reckoned once.
  private let subkey: SecretBytes

  /// - Throws: `SealError.invalidKeyLength`.
  public init(key: SecretBytes) throws(SealError) {
    guard key.count == Self.keyCount else { throw .invalidKeyLength(key.count) }
    self.key = key
    let zeros = SecretBytes(copying: [UInt8](repeating: 0, count: 16))
    subkey = Self.doubled(Self.encryptBlocks(zeros, key: key))
  }

  /// Seals a copy: ciphertext, then tag.
  ///
  /// - Throws: `SealError.invalidNonceLength`, `.messageTooLong`.
  public func seal(
    _ plaintext: [UInt8], nonce: [UInt8], associatedData: [UInt8]
  ) throws(SealError) -> [UInt8] {
    var message = [UInt8]()
    message.reserveCapacity(plaintext.count + Self.tagCount)
    message += plaintext
    try seal(inPlace: &message, from: 0, nonce: nonce, associatedData: associatedData)
    return message
  }

  /// Seals what stands from `offset` to the end of `bytes`, where it stands, and adds the tag at the end.
  ///
  /// Makes no copy of the message where `bytes` is held once and has room for `tagCount` more.
  ///
  /// - Throws: `SealError.invalidNonceLength`, `.messageTooLong`; `bytes` is then as it was.
  public func seal(
    inPlace bytes: inout [UInt8], from offset: Int, nonce: [UInt8], associatedData: [UInt8]
  ) throws(SealError) {
    let messageKey = try derivedKey(nonce)
    try Self.checkLengths(bytes.count - offset, associatedData.count)
    bytes.append(contentsOf: repeatElement(0, count: Self.tagCount))
    bytes.withUnsafeMutableBytes { buffer in
      let (message, tag) = Self.split(buffer, offset..<buffer.count)
      var cipher = GCMContext(.seal, key: messageKey, nonce: nonce)
      cipher.run(associatedData: associatedData, message: message)
      cipher.writeTag(tag)
    }
  }

  /// Opens a copy of ciphertext and tag.
  ///
  /// - Throws: `SealError.authenticationFailed`, `.invalidNonceLength`, `.messageTooLong`.
  public func open(
    _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8]
  ) throws(SealError) -> [UInt8] {
    var bytes = sealed
    let plaintext = try open(inPlace: &bytes, 0..<sealed.count, nonce: nonce, associatedData: associatedData)
    bytes.removeSubrange(plaintext.upperBound...)
    return bytes
  }

  /// Opens the ciphertext and tag that stand at `range` of `bytes`, where they stand.
  ///
  /// Makes no copy where `bytes` is held once. The length of `bytes` stays; after a failure the range holds
  /// zeros, since what was decrypted to check the tag must not be used.
  ///
  /// - Returns: Where in `bytes` the plaintext stands.
  /// - Throws: `SealError.authenticationFailed`, `.invalidNonceLength`, `.messageTooLong`.
  public func open(
    inPlace bytes: inout [UInt8], _ range: Range<Int>, nonce: [UInt8], associatedData: [UInt8]
  ) throws(SealError) -> Range<Int> {
    let messageKey = try derivedKey(nonce)
    guard range.lowerBound >= 0, range.upperBound <= bytes.count, range.count >= Self.tagCount else {
      throw .authenticationFailed
    }
    try Self.checkLengths(range.count - Self.tagCount, associatedData.count)
    let isWhole = bytes.withUnsafeMutableBytes { buffer in
      let (message, tag) = Self.split(buffer, range)
      var cipher = GCMContext(.open, key: messageKey, nonce: nonce)
      cipher.run(associatedData: associatedData, message: message)
      if cipher.matchesTag(tag) { return true }
      OPENSSL_cleanse(message.baseAddress, message.count)
      OPENSSL_cleanse(tag.baseAddress, tag.count)
      return false
    }
    guard isWhole else { throw .authenticationFailed }
    return range.lowerBound..<range.upperBound - Self.tagCount
  }

  private static func split(
    _ buffer: UnsafeMutableRawBufferPointer, _ range: Range<Int>
  ) -> (message: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawBufferPointer) {
    let end = range.upperBound - tagCount
    return (
      UnsafeMutableRawBufferPointer(rebasing: buffer[range.lowerBound..<end]),
      UnsafeMutableRawBufferPointer(rebasing: buffer[end..<range.upperBound])
    )
  }

  // libcrypto counts in 32 bits; no file of runic comes near.
  private static func checkLengths(_ message: Int, _ associatedData: Int) throws(SealError) {
    guard max(message, associatedData) <= Int(Int32.max) - tagCount else { throw .messageTooLong }
  }
}

// The key derivation, numbered as in the specification.
extension XAES256GCM {
  /// Steps 3 to 5: the AES-256-GCM key for the first half of a nonce.
  private func derivedKey(_ nonce: [UInt8]) throws(SealError) -> SecretBytes {
    guard nonce.count == Self.nonceCount else { throw .invalidNonceLength(nonce.count) }
    let blocks = SecretBytes(count: 32) { blocks in
      subkey.withUnsafeBytes { subkey in
        for (half, counter) in [UInt8(1), 2].enumerated() {
          let message = [0, counter, UInt8(ascii: "X"), 0] + nonce[..<12]
          for index in 0..<16 { blocks[16 * half + index] = message[index] ^ subkey[index] }
        }
      }
    }
    return Self.encryptBlocks(blocks, key: key)
  }

  /// Step 2: the double in GF(2^128), without a branch on the secret bit.
  private static func doubled(_ block: SecretBytes) -> SecretBytes {
    SecretBytes(count: block.count) { output in
      block.withUnsafeBytes { input in
        var carry: UInt8 = 0
        for index in input.indices.reversed() {
          output[index] = input[index] << 1 | carry
          carry = input[index] >> 7
        }
        output[input.count - 1] ^= (0 &- carry) & 0x87
      }
    }
  }

  /// AES-256 of each 16-byte block by itself.
  private static func encryptBlocks(_ blocks: SecretBytes, key: SecretBytes) -> SecretBytes {
    SecretBytes(count: blocks.count) { output in
      let context = Libcrypto.require(EVP_CIPHER_CTX_new())
      defer { EVP_CIPHER_CTX_free(context) }
      key.withUnsafeBytes { key in
        let bytes = key.bindMemory(to: UInt8.self).baseAddress
        Libcrypto.require(EVP_CipherInit_ex2(context, Libcrypto.aes256ECB, bytes, nil, 1, nil))
      }
      Libcrypto.require(EVP_CIPHER_CTX_set_padding(context, 0))
      var written: Int32 = 0
      blocks.withUnsafeBytes { blocks in
        let bytes = blocks.bindMemory(to: UInt8.self).baseAddress
        let target = output.bindMemory(to: UInt8.self).baseAddress
        Libcrypto.require(EVP_CipherUpdate(context, target, &written, bytes, Int32(blocks.count)))
      }
    }
  }
}
