/// A file of the store: header, nonce, ciphertext, tag (`docs/format.md`, "Sealed files").
public enum SealedFile {
  static let overhead = SealedHeader.length + SealedHeader.nonceLength + SealedHeader.tagLength

  /// Seals a compressed body.
  public static func seal(
    _ body: [UInt8], header: SealedHeader, keys: RepositoryKeys, random: RandomSource
  ) throws(CryptoError) -> [UInt8] {
    let associatedData = header.bytes
    let nonce = keys.nonce(for: body, associatedData: associatedData, random: random)
    var file = associatedData
    file.reserveCapacity(body.count + overhead)
    file += nonce
    file += try keys.cipher(for: header.purpose).seal(body, nonce: nonce, associatedData: associatedData)
    return file
  }

  /// Opens a file and answers the compressed body. The header must be the expected one to the bit.
  public static func open(
    _ file: [UInt8], expecting expected: SealedHeader, keys: RepositoryKeys
  ) throws(FormatError) -> [UInt8] {
    guard try SealedHeader(decoding: file) == expected else { throw .foreign }
    guard file.count >= overhead else { throw .length }
    let body = SealedHeader.length + SealedHeader.nonceLength
    do {
      return try keys.cipher(for: expected.purpose).open(
        file[body...], nonce: Array(file[SealedHeader.length..<body]),
        associatedData: Array(file[..<SealedHeader.length]))
    } catch {
      throw .authentication
    }
  }
}
