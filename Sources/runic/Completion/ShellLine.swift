/// A command line as it was typed up to the cursor, taken apart as a shell would, half-open quotes included.
struct ShellLine: Equatable, Sendable {
  /// The whole words before the cursor's, without their quotes.
  private(set) var words: [String] = []
  /// What is there of the word under the cursor, without its quotes.
  private(set) var current = ""
  /// The quote that is still open at the cursor.
  private(set) var openQuote: UInt8?
  /// How many bytes of `current` lie before what the shell will put a candidate in place of.
  private(set) var kept = 0

  /// - Parameters:
  ///   - line: from the command's name to the cursor.
  ///   - breaks: characters at which the shell begins a new piece of a word, as bash's `COMP_WORDBREAKS`; none where
  ///     it replaces whole words.
  init(_ line: String, breaks: String = "") {
    var parser = Parser(breaks: Array(breaks.utf8))
    for byte in line.utf8 { parser.take(byte) }
    words = parser.words
    current = String(decoding: parser.value, as: UTF8.self)
    openQuote = parser.quote
    kept = parser.kept
  }

  private struct Parser {
    let breaks: [UInt8]
    var words: [String] = []
    var value: [UInt8] = []
    var quote: UInt8?
    var kept = 0
    private var isInWord = false
    private var isEscaped = false

    private static let single = UInt8(ascii: "'")
    private static let double = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    init(breaks: [UInt8]) { self.breaks = breaks }

    mutating func take(_ byte: UInt8) {
      if isEscaped { return takeEscaped(byte) }
      switch (quote, byte) {
      case (Self.single?, Self.single), (Self.double?, Self.double): turn(nil, byte)
      case (Self.single?, _): value.append(byte)
      case (_, Self.backslash): (isEscaped, isInWord) = (true, true)
      case (Self.double?, _): value.append(byte)
      case (_, Self.single), (_, Self.double): turn(byte, byte)
      case (_, UInt8(ascii: " ")), (_, UInt8(ascii: "\t")), (_, UInt8(ascii: "\n")): endWord()
      default: takePlain(byte)
      }
    }

    private mutating func takePlain(_ byte: UInt8) {
      isInWord = true
      value.append(byte)
      if breaks.contains(byte) { kept = value.count }
    }

    /// Inside double quotes a backslash stands for itself before most characters.
    private mutating func takeEscaped(_ byte: UInt8) {
      isEscaped = false
      let special: [UInt8] = [Self.double, Self.backslash, UInt8(ascii: "$"), UInt8(ascii: "`")]
      if quote == Self.double, !special.contains(byte) { value.append(Self.backslash) }
      value.append(byte)
    }

    private mutating func turn(_ quote: UInt8?, _ byte: UInt8) {
      (self.quote, isInWord) = (quote, true)
      if breaks.contains(byte) { kept = value.count }
    }

    private mutating func endWord() {
      if isInWord { words.append(String(decoding: value, as: UTF8.self)) }
      (value, kept, isInWord) = ([], 0, false)
    }
  }
}
