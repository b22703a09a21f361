import Testing

@testable import runic

@Suite struct JSONOutTests {
  @Test(
    arguments: [
      (.null, "null"), (.bool(true), "true"), (.integer(.min), "-9223372036854775808"),
      (.integer(.max), "9223372036854775807"),
      (.string("a\"\\\n\u{1}\u{1F}é\u{7F}"), "\"a\\\"\\\\\\n\\u0001\\u001fé\u{7F}\""),
      (.array([]), "[]"), (.object([]), "{}"), (.optional(nil), "null"),
      (.strings(["a", "b"]), "[\"a\",\"b\"]"),
      (.object([("b", .count(1)), ("a", .array([.null, .bool(false)]))]), "{\"a\":[null,false],\"b\":1}"),
      // UTF-16 order: the surrogates of the emoji come before U+FB33, its scalar after.
      (.object([("\u{FB33}", .null), ("😀", .null)]), "{\"😀\":null,\"\u{FB33}\":null}"),
    ] as [(JSONOut, String)])
  func aValueIsWrittenCanonically(_ value: JSONOut, _ expected: String) {
    #expect(value.bytes == Array(expected.utf8))
  }

  @Test(
    arguments: [
      (0.0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (100, "100"),
      (1e20, "100000000000000000000"),
      (1e21, "1e+21"), (1.5e21, "1.5e+21"), (123_456_789_012_345_683_968, "123456789012345680000"),
      (1e-6, "0.000001"),
      (1e-7, "1e-7"), (1.25e-7, "1.25e-7"), (.leastNonzeroMagnitude, "5e-324"),
      (1.7976931348623157e308, "1.7976931348623157e+308"),
      (0.00125, "0.00125"), (1234.5678, "1234.5678"), (9007199254740992, "9007199254740992"),
      (1e16, "10000000000000000"),
    ] as [(Double, String)])
  func aDoubleIsWrittenAsECMAScriptDoes(_ value: Double, _ expected: String) {
    #expect(JSONOut.double(value).bytes == Array(expected.utf8))
  }
}
