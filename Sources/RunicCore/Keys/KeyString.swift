import ObjectStore

/// The repository key as a string that a person can keep (`docs/format.md`, "The exported key string"):
/// `runic-key-1-` and the hexadecimal digits of the repository's id, the key and a check against typing errors.
public enum KeyString {
  private static let prefix = Array("runic-key-1-".utf8)
  private static let keyCount = 32
  private static let checkCount = 4

  /// The string. Whoever has it can read everything.
  public static func encode(_ keys: RepositoryKeys) -> String {
    let bytes = keys.repository.bytes + keys.root.withUnsafeBytes { Array($0) }
    return String(decoding: prefix, as: UTF8.self) + Hexadecimal.encode(bytes + check(bytes[...]))
  }

  /// Reads a string, with white space around it or without.
  ///
  /// - Parameter text: wiped.
  /// - Throws: `RunicError.badKeyString`, without saying what is wrong with it.
  public static func decode(_ text: inout [UInt8]) throws(RunicError) -> (RepositoryID, SecretBytes) {
    let secret = SecretBytes(taking: &text)
    let decoded = secret.withUnsafeBytes { parse($0) }
    guard let decoded else { throw .badKeyString }
    return decoded
  }

  private static func parse(_ text: UnsafeRawBufferPointer) -> (RepositoryID, SecretBytes)? {
    let word = text.split(whereSeparator: isSpace)
    guard word.count == 1, let digits = word.first, digits.starts(with: prefix) else { return nil }
    guard
      let bytes = Hexadecimal.decode(String(decoding: digits.dropFirst(prefix.count), as: UTF8.self)),
      bytes.count == RepositoryID.byteCount + keyCount + checkCount
    else { return nil }
    let content = bytes.dropLast(checkCount)
    guard check(content) == Array(bytes.suffix(checkCount)),
      let repository = RepositoryID(bytes: content.prefix(RepositoryID.byteCount))
    else { return nil }
    var key = Array(content.dropFirst(RepositoryID.byteCount))
    return (repository, SecretBytes(taking: &key))
  }

  private static func check(_ content: ArraySlice<UInt8>) -> [UInt8] {
    Array(SHA256.hash(Array("runic/1 key string\n".utf8) + content).bytes.prefix(checkCount))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }
}
