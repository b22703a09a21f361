/// How many columns text takes on a terminal: near enough to align a table.
enum TextWidth {
  /// The columns of a whole text. O(length).
  static func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + columns($1) }
  }

  /// The columns of one character: 0 for lone marks, 2 for what East Asian fonts and emoji draw wide, else 1.
  static func columns(_ character: Character) -> Int {
    var widest = 0
    for scalar in character.unicodeScalars {
      // The emoji selector turns a narrow symbol into a wide picture.
      if scalar.value == 0xFE0F { return 2 }
      widest = max(widest, columns(scalar))
    }
    return widest
  }

  /// The text cut to so many columns, with `…` in place of what is gone.
  static func truncated(_ text: String, to limit: Int) -> String {
    if columns(text) <= limit { return text }
    if limit <= 0 { return "" }
    var kept = ""
    var used = 0
    for character in text {
      let width = columns(character)
      if used + width > limit - 1 { break }
      kept.append(character)
      used += width
    }
    return kept + "…"
  }

  /// A line broken at spaces into lines of so many columns; those after the first stand under the last column of
  /// the first that two spaces set off, or two spaces in. A word that is longer than a line stays whole.
  static func folded(_ line: String, to limit: Int?) -> [String] {
    guard let limit, columns(line) > limit else { return [line] }
    let margin = String(repeating: " ", count: hangingIndent(of: line, limit: limit))
    var (lines, current): ([String], String) = ([], "")
    var isBegun = false
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = isBegun ? "\(current) \(word)" : "\(current)\(word)"
      if isBegun, columns(longer) > limit, !current.allSatisfy({ $0 == " " }) {
        while current.last == " " { current.removeLast() }
        lines.append(current)
        (current, isBegun) = (margin + word, !word.isEmpty)
      } else {
        (current, isBegun) = (longer, true)
      }
    }
    return lines + [current]
  }

  private static func hangingIndent(of line: String, limit: Int) -> Int {
    let least = line.prefix { $0 == " " }.count + 2
    var (indent, column, gap) = (least, 0, 0)
    for character in line {
      if character != " ", gap >= 2, column > least { indent = column }
      gap = character == " " ? gap + 1 : 0
      column += columns(character)
      if column > limit / 2 { break }
    }
    return min(indent, limit / 2)
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x300: return 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }
}
