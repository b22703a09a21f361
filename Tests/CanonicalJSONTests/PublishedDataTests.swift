import CanonicalJSON
import Testing

@Suite struct PublishedDataTests {
  @Test(arguments: ["arrays", "french", "structures", "unicode", "values", "weird"])
  func givesThePublishedCanonicalForm(name: String) throws {
    let input = try Fixture.bytes("rfc8785/input/\(name).json")
    let expected = try Fixture.bytes("rfc8785/output/\(name).json")
    #expect(try canonicalized(input).get() == expected)
    #expect(try canonicalized(expected).get() == expected)
    #expect(canonicalError(expected) == nil)
    #expect(canonicalError(input) != nil)
    #expect(try JSONValue.parse(input).canonicalBytes == expected)
  }

  @Test func writesThePublishedNumbers() throws {
    let lines = String(decoding: try Fixture.bytes("rfc8785/numbers.txt"), as: UTF8.self).split(
      separator: "\n")
    #expect(lines.count == 27)
    for line in lines {
      let parts = line.split(separator: " ")
      let double = Double(bitPattern: try #require(UInt64(parts[0], radix: 16)))
      let expected = String(parts[1])
      #expect(String(decoding: JSONValue.double(double).canonicalBytes, as: UTF8.self) == expected)
      #expect(outcome(expected) == .canonical(expected))
      #expect(try JSONValue.parse(Array(expected.utf8)).doubleValue == double)
    }
  }

  /// RFC 8785, appendix B, notes 3: what has no JSON form.
  @Test(arguments: [0x7FFF_FFFF_FFFF_FFFF, 0x7FF0_0000_0000_0000, 0xFFF0_0000_0000_0000] as [UInt64])
  func hasNoNumberForInfinityAndNaN(bits: UInt64) {
    #expect(JSONValue.number(Double(bitPattern: bits)) == nil)
    #expect(JSONValue.double(Double(bitPattern: bits)).canonicalBytes == Array("null".utf8))
  }
}
