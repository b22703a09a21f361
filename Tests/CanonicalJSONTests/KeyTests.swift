import CanonicalJSON
import TestSupport
import Testing

@Suite struct KeyTests {
  /// Keys in canonical order, as they are written; surrogate pairs stand before U+E000.
  static let ordered = [
    "", "\\u0000", "\\b", "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u001f", " ", "!", "\\\"", "#", "1", "10",
    "2",
    "A", "[", "\\\\", "\\\\\\\\", "\\\\a", "]", "a", "a\\n", "a\\r", "a ", "a\\\"", "aa", "a\u{301}", "b",
    "\u{7F}",
    "\u{80}", "ö", "\u{7FF}", "\u{800}", "€", "\u{D7FF}", "\u{10000}", "😂", "\u{10FFFF}", "\u{E000}",
    "\u{E000}a", "\u{FB33}", "\u{FFFD}", "\u{FFFF}",
  ]

  @Test func ordersKeysByCodeUnits() {
    let canonical = "{" + Self.ordered.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    #expect(canonicalError(Array(canonical.utf8)) == nil)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let shuffled = Self.ordered.shuffled(using: &random).map { "\"\($0)\": 1" }.joined(separator: ",")
      #expect(outcome("{" + shuffled + "}") == .canonical(canonical), "seed \(seed)")
    }
  }

  @Test func refusesEveryWrongPairOfKeys() {
    for (i, left) in Self.ordered.enumerated() {
      for (j, right) in Self.ordered.enumerated() {
        let text = Array("{\"\(left)\":1,\"\(right)\":1}".utf8)
        let expected: JSONError.Reason? = i < j ? nil : i == j ? .duplicateKey : .keyOrder
        let error = canonicalError(text)
        #expect(error?.reason == expected)
        if let error { #expect(error.position == left.utf8.count + 6) }
      }
    }
  }

  /// The order is that of Swift's own UTF-16 view, an independent way to it.
  @Test func stringsCompareAsTheirCodeUnits() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let alphabet: [Character] = [
      "a", "b", "\u{E9}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "😂",
    ]
    for _ in 0..<5_000 {
      let left = String((0..<random.below(4)).map { _ in alphabet[random.below(alphabet.count)] })
      let right = String((0..<random.below(4)).map { _ in alphabet[random.below(alphabet.count)] })
      let expected = Array(left.utf16).lexicographicallyPrecedes(Array(right.utf16))
      #expect((JSONString(left) < JSONString(right)) == expected, "seed \(seed)")
    }
  }

  @Test func keysThatDifferInBytesAreDifferentKeys() throws {
    // Two normalisation forms of one letter.
    #expect(outcome("{\"\u{E9}\":1,\"e\u{301}\":2}") == .canonical("{\"e\u{301}\":2,\"\u{E9}\":1}"))
    #expect(JSONString("\u{E9}") != JSONString("e\u{301}"))
    let value = try JSONValue.parse(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
    #expect(value["\u{E9}"] == 1)
    #expect(value["e\u{301}"] == 2)
  }

  @Test(arguments: [
    ("{\"a\":1,\"a\":1}", 7), ("{\"a\":1,\"b\":2,\"a\":3}", 13), ("{\"b\":1,\"a\":2,\"\\u0062\":3}", 13),
    ("{\"\\u0061\":1, \"a\":2}", 13), ("[{\"x\":{\"\":0,\"\":0}}]", 12),
    ("{\"c\":0,\"b\":0,\"a\":0,\"c\":0}", 19),
  ])
  func refusesASecondKeyWhereItStands(text: String, position: Int) {
    #expect(outcome(text) == .refused(.duplicateKey, at: position))
  }
}
