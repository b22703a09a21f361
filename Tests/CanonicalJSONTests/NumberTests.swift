import CanonicalJSON
import TestSupport
import Testing

@Suite struct NumberTests {
  struct Row: CustomTestStringConvertible {
    let text: String
    let outcome: Outcome
    let line: Int
    var testDescription: String { "line \(line): \(text.prefix(60))" }

    init(_ text: String, _ canonical: String, line: Int = #line) {
      self.init(text, .canonical(canonical), line: line)
    }

    init(_ text: String, _ outcome: Outcome, line: Int = #line) {
      (self.text, self.outcome, self.line) = (text, outcome, line)
    }
  }

  static let rows: [Row] = [
    // Integers inside Int64 keep their digits, also beyond 2^53.
    Row("0", "0"), Row("-1", "-1"), Row("10", "10"), Row("9007199254740993", "9007199254740993"),
    Row("123456789012345678", "123456789012345678"), Row("1152921504606846976", "1152921504606846976"),
    Row("9223372036854775807", "9223372036854775807"), Row("-9223372036854775808", "-9223372036854775808"),
    Row("-9007199254740993", "-9007199254740993"), Row("999999999999999999", "999999999999999999"),
    // Beyond it only what is written as its double is.
    Row("9223372036854775808", .refused(.integerOutOfRange, at: 0)),
    Row("-9223372036854775809", .refused(.integerOutOfRange, at: 0)),
    Row("9223372036854776000", "9223372036854776000"), Row("-9223372036854776000", "-9223372036854776000"),
    Row("9223372036854776001", .refused(.integerOutOfRange, at: 0)),
    Row("18446744073709551615", .refused(.integerOutOfRange, at: 0)),
    Row("18446744073709552000", "18446744073709552000"),
    Row("295147905179352830000", "295147905179352830000"),
    Row("100000000000000000000", "100000000000000000000"),
    Row("1000000000000000000000", .refused(.integerOutOfRange, at: 0)),
    Row("1" + String(repeating: "0", count: 400), .refused(.numberOverflow, at: 0)),
    // Everything else is the nearest double.
    Row("1.0", "1"), Row("1e2", "100"), Row("1E2", "100"), Row("1e+2", "100"), Row("1e-2", "0.01"),
    Row("-0", "0"), Row("-0.0", "0"), Row("0.0", "0"), Row("-0e5", "0"), Row("0e999999999999", "0"),
    Row("0.000e-999", "0"), Row("4.50", "4.5"), Row("100.00", "100"), Row("-100.50", "-100.5"),
    Row("-0.10", "-0.1"), Row("1e21", "1e+21"), Row("1e20", "100000000000000000000"),
    Row("1.5e300", "1.5e+300"),
    Row("9223372036854775807.0", "9223372036854776000"), Row("123456789012345.0", "123456789012345"),
    Row("1234567890123456.0", "1234567890123456"), Row("12345678901234567.0", "12345678901234568"),
    Row("0.1", "0.1"), Row("0.30000000000000004", "0.30000000000000004"),
    Row("0.1000000000000000055511151231257827", "0.1"), Row("333333333.33333329", "333333333.3333333"),
    Row("0.000001", "0.000001"), Row("0.0000012", "0.0000012"), Row("0.0000001", "1e-7"),
    Row("0.00000120", "0.0000012"), Row("0.00000012345", "1.2345e-7"), Row("1e-6", "0.000001"),
    Row("123456789012.345", "123456789012.345"), Row("0.123456789012345", "0.123456789012345"),
    Row("0.12345678901234567", "0.12345678901234566"), Row("9007199254740993.0", "9007199254740992"),
    Row("1e0", "1"), Row("12e-1", "1.2"), Row("1.7976931348623157e308", "1.7976931348623157e+308"),
    Row("5e-324", "5e-324"), Row("3e-324", "5e-324"),
    Row("2.2250738585072014e-308", "2.2250738585072014e-308"),
    // What a double cannot hold at all.
    Row("1e309", .refused(.numberOverflow, at: 0)),
    Row("-1e999999999999999999999", .refused(.numberOverflow, at: 0)),
    Row("1.7976931348623159e308", .refused(.numberOverflow, at: 0)),
    Row("1e-400", .refused(.numberUnderflow, at: 0)), Row("2e-324", .refused(.numberUnderflow, at: 0)),
    Row("-0.1e-999999999999999999999", .refused(.numberUnderflow, at: 0)),
    Row("[1,1e309]", .refused(.numberOverflow, at: 3)),
    // What is no number.
    Row("01", .refused(.leadingZero, at: 0)), Row("-01", .refused(.leadingZero, at: 1)),
    Row("00", .refused(.leadingZero, at: 0)), Row("00.5", .refused(.leadingZero, at: 0)),
    Row("-", .refused(.unexpectedEnd, at: 1)), Row("1.", .refused(.unexpectedEnd, at: 2)),
    Row("1e", .refused(.unexpectedEnd, at: 2)), Row("1e+", .refused(.unexpectedEnd, at: 3)),
    Row(".5", .refused(.unexpectedByte, at: 0)), Row("+1", .refused(.unexpectedByte, at: 0)),
    Row("1.e5", .refused(.unexpectedByte, at: 2)), Row("-a", .refused(.unexpectedByte, at: 1)),
    Row("0x10", .refused(.trailingBytes, at: 1)), Row("1_000", .refused(.trailingBytes, at: 1)),
    Row("NaN", .refused(.unexpectedByte, at: 0)), Row("nan", .refused(.unexpectedByte, at: 1)),
    Row("Infinity", .refused(.unexpectedByte, at: 0)), Row("-Infinity", .refused(.unexpectedByte, at: 1)),
  ]

  @Test(arguments: rows) func givesOneFormOrARefusal(row: Row) {
    #expect(outcome(row.text) == row.outcome)
    guard case .canonical(let canonical) = row.outcome else { return }
    #expect(outcome(canonical) == row.outcome, "canonical text must stay as it is")
    #expect((canonicalError(Array(row.text.utf8)) == nil) == (row.text == canonical))
  }

  @Test func keepsAllDoublesExactly() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      let bytes = JSONValue.double(double).canonicalBytes
      let read = try JSONValue.parse(bytes)
      #expect(read.doubleValue == double, "seed \(seed)")
      #expect(read == JSONValue.number(double), "seed \(seed)")
      #expect(read.canonicalBytes == bytes, "seed \(seed)")
    }
  }

  /// The short way, by cutting the text, must say what the long way, through a double, says.
  @Test func cutsDecimalsAsTheNearestDoubleIsWritten() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      let digits = String(random.next() % 1_000_000_000_000_000).prefix(1 + random.below(15))
      let zeros = String(repeating: "0", count: random.below(8))
      let point = random.below(digits.count + 1)
      let whole = point == 0 ? "0" : String(digits.prefix(point))
      if whole.count > 1, whole.hasPrefix("0") { continue }
      let text = "-\(whole).\(point == 0 ? zeros : "")\(digits.dropFirst(point))\(zeros)0"
      let double = try #require(Double(text))
      let expected = String(decoding: JSONValue.double(double).canonicalBytes, as: UTF8.self)
      #expect(outcome(text) == .canonical(expected), "seed \(seed): \(text)")
    }
  }

  @Test func readsSlicesAsTheNumbersTheyAre() throws {
    let text = Array("[9223372036854775807,9223372036854776000,-0.5,7]".utf8)
    try text.withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      var elements = try cursor.beginArray()
      var slices: [JSONSlice] = []
      while try cursor.nextElement(in: &elements) { slices.append(try cursor.nextValue()) }
      #expect(slices.map(\.integer) == [.max, nil, nil, 7])
      #expect(slices.map(\.double) == [0x1p63, 0x1p63, -0.5, 7])
    }
  }
}
