import CanonicalJSON
import ObjectStore

/// A JSON cursor whose complaints are those of the format, with readers for the values that changes are made of.
struct ChangeCursor {
  private(set) var json: JSONCursor

  init(_ bytes: UnsafeRawBufferPointer, at position: Int) {
    json = JSONCursor(bytes, at: position, maximumNesting: ChangeCodec.nesting)
  }

  var position: Int { json.position }

  @inline(__always)
  private mutating func reading<Value>(
    _ read: (inout JSONCursor) throws(JSONError) -> Value
  ) throws(FormatError) -> Value {
    do throws(JSONError) {
      return try read(&json)
    } catch {
      throw .content("json: \(error.message)")
    }
  }

  mutating func beginObject() throws(FormatError) -> JSONCursor.Members {
    try reading { json throws(JSONError) in try json.beginObject() }
  }

  @inline(__always)
  mutating func nextKey(in members: inout JSONCursor.Members) throws(FormatError) -> JSONKey? {
    try reading { json throws(JSONError) in try json.nextKey(in: &members) }
  }

  mutating func beginArray() throws(FormatError) -> JSONCursor.Elements {
    try reading { json throws(JSONError) in try json.beginArray() }
  }

  mutating func nextElement(in elements: inout JSONCursor.Elements) throws(FormatError) -> Bool {
    try reading { json throws(JSONError) in try json.nextElement(in: &elements) }
  }

  mutating func value() throws(FormatError) -> JSONSlice {
    try reading { json throws(JSONError) in try json.nextValue() }
  }

  /// Steps over an object and answers where it lies.
  mutating func object() throws(FormatError) -> Range<Int> {
    let value = try value()
    guard value.type == .object else { throw .content("payload") }
    return value.range
  }

  mutating func integer() throws(FormatError) -> Int64 {
    try reading { json throws(JSONError) in try json.readInteger() }
  }

  /// The bytes that a string stands for.
  mutating func text() throws(FormatError) -> [UInt8] {
    try reading { json throws(JSONError) in try json.readString() }.utf8
  }

  /// What stands between the quotes of a string, escapes as they are.
  mutating func rawText() throws(FormatError) -> UnsafeRawBufferPointer {
    let range = try reading { json throws(JSONError) in try json.readStringRange() }
    return UnsafeRawBufferPointer(rebasing: json.bytes[range])
  }

  /// A flag that is only written where it is true.
  mutating func truth() throws(FormatError) {
    let value = try reading { json throws(JSONError) in try json.readBool() }
    guard value else { throw .content("flag") }
  }

  /// Digests, identifiers: exactly their lower-case digits.
  mutating func hex<Value: FixedBytes>(_ type: Value.Type) throws(FormatError) -> Value {
    guard let value = Value(hexDigits: try rawText()) else { throw .content("hex") }
    return value
  }

  mutating func stamp() throws(FormatError) -> Stamp {
    guard let stamp = Stamp(hex: String(decoding: try rawText(), as: UTF8.self)) else {
      throw .content("stamp")
    }
    return stamp
  }

  /// At least one commit, in ascending order.
  mutating func commits() throws(FormatError) -> [Digest] {
    var all: [Digest] = []
    var elements = try beginArray()
    while try nextElement(in: &elements) {
      let next = try hex(Digest.self)
      if let last = all.last, last >= next { throw .content("commit order") }
      all.append(next)
    }
    guard !all.isEmpty else { throw .content("empty list") }
    return all
  }

  /// A generation that a writer could have written.
  mutating func generation(in bounds: ClosedRange<Int64>) throws(FormatError) -> Int64 {
    let value = try integer()
    guard bounds.contains(value) else { throw .content("generation") }
    return value
  }
}
