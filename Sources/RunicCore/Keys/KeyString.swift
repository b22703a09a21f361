import ObjectStore

/// The repository key as a string that a person can keep (`docs/format.md`, "The exported key string"):
/// `runic-key-1-` and the hexadecimal digits of the repository's id, the key and a check against typing errors.
public enum KeyString {
  private static let prefix = Array("runic-key-1-".utf8)
  private static let keyCount = 32
  private static let checkCount = 4

  /// The string. Whoever has it can read all that was written with the key, and with those in its key file.
  public static func encode(_ key: RepositoryKey) -> String {
    var bytes = key.repository.bytes
    bytes.reserveCapacity(bytes.count + keyCount + checkCount)
    key.root.withUnsafeBytes { bytes.append(contentsOf: $0) }
    defer { _ = SecretBytes(taking: &bytes) }
    bytes += bytes.withUnsafeBytes(check)
    return String(decoding: prefix, as: UTF8.self) + Hexadecimal.encode(bytes)
  }

  /// Whether a text is meant to be such a string.
  static func begins(_ text: [UInt8]) -> Bool { text.drop(while: isSpace).starts(with: prefix) }

  /// Reads a string, or several of one repository with white space around them.
  ///
  /// - Parameter text: wiped.
  /// - Throws: `RunicError.badKeyString`, without saying what is wrong with it.
  public static func decode(_ text: inout [UInt8]) throws(RunicError) -> (RepositoryID, [SecretBytes]) {
    let secret = SecretBytes(taking: &text)
    let decoded = secret.withUnsafeBytes { $0.split(whereSeparator: isSpace).map(parse) }
    guard let repository = decoded.first??.repository,
      !decoded.contains(where: { $0?.repository != repository })
    else { throw .badKeyString }
    let keys = decoded.compactMap { $0?.key }
    // The same one twice is a slip of whoever pasted it.
    for (index, key) in keys.enumerated() where keys[..<index].contains(key) { throw .badKeyString }
    return (repository, keys)
  }

  private static func parse(
    _ digits: Slice<UnsafeRawBufferPointer>
  ) -> (repository: RepositoryID, key: SecretBytes)? {
    guard digits.starts(with: prefix),
      let bytes = SecretBytes(hexDigits: UnsafeRawBufferPointer(rebasing: digits.dropFirst(prefix.count))),
      bytes.count == RepositoryID.byteCount + keyCount + checkCount
    else { return nil }
    return bytes.withUnsafeBytes { bytes in
      let content = UnsafeRawBufferPointer(rebasing: bytes.dropLast(checkCount))
      guard bytes.suffix(checkCount).elementsEqual(check(content)),
        let repository = RepositoryID(bytes: content.prefix(RepositoryID.byteCount))
      else { return nil }
      let key = UnsafeRawBufferPointer(rebasing: content.dropFirst(RepositoryID.byteCount))
      return (repository, SecretBytes(copying: key))
    }
  }

  private static func check(_ content: UnsafeRawBufferPointer) -> [UInt8] {
    var hasher = SHA256.Hasher()
    hasher.update(Array("runic/1 key string\n".utf8))
    hasher.update(content)
    return Array(hasher.finalize().bytes.prefix(checkCount))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }
}
