import CanonicalJSON

/// What kinds and ids may look like (`docs/format.md`, "Kinds and ids").
public enum RecordGrammar {
  public static let kindLengths = 1...64
  public static let idLengths = 1...256

  /// Whether the bytes are `[a-z][a-z0-9-]{0,63}`.
  public static func isKindName(_ bytes: some Collection<UInt8>) -> Bool {
    guard kindLengths.contains(bytes.count), let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
  }

  /// Whether the bytes are 1 to 256 bytes of UTF-8.
  public static func isID(_ bytes: [UInt8]) -> Bool {
    idLengths.contains(bytes.count) && JSONString(utf8: bytes) != nil
  }

  /// The bytes of an id, where it is one.
  public static func id(_ bytes: [UInt8]) throws(RunicError) -> [UInt8] {
    guard isID(bytes) else { throw .badID(String(decoding: bytes, as: UTF8.self)) }
    return bytes
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}
