/// What the word under the cursor may become.
struct Candidate: Hashable, Sendable {
  /// The whole word, without quotes.
  let text: String
  /// What it is, in a few words; may be empty.
  let summary: String
  /// Whether the word ends with it: a folder or `KEY=` goes on.
  let isWhole: Bool

  init(_ text: String, _ summary: String = "", isWhole: Bool = true) {
    self.text = text
    self.summary = summary
    self.isWhole = isWhole
  }

  func prefixed(_ prefix: String) -> Candidate { Candidate(prefix + text, summary, isWhole: isWhole) }
}

/// Writes candidates as a shell's script reads them: one a line.
enum CandidateText {
  /// The line for the shell; nil for a word that no line can hold.
  static func line(_ candidate: Candidate, for shell: CompletionShell, _ typed: ShellLine) -> String? {
    guard candidate.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    switch shell {
    case .bash: return bash(candidate, typed)
    case .zsh, .fish:
      let summary = Escaping.oneLine(candidate.summary)
      return "\(candidate.text)\t\(TextWidth.truncated(summary, to: summaryWidth))"
    }
  }

  private static let summaryWidth = 60

  /// Bash puts in what it is given, in place of what follows the last word break.
  private static func bash(_ candidate: Candidate, _ typed: ShellLine) -> String? {
    let bytes = Array(candidate.text.utf8)
    guard bytes.count >= typed.kept else { return nil }
    let rest = Array(bytes.dropFirst(typed.kept))
    let quoted = String(decoding: Self.quoted(rest, in: typed.openQuote), as: UTF8.self)
    return candidate.isWhole && typed.openQuote == nil ? quoted + " " : quoted
  }

  /// The text as it can stand after an open quote, or without one.
  static func quoted(_ text: [UInt8], in quote: UInt8?) -> [UInt8] {
    let backslash = UInt8(ascii: "\\")
    switch quote {
    case UInt8(ascii: "'"): return text.flatMap { $0 == UInt8(ascii: "'") ? Array("'\\''".utf8) : [$0] }
    case nil:
      let isHome = text.starts(with: "~/".utf8)
      return text.enumerated().flatMap { index, byte in
        isPlain(byte) || (isHome && index == 0) ? [byte] : [backslash, byte]
      }
    default:
      let special = Array("\"\\$`".utf8)
      return text.flatMap { special.contains($0) ? [backslash, $0] : [$0] }
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
      true
    default: "-_./,:=@%+".utf8.contains(byte)
    }
  }
}
