import TestSupport
import Testing

@testable import RunicCore

/// What the walk over foreign JSON must never do: read outside, take a wrong field, stop a run.
@Suite struct ImportCursorTests {
  private static let line =
    #"{"a": [1, {"b": "x\"}]"}, null], "n": 12.0, "t": "\u00e9\ud83d\ude00\n\\", "neg": -1, "big": 9223372036854775807}"#

  private func facts(_ text: some Sequence<UInt8>) throws -> [String] {
    try Array(text).withUnsafeBytes { bytes in
      var cursor = LogCursor(bytes)
      var facts: [String] = []
      guard try cursor.beginObject() else { return [] }
      while let key = try cursor.nextKey() {
        switch key {
        case "n", "neg", "big": facts.append("\(key.string)=\(try cursor.count().map(String.init) ?? "-")")
        case "t": facts.append("t=\(try cursor.text()?.string ?? "-")")
        default: try cursor.skip()
        }
      }
      try cursor.finish()
      return facts
    }
  }

  @Test func readsWhatItIsAskedForAndStepsOverTheRest() throws {
    #expect(try facts(Self.line.utf8) == ["n=12", "t=é😀\n\\", "neg=-", "big=9223372036854775807"])
  }

  @Test func everyPrefixOfALineIsBroken() {
    let bytes = Array(Self.line.utf8)
    for end in 1..<bytes.count {
      #expect(throws: LogSyntaxError.self, "\(end)") { try facts(bytes[..<end]) }
    }
  }

  @Test func noiseNeverReadsOutside() {
    var random = SeededRandom(seed: 7)
    let alphabet = Array(#"{}[]":,\ud1e-. nt"#.utf8) + [0, 0xFF, 0x0A]
    for _ in 0..<20_000 {
      let noise = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      _ = try? facts([UInt8(ascii: "{")] + noise)
      noise.withUnsafeBytes { _ = LogText($0).string }
    }
  }

  @Test func deepNestingTakesNoStack() throws {
    let deep = String(repeating: "[", count: 1 << 20) + String(repeating: "]", count: 1 << 20)
    #expect(try facts(#"{"a":\#(deep),"n":1}"#.utf8) == ["n=1"])
  }

  @Test func searchesAgreeWithTheSimpleWay() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0...90, using: &random)).map { _ in
        Array(#""usage"#.utf8)[Int.random(in: 0..<6, using: &random)]
      }
      let word = Array(#""usage""#.utf8)
      let expected = text.indices.contains { text[$0...].starts(with: word) }
      #expect(text.withUnsafeBytes { $0.contains("\"usage\"") } == expected)
      let start = Int.random(in: 0...text.count, using: &random)
      let quote = text[start...].firstIndex(of: UInt8(ascii: "g"))
      #expect(text.withUnsafeBytes { $0.firstOffset(of: UInt8(ascii: "g"), from: start) } == quote)
    }
    let long = Array(repeating: UInt8(ascii: "x"), count: 100) + Array(#""usage""#.utf8)
    #expect(long.withUnsafeBytes { $0.contains("\"usage\"") })
  }

  @Test(arguments: [
    ("2026-09-05T12:00:00.1234567890123Z", "2026-09-05T12:00:00.123456789Z"),
    ("2026-09-05T14:00:00.5+02:00", "2026-09-05T12:00:00.5Z"),
    ("2026-09-05T12:00:00Z", "2026-09-05T12:00:00Z"),
    ("2026-09-05", nil), ("2026-09-05T12:00:00.12345678901234x", nil), ("", nil),
  ]) func readsTimesWithAFractionOfAnyLength(_ text: String, _ expected: String?) {
    #expect(Array(text.utf8).withUnsafeBytes { LogText($0).time?.text } == expected)
  }
}
