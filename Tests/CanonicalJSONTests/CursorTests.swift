import CanonicalJSON
import Testing

@Suite struct CursorTests {
  private func withCursor<R>(_ text: String, _ body: (inout JSONCursor) throws -> R) throws -> R {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      return try body(&cursor)
    }
  }

  @Test func cutsPayloadsOutOfALine() throws {
    let line =
      #"{"changes":[{"add":{"n":1,"s":"a\"]}"},"kind":"usage"},{"add":[],"kind":"x"}],"s":7,"zz":null}"#
    try withCursor(line) { cursor in
      var (payloads, kinds, sequence, others): ([String], [JSONString], Int64?, [JSONString]) = (
        [], [], nil, []
      )
      var members = try cursor.beginObject()
      while let key = try cursor.nextKey(in: &members) {
        switch key {
        case "s": sequence = try cursor.readInteger()
        case "changes":
          var changes = try cursor.beginArray()
          while try cursor.nextElement(in: &changes) {
            var change = try cursor.beginObject()
            while let field = try cursor.nextField(in: &change) {
              switch field.key {
              case "add": payloads.append(String(decoding: cursor.bytes[field.value.range], as: UTF8.self))
              default: if let kind = field.value.string { kinds.append(kind) }
              }
            }
          }
        default:
          others.append(key.string)
          try cursor.skipValue()
        }
      }
      try cursor.finish()
      #expect(payloads == [#"{"n":1,"s":"a\"]}"}"#, "[]"])
      #expect(kinds == ["usage", "x"])
      #expect(sequence == 7)
      #expect(others == ["zz"])
    }
  }

  @Test func readsEveryType() throws {
    try withCursor(#"[true,false,null,-5,0.5,"a\u0000\n\"\\é",{},1e+21]"#) { cursor in
      var elements = try cursor.beginArray()
      var next: Bool { get throws { try cursor.nextElement(in: &elements) } }
      #expect(try next)
      #expect(try cursor.readBool())
      #expect(try next)
      #expect(try !cursor.readBool())
      #expect(try next)
      try cursor.readNull()
      #expect(try next)
      #expect(try cursor.readInteger() == -5)
      #expect(try next)
      #expect(try cursor.nextValue().double == 0.5)
      #expect(try next)
      #expect(try cursor.readString() == "a\0\n\"\\é")
      #expect(try next)
      #expect(try cursor.peekType() == .object)
      #expect(try cursor.skipValue().count == 2)
      #expect(try next)
      #expect(throws: JSONError(position: cursor.position, reason: .typeMismatch)) {
        try cursor.readInteger()
      }
      #expect(try !next)
      try cursor.finish()
    }
  }

  @Test func refusesAnotherTypeWhereItStands() throws {
    try withCursor("[1]") { cursor in
      var elements = try cursor.beginArray()
      _ = try cursor.nextElement(in: &elements)
      let error = JSONError(position: 1, reason: .typeMismatch)
      #expect(throws: error) { try cursor.readString() }
      #expect(throws: error) { try cursor.readBool() }
      #expect(throws: error) { try cursor.readNull() }
      #expect(throws: error) { _ = try cursor.beginObject() }
      #expect(throws: error) { _ = try cursor.beginArray() }
      #expect(try cursor.readInteger() == 1)
    }
  }

  @Test func refusesAValueThatWasNotRead() throws {
    try withCursor(#"{"a":1,"b":2}"#) { cursor in
      var members = try cursor.beginObject()
      _ = try cursor.nextKey(in: &members)
      #expect(throws: JSONError(position: 5, reason: .unexpectedByte)) {
        _ = try cursor.nextKey(in: &members)
      }
    }
  }

  struct Row: CustomTestStringConvertible {
    let text: String
    let error: JSONError
    var testDescription: String { text }

    init(_ text: String, _ reason: JSONError.Reason, _ position: Int) {
      (self.text, error) = (text, JSONError(position: position, reason: reason))
    }
  }

  static let rows = [
    Row(" 1", .notCanonical, 0), Row("1 ", .trailingBytes, 1), Row("[ ]", .notCanonical, 1),
    Row("[1, 2]", .notCanonical, 3), Row("[1 ,2]", .notCanonical, 2), Row("{\"a\" :1}", .notCanonical, 4),
    Row("{\"a\": 1}", .notCanonical, 5), Row("{\"b\":1,\"a\":2}", .keyOrder, 7), Row("1.0", .notCanonical, 0),
    Row("-0", .notCanonical, 0), Row("-0.0", .notCanonical, 0), Row("1E2", .notCanonical, 0),
    Row("1e21", .notCanonical, 0), Row("1e20", .notCanonical, 0), Row("0.10", .notCanonical, 0),
    Row("0.0000001", .notCanonical, 0), Row("0.12345678901234567", .notCanonical, 0),
    Row("01", .leadingZero, 0),
    Row("9223372036854775808", .integerOutOfRange, 0), Row("1e999", .numberOverflow, 0),
    Row("\"\\/\"", .notCanonical, 1), Row("\"\\u0041\"", .notCanonical, 1),
    Row("\"\\u000a\"", .notCanonical, 1),
    Row("\"\\u001F\"", .notCanonical, 1), Row("\"\\u00e9\"", .notCanonical, 1),
    Row("\"\\u0022\"", .notCanonical, 1),
    Row("\"\\ud83d\\ude02\"", .notCanonical, 1), Row("\"\\x\"", .notCanonical, 1),
    Row("\"\\u00", .unexpectedEnd, 5),
    Row("[1,]", .unexpectedByte, 3), Row("{\"a\":1,}", .unexpectedByte, 7), Row("[,1]", .unexpectedByte, 1),
    Row("{\"a\":1", .unexpectedEnd, 6), Row("", .unexpectedEnd, 0),
  ]

  @Test(arguments: rows) func refusesWhatIsNotCanonical(row: Row) {
    #expect(canonicalError(Array(row.text.utf8)) == row.error)
  }

  @Test func startsAndEndsAnywhereWithoutReadingOutside() throws {
    let bytes = Array("[12]".utf8)
    bytes.withUnsafeBytes { text in
      for position in [-1, 4, 5, Int.max] {
        var cursor = JSONCursor(text, at: position)
        #expect((try? cursor.skipValue()) == (position < 0 ? 0..<4 : nil))
      }
    }
    var cursor = JSONCursor(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(throws: JSONError(position: 0, reason: .unexpectedEnd)) { try cursor.skipValue() }
  }
}
