/// Makes text from records, file names and other people harmless on a terminal.
enum Escaping {
  /// The text with every scalar escaped that could start a new line, steer a terminal or reorder what is read:
  /// controls, line and paragraph separators, and marks of writing direction. One line stays one line.
  static func oneLine(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isHarmless(scalar) {
        result.append(scalar)
      } else {
        result.append(contentsOf: escape(scalar).unicodeScalars)
      }
    }
    return String(result)
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
    default: true
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default:
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
  }
}
