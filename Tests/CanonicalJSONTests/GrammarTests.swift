import CanonicalJSON
import Testing

@Suite struct GrammarTests {
  struct Row: CustomTestStringConvertible {
    let text: [UInt8]
    let outcome: Outcome
    let line: Int
    var testDescription: String { "line \(line)" }

    init(_ text: String, _ canonical: String, line: Int = #line) {
      self.init(Array(text.utf8), .canonical(canonical), line: line)
    }

    init(_ text: String, _ reason: JSONError.Reason, _ position: Int, line: Int = #line) {
      self.init(Array(text.utf8), .refused(reason, at: position), line: line)
    }

    /// A string of these bytes.
    init(string bytes: [UInt8], _ reason: JSONError.Reason, _ position: Int, line: Int = #line) {
      self.init([0x22] + bytes + [0x22], .refused(reason, at: position), line: line)
    }

    init(_ text: [UInt8], _ outcome: Outcome, line: Int = #line) {
      (self.text, self.outcome, self.line) = (text, outcome, line)
    }
  }

  static let structure: [Row] = [
    Row("{}", "{}"), Row("[]", "[]"), Row(" [ ] ", "[]"), Row("\t{\r\n} ", "{}"), Row("\"\"", "\"\""),
    Row("true", "true"), Row(" false", "false"), Row("null\n", "null"), Row("[[],[[]],{}]", "[[],[[]],{}]"),
    Row("[ 1 , 2 ]", "[1,2]"), Row("{ \"b\" : 1 , \"a\" : [ ] }", "{\"a\":[],\"b\":1}"),
    Row(
      "{\"b\":{\"d\":1,\"c\":2},\"a\":{\"f\":3,\"e\":4}}", "{\"a\":{\"e\":4,\"f\":3},\"b\":{\"c\":2,\"d\":1}}"
    ),
    Row("{\"a\":1,\"aa\":2,\"\":3}", "{\"\":3,\"a\":1,\"aa\":2}"),
    Row("", .unexpectedEnd, 0), Row("  ", .unexpectedEnd, 2), Row("[", .unexpectedEnd, 1),
    Row("[1", .unexpectedEnd, 2), Row("[1,", .unexpectedEnd, 3), Row("{\"a\"", .unexpectedEnd, 4),
    Row("{\"a\":", .unexpectedEnd, 5), Row("{\"a\":1", .unexpectedEnd, 6), Row("tru", .unexpectedEnd, 3),
    Row("trve", .unexpectedByte, 2), Row("True", .unexpectedByte, 0), Row("[1,]", .unexpectedByte, 3),
    Row("[,1]", .unexpectedByte, 1), Row("[1 2]", .unexpectedByte, 3), Row("[1}", .unexpectedByte, 2),
    Row("{\"a\":1,}", .unexpectedByte, 7), Row("{a:1}", .unexpectedByte, 1),
    Row("{\"a\" 1}", .unexpectedByte, 5),
    Row("{\"a\":}", .unexpectedByte, 5), Row("{1:1}", .unexpectedByte, 1), Row("]", .unexpectedByte, 0),
    Row("'a'", .unexpectedByte, 0), Row("/**/1", .unexpectedByte, 0), Row("\u{FEFF}1", .unexpectedByte, 0),
    Row("\u{A0}1", .unexpectedByte, 0), Row("\u{C}1", .unexpectedByte, 0), Row("1 2", .trailingBytes, 2),
    Row("{}{}", .trailingBytes, 2), Row("[]]", .trailingBytes, 2), Row("1\0", .trailingBytes, 1),
    Row("truefalse", .trailingBytes, 4),
  ]

  static let strings: [Row] = [
    Row("\"\\b\\t\\n\\f\\r\\\"\\\\\\/\"", "\"\\b\\t\\n\\f\\r\\\"\\\\/\""),
    Row("\"\\u0000\\u000B\\u001f\\u0008\\u000a\"", "\"\\u0000\\u000b\\u001f\\b\\n\""),
    Row("\"\\u0041\\u007f\\u0080\\u00e9\\u20AC\"", "\"A\u{7F}\u{80}é€\""),
    Row("\"\\u0022\\u005c\\u002f\"", "\"\\\"\\\\/\""), Row("\"\\ud83d\\uDE02\"", "\"😂\""),
    Row("\"\\udbff\\udfff\\ud800\\udc00\"", "\"\u{10FFFF}\u{10000}\""),
    Row("\"plain text, and more of it: é€😂 then plain\"", "\"plain text, and more of it: é€😂 then plain\""),
    Row("\"\\uFFFE\\uFFFF\"", "\"\u{FFFE}\u{FFFF}\""),
    Row("\"\u{2028}\u{2029}\u{FEFF}\"", "\"\u{2028}\u{2029}\u{FEFF}\""),
    Row("\"", .unexpectedEnd, 1), Row("\"abcdefghijkl", .unexpectedEnd, 13), Row("\"\\", .unexpectedEnd, 2),
    Row("\"\\\"", .unexpectedEnd, 3), Row("\"\\u12", .unexpectedEnd, 5), Row("\"\\x41\"", .invalidEscape, 1),
    Row("\"\\U0041\"", .invalidEscape, 1), Row("\"\\u00g0\"", .invalidEscape, 1),
    Row("\"a\\0\"", .invalidEscape, 2),
    Row("\"\\'\"", .invalidEscape, 1), Row("\"\\u 041\"", .invalidEscape, 1),
    Row("\"\\u+041\"", .invalidEscape, 1),
    Row("\"\\ud83d\"", .loneSurrogate, 1), Row("\"ab\\ude02\"", .loneSurrogate, 3),
    Row("\"\\ud83dx\"", .loneSurrogate, 1), Row("\"\\ud83d\\n\"", .loneSurrogate, 1),
    Row("\"\\ud83d\\ud83d\\ude02\"", .loneSurrogate, 1), Row("\"\\ud83d\\u0041\"", .loneSurrogate, 1),
    Row("\"\\ude02\\ud83d\"", .loneSurrogate, 1), Row("{\"\\ud800\":1}", .loneSurrogate, 2),
    Row("\"a\nb\"", .unescapedControl, 2), Row("\"0123456789\u{0}\"", .unescapedControl, 11),
    Row("\"\t\"", .unescapedControl, 1), Row("\"\u{1F}\"", .unescapedControl, 1),
    Row("{\"a\u{1}\":1}", .unescapedControl, 3),
    Row(string: [0x80], .invalidUTF8, 1), Row(string: [0x41, 0xBF], .invalidUTF8, 2),
    Row(string: [0xC3], .invalidUTF8, 1), Row(string: [0xC0, 0x80], .invalidUTF8, 1),
    Row(string: [0xC1, 0xBF], .invalidUTF8, 1), Row(string: [0xE0, 0x9F, 0xBF], .invalidUTF8, 1),
    Row(string: [0xED, 0xA0, 0x80], .invalidUTF8, 1), Row(string: [0xED, 0xBF, 0xBF], .invalidUTF8, 1),
    Row(string: [0xE2, 0x82], .invalidUTF8, 1), Row(string: [0xE2, 0x82, 0x41], .invalidUTF8, 1),
    Row(string: [0xF0, 0x8F, 0xBF, 0xBF], .invalidUTF8, 1),
    Row(string: [0xF4, 0x90, 0x80, 0x80], .invalidUTF8, 1),
    Row(string: [0xF5, 0x80, 0x80, 0x80], .invalidUTF8, 1), Row(string: [0xF0, 0x9F, 0x98], .invalidUTF8, 1),
    Row(string: [0xFF], .invalidUTF8, 1), Row(string: [0xFE, 0xFF], .invalidUTF8, 1),
    Row([0x22, 0xF0, 0x9F, 0x98], .refused(.invalidUTF8, at: 1)),
    Row([0xFF, 0xFE], .refused(.unexpectedByte, at: 0)),
  ]

  @Test(arguments: structure) func readsOrRefusesStructure(row: Row) { check(row) }

  @Test(arguments: strings) func readsOrRefusesStrings(row: Row) { check(row) }

  private func check(_ row: Row) {
    #expect(outcome(row.text) == row.outcome)
    switch row.outcome {
    case .canonical(let canonical):
      #expect(outcome(canonical) == row.outcome, "canonical text must stay as it is")
      #expect((canonicalError(row.text) == nil) == (row.text == Array(canonical.utf8)))
      #expect((try? JSONValue.parse(row.text).canonicalBytes) == Array(canonical.utf8))
    case .refused(let reason, let position):
      #expect(canonicalError(row.text) != nil)
      #expect(throws: JSONError(position: position, reason: reason)) { try JSONValue.parse(row.text) }
    }
  }

  @Test func limitsNestingOnBothWays() {
    for (open, close) in [("[", "]"), ("{\"\":", "}")] {
      let nested = { (depth: Int, space: String) in
        Array(
          (String(repeating: open, count: depth) + space + "1" + String(repeating: close, count: depth)).utf8)
      }
      for space in ["", " "] {
        #expect(outcome(nested(128, space)) == .canonical(String(decoding: nested(128, ""), as: UTF8.self)))
        let position = 128 * open.utf8.count
        #expect(outcome(nested(129, space)) == .refused(.nestingTooDeep, at: position))
        #expect(outcome(nested(100_000, space)) == .refused(.nestingTooDeep, at: position))
      }
      #expect(
        canonicalError(nested(129, "")) == JSONError(position: 128 * open.utf8.count, reason: .nestingTooDeep)
      )
      #expect(outcome(nested(1, " "), maximumNesting: 0) == .refused(.nestingTooDeep, at: 0))
    }
    // Depth is what is open at once, not what was opened in all.
    let wide = "[" + Array(repeating: "[ ]", count: 1000).joined(separator: ",") + "]"
    #expect(outcome(wide) == .canonical(wide.filter { $0 != " " }))
  }

  @Test func namesEveryReason() {
    let messages = JSONError.Reason.allCases.map { JSONError(position: 0, reason: $0).message }
    #expect(Set(messages).count == messages.count)
    #expect(messages.allSatisfy { !$0.hasSuffix(".") && !$0.isEmpty })
  }
}
