/// A string of JSON, held as its UTF-8 bytes.
///
/// Equality is that of the bytes, so two normalisation forms of one word are two strings (as keys they are two
/// keys). The order is that of UTF-16 code units, in which RFC 8785, 3.2.3, sorts keys.
public struct JSONString: Hashable, Comparable, Sendable {
  /// Well-formed UTF-8, not escaped, without quotes.
  public let utf8: [UInt8]

  public init(_ string: String) { utf8 = Array(string.utf8) }

  /// Nil where the bytes are not well-formed UTF-8. O(length).
  public init?(utf8 bytes: [UInt8]) {
    let isValid = bytes.withUnsafeBytes { text in
      var position = 0
      while position < text.count {
        let length = text[position] < 0x80 ? 1 : text.multibyteLength(at: position)
        if length == 0 { return false }
        position &+= length
      }
      return true
    }
    guard isValid else { return nil }
    utf8 = bytes
  }

  /// What the inside of a canonical string that was checked before stands for.
  init(unescaping text: UnsafeRawBufferPointer) {
    utf8 = text.contains(ASCII.backslash) ? Array(UnescapedBytes(text)) : Array(text)
  }

  /// The same text as a Swift string, whose `==` would compare by canonical equivalence.
  public var string: String { String(decoding: utf8, as: UTF8.self) }

  public static func < (left: JSONString, right: JSONString) -> Bool { left.compared(to: right) < 0 }

  /// Below 0, 0 or above 0 as this string stands before, at or after the other. O(length).
  func compared(to other: JSONString) -> Int {
    utf8.withUnsafeBytes { left in other.utf8.withUnsafeBytes { CodeUnitOrder.compare(left, $0) } }
  }
}

extension JSONString: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(value) }
}

extension JSONString: CustomStringConvertible {
  public var description: String { string }
}
