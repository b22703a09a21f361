/// Writing and reading of what stands between the quotes of a canonical string (RFC 8785, 3.2.2.2): only the
/// quote, the backslash and the control characters are escaped, each in one way.
enum Escapes {
  /// Appends a byte that must be escaped.
  static func append(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(ASCII.backslash)
    if let letter = shortForm(of: byte) {
      output.append(letter)
    } else {
      output.append(contentsOf: [UInt8(ascii: "u"), ASCII.zero, ASCII.zero])
      output.append(ASCII.hexDigit(byte >> 4))
      output.append(ASCII.hexDigit(byte))
    }
  }

  /// Appends valid UTF-8 as a string with its quotes.
  static func appendString(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    output.append(ASCII.quote)
    var position = 0
    while position < text.count {
      var end = text.plainTextEnd(from: position)
      while end < text.count, text[end] >= 0x80 { end &+= 1 }
      if end == position {
        append(text[position], to: &output)
        end &+= 1
      } else {
        output.append(contentsOf: text.part(position..<end))
      }
      position = end
    }
    output.append(ASCII.quote)
  }

  /// The position after the canonical escape whose backslash stands at `start`.
  static func canonicalEnd(in text: UnsafeRawBufferPointer, at start: Int) throws(JSONError) -> Int {
    guard start &+ 1 < text.count else { throw JSONError(position: text.count, reason: .unexpectedEnd) }
    let letter = text[start &+ 1]
    if byte(ofShortForm: letter) != nil { return start &+ 2 }
    guard letter == UInt8(ascii: "u") else { throw JSONError(position: start, reason: .notCanonical) }
    guard start &+ 5 < text.count else { throw JSONError(position: text.count, reason: .unexpectedEnd) }
    guard text[start &+ 2] == ASCII.zero, text[start &+ 3] == ASCII.zero,
      let high = ASCII.hexValue(text[start &+ 4]), high < 2, let low = ASCII.hexValue(text[start &+ 5]),
      text[start &+ 5] == ASCII.hexDigit(low), shortForm(of: high << 4 | low) == nil
    else { throw JSONError(position: start, reason: .notCanonical) }
    return start &+ 6
  }

  /// The letter after the backslash, for the bytes that have one.
  private static func shortForm(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0C: UInt8(ascii: "f")
    case 0x0D: UInt8(ascii: "r")
    case ASCII.quote, ASCII.backslash: byte
    default: nil
    }
  }

  /// The byte that a letter after the backslash stands for.
  static func byte(ofShortForm letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "r"): 0x0D
    case ASCII.quote, ASCII.backslash: letter
    default: nil
    }
  }
}

/// The bytes that the inside of a canonical string stands for, one by one: every canonical escape is one byte.
struct UnescapedBytes: Sequence, IteratorProtocol {
  private let text: UnsafeRawBufferPointer
  private var position = 0

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  mutating func next() -> UInt8? {
    guard position < text.count else { return nil }
    let byte = text[position]
    guard byte == ASCII.backslash, position &+ 1 < text.count else {
      position &+= 1
      return byte
    }
    let letter = text[position &+ 1]
    if letter == UInt8(ascii: "u"), position &+ 5 < text.count {
      let high = ASCII.hexValue(text[position &+ 4]) ?? 0
      let low = ASCII.hexValue(text[position &+ 5]) ?? 0
      position &+= 6
      return high << 4 | low
    }
    position &+= 2
    return Escapes.byte(ofShortForm: letter) ?? letter
  }
}
