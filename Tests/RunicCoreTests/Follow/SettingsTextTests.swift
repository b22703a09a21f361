import CanonicalJSON
import Testing
import TestSupport

@testable import RunicCore

/// What a settings file looks like after its payload changed: a table of texts.
@Suite struct SettingsTextTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: Int
    let before: String
    /// Members to set; null removes one.
    let changes: JSONObject
    let after: String

    init(_ before: String, _ changes: JSONObject, _ after: String, line: Int = #line) {
      (self.before, self.changes, self.after, self.line) = (before, changes, after, line)
    }

    var testDescription: String { "line \(line)" }
  }

  static let cases = [
    // What did not change keeps its bytes: order, numbers, escapes, space.
    Case(#"{"b": 1.0, "a" : 1e2,"c":"\u00e9" }"#, ["a": 5], #"{"b": 1.0, "a" : 5,"c":"\u00e9" }"#),
    Case("{\n  \"z\": 1.50,\n  \"a\": -0\n}\n", ["a": 2], "{\n  \"z\": 1.50,\n  \"a\": 2\n}\n"),
    // The same number otherwise written is no change.
    Case("{\"a\": 1.0}", ["a": 1], "{\"a\": 1.0}"),
    Case("  {\"a\":1}\n\n", ["a": 2], "  {\"a\":2}\n\n"),
    Case("{\"a\":1}", ["a": 2], "{\"a\":2}"),
    // Line ends and indents are the file's own.
    Case("{\r\n\t\"a\": 1\r\n}\r\n", ["b": [1]], "{\r\n\t\"a\": 1,\r\n\t\"b\": [\r\n\t\t1\r\n\t]\r\n}\r\n"),
    Case("{\n    \"a\": 1\n}", ["b": true], "{\n    \"a\": 1,\n    \"b\": true\n}"),
    Case("{\n\"a\": 1\n}", ["b": true], "{\n\"a\": 1,\n\"b\": true\n}"),
    // A byte order mark stays.
    Case("\u{FEFF}{\"a\": 1}\n", ["a": 2], "\u{FEFF}{\"a\": 2}\n"),
    // One line stays one line.
    Case(#"{"a":1}"#, ["b": 2], #"{"a":1,"b":2}"#),
    Case(#"{"a": 1}"#, ["b": ["x": 1]], #"{"a": 1, "b": {"x":1}}"#),
    Case(#"{ "a": 1, "b": 2 }"#, ["c": 3], #"{ "a": 1, "b": 2, "c": 3 }"#),
    // Removal takes the comma along: first, middle, last, all.
    Case("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", ["a": .null], "{\n  \"b\": 2,\n  \"c\": 3\n}\n"),
    Case("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", ["b": .null], "{\n  \"a\": 1,\n  \"c\": 3\n}\n"),
    Case("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", ["c": .null], "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
    Case(#"{"a":1, "b":2}"#, ["a": .null, "b": .null], "{}"),
    Case(#"{"a":1 , "b":2}"#, ["a": .null, "c": 3], #"{"b":2, "c":3}"#),
    Case("{\n  \"a\": 1\n}\n", ["a": .null, "b": 2], "{\n  \"b\": 2\n}\n"),
    // New ones come last, in canonical order, without the blank line that stood before the last.
    Case(
      "{\n  \"a\": 1,\n\n  \"z\": 2\n}\n", ["c": 3, "b": 4],
      "{\n  \"a\": 1,\n\n  \"z\": 2,\n  \"b\": 4,\n  \"c\": 3\n}\n"),
    Case("{}\n", ["a": ["b": 1]], "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"),
    Case("{\n}", ["a": 1], "{\n  \"a\": 1\n}"),
    // Inside, too.
    Case(
      "{\n  \"e\": {\n    \"font\": 12.0,\n    \"list\": [1.0, 2.0]\n  },\n  \"x\": 1.0\n}",
      ["e": ["font": 12, "list": [1, 3], "new": [:]]],
      "{\n  \"e\": {\n    \"font\": 12.0,\n    \"list\": [1.0, 3],\n    \"new\": {}\n  },\n  \"x\": 1.0\n}"),
    Case(#"{"l": [1.0, 2.0, 3.0]}"#, ["l": [1, 2]], #"{"l": [1.0, 2.0]}"#),
    Case(#"{"l": [1.0]}"#, ["l": [1, 2]], #"{"l": [1.0, 2]}"#),
    Case("{\n  \"l\": [\n    1.0\n  ]\n}", ["l": [1, 2]], "{\n  \"l\": [\n    1.0,\n    2\n  ]\n}"),
    Case("{\"l\": []}", ["l": [1]], "{\"l\": [1]}"),
    // Keys are bytes: two forms of one word are two keys; escapes in keys are seen through.
    Case("{\"e\u{301}\": 1, \"\u{E9}\": 2}", ["\u{E9}": 3], "{\"e\u{301}\": 1, \"\u{E9}\": 3}"),
    Case(#"{"\u0061\/": 1, "": 2}"#, ["a/": 4, "": 5], #"{"\u0061\/": 4, "": 5}"#),
    Case(#"{"a:\"b": 1}"#, ["k": 1], #"{"a:\"b": 1, "k": 1}"#),
    Case(#"{"a" :1}"#, ["b": "x\"y"], #"{"a" :1,"b" :"x\"y"}"#),
    Case(#"{"😀": "😀"}"#, ["😀": "é"], #"{"😀": "é"}"#),
  ]

  @Test(arguments: cases) func aChangeTouchesNothingElse(_ row: Case) throws {
    let text = try SettingsText(Array(row.before.utf8))
    var payload = text.payload
    for (key, value) in row.changes { payload[key] = value.isNull ? nil : value }
    let edited = text.edited(to: payload)
    #expect(String(decoding: edited, as: UTF8.self) == row.after)
    #expect(try SettingsText(edited).payload == payload)
  }

  @Test(arguments: [
    ("", SettingsError.empty), (" \n\t\u{FEFF}", .syntax(JSONError(position: 3, reason: .unexpectedByte))),
    ("\u{FEFF} \n", .empty), ("[1]", .noObject), ("12", .noObject),
    ("{\"a\": 1", .syntax(JSONError(position: 7, reason: .unexpectedEnd))),
    ("{\"a\":1,\"a\":2}", .syntax(JSONError(position: 7, reason: .duplicateKey))),
    ("{\"a\":{\"b\":1,\"\\u0062\":2}}", .syntax(JSONError(position: 12, reason: .duplicateKey))),
    ("{\"a\":1} // comment", .syntax(JSONError(position: 8, reason: .trailingBytes))),
    ("\u{FEFF}{\"a\":}", .syntax(JSONError(position: 8, reason: .unexpectedByte))),
  ])
  func whatIsNoObjectIsRefused(_ text: String, _ error: SettingsError) {
    #expect(throws: error) { try SettingsText(Array(text.utf8)) }
  }

  /// Any payload may become any other, in any layout, and what is read back is what was meant.
  @Test func anyPayloadBecomesAnyOther() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<2000 {
      let (before, after) = (object(3, &random), object(3, &random))
      let layout = Layout.allCases.randomElement(using: &random) ?? .spread
      let text = try SettingsText(layout.text(before))
      let edited = try SettingsText(text.edited(to: after))
      #expect(edited.payload == after, "seed \(seed)")
      #expect(try SettingsText(edited.edited(to: before)).payload == before, "seed \(seed)")
    }
  }

  private enum Layout: CaseIterable {
    case canonical, spread, loose

    func text(_ object: JSONObject) -> [UInt8] {
      switch self {
      case .canonical: object.canonicalBytes
      case .spread:
        SettingsStyle(Array("{\n  \"a\": 1}".utf8), top: 0..<11).text(of: .object(object), indent: [])
      case .loose: object.canonicalBytes.flatMap { ",:[]{}".utf8.contains($0) ? [0x20, $0, 0x0A] : [$0] }
      }
    }
  }

  private func object(_ depth: Int, _ random: inout SeededRandom) -> JSONObject {
    let keys = ["a", "b", "c", "\"q\"", "e\u{301}", ""].shuffled(using: &random).prefix(
      Int.random(in: 0...5, using: &random))
    return JSONObject(keys.map { (key: JSONString($0), value: value(depth - 1, &random)) })
  }

  private func value(_ depth: Int, _ random: inout SeededRandom) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &random) {
    case 0: .integer(Int64.random(in: -3...3, using: &random))
    case 1: .string("text")
    case 2: .double(0.5)
    case 3: .bool(true)
    case 4: .object(object(depth, &random))
    default: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth - 1, &random) })
    }
  }
}
