import CanonicalJSON

enum JSONText {
  /// What the inside of a JSON string stands for; the bytes as they are where it is none.
  static func unescaped(_ inside: some Collection<UInt8>) -> [UInt8] {
    guard inside.contains(UInt8(ascii: "\\")) else { return Array(inside) }
    let quote = [UInt8(ascii: "\"")]
    return (try? JSONValue.parse(quote + inside + quote))?.stringValue?.utf8 ?? Array(inside)
  }
}
