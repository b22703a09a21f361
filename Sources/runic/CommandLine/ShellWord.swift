/// Words as a shell takes them.
enum ShellWord {
  /// Any text as one word. A quote in it is one also where a mark makes one character of the two.
  static func quoted(_ text: String) -> String {
    var word = "'".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "'" { word.append(contentsOf: #"'\''"#.unicodeScalars) } else { word.append(scalar) }
    }
    word.append("'")
    return String(word)
  }

  /// As little quoted as a person would, to be read and tried by hand.
  static func readable(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7f && !"'\"\\$`*?[]{}()<>|&;#~!".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : quoted(text)
  }
}
