/// A file of the store: header, nonce, ciphertext, tag (`docs/format.md`, "Sealed files").
public enum SealedFile {
  static let overhead = SealedHeader.length + SealedHeader.nonceLength + SealedHeader.tagLength

  /// Seals a compressed body with the newest key, which the header names.
  public static func seal(
    _ body: [UInt8], header: SealedHeader, keys: RepositoryKeys, random: RandomSource
  ) throws(SealError) -> [UInt8] {
    let associatedData = header.bytes
    let key = keys.newest
    let nonce = key.nonce(for: body, associatedData: associatedData, random: random)
    var file: [UInt8] = []
    file.reserveCapacity(body.count + overhead)
    file += associatedData
    file += nonce
    file += body
    try key.cipher(for: header.purpose).seal(
      inPlace: &file, from: SealedHeader.length + SealedHeader.nonceLength, nonce: nonce,
      associatedData: associatedData)
    return file
  }

  /// Opens a file in place and answers where in it the compressed body stands. The header must be the expected
  /// one to the bit, but for the key: any that is held will do.
  public static func open(
    _ file: inout [UInt8], expecting expected: SealedHeader, keys: RepositoryKeys
  ) throws(FormatError) -> Range<Int> {
    let header = try SealedHeader(decoding: file)
    guard header.isSamePlace(as: expected) else { throw .foreign }
    guard let key = keys[header.key] else { throw .keyNotHeld(header.key) }
    guard file.count >= overhead else { throw .length }
    let body = SealedHeader.length + SealedHeader.nonceLength
    do {
      return try key.cipher(for: expected.purpose).open(
        inPlace: &file, body..<file.count, nonce: Array(file[SealedHeader.length..<body]),
        associatedData: Array(file[..<SealedHeader.length]))
    } catch {
      throw .authentication
    }
  }
}
