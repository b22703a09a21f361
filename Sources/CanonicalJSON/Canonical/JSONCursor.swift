/// Walks over canonical JSON where it lies, and checks as it goes that it is canonical: writing what was read again
/// would give the same bytes.
///
///     var members = try cursor.beginObject()
///     while let key = try cursor.nextKey(in: &members) {
///       switch key {
///       case "sequence": sequence = try cursor.readInteger()
///       default: try cursor.skipValue()
///       }
///     }
///     try cursor.finish()
///
/// Exactly one value is read or skipped after each key and element. It allocates nothing but the strings it is asked
/// for. Positions and ranges count from the start of the buffer, which must outlive the cursor and all it gave out.
/// The bytes may be hostile: whatever they hold, nothing outside the buffer is read.
public struct JSONCursor {
  public let bytes: UnsafeRawBufferPointer
  public private(set) var position: Int
  private var remainingNesting: Int

  public init(
    _ bytes: UnsafeRawBufferPointer, at position: Int = 0, maximumNesting: Int = JSONLimits.nesting
  ) {
    self.bytes = bytes
    self.position = max(0, position)
    remainingNesting = maximumNesting
  }

  /// How far the members of one object were read.
  public struct Members {
    fileprivate var previousKey: Range<Int>?
  }

  /// How far the elements of one array were read.
  public struct Elements {
    fileprivate var isFirst = true
  }

  /// The type of the value that begins here, as its first byte tells.
  public func peekType() throws(JSONError) -> JSONType {
    switch try peek() {
    case ASCII.openBrace: return .object
    case ASCII.openBracket: return .array
    case ASCII.quote: return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case ASCII.minus, 0x30...0x39: return .number
    default: throw unexpected()
    }
  }

  /// Throws unless everything was read.
  public func finish() throws(JSONError) {
    if position < bytes.count { throw JSONError(position: position, reason: .trailingBytes) }
  }
}

// MARK: - Objects and arrays

extension JSONCursor {
  /// Steps into the object that begins here.
  public mutating func beginObject() throws(JSONError) -> Members {
    try require(.object)
    try enter()
    return Members()
  }

  /// The next key of the object, with the cursor at its value; nil, with the cursor behind the object, at its end.
  @inline(__always)
  public mutating func nextKey(in members: inout Members) throws(JSONError) -> JSONKey? {
    if try endsOrContinues(ASCII.closeBrace, isFirst: members.previousKey == nil) { return nil }
    guard try peek() == ASCII.quote else { throw unexpected() }
    let start = position
    position = try canonicalStringEnd(from: start)
    let key = start &+ 1..<position &- 1
    if let previous = members.previousKey { try requireOrder(previous, key) }
    members.previousKey = key
    guard try peek() == ASCII.colon else { throw unexpected() }
    position &+= 1
    return JSONKey(range: key, bytes: bytes.part(key))
  }

  /// The next key with its value, and the cursor behind both.
  public mutating func nextField(in members: inout Members) throws(JSONError) -> JSONField? {
    guard let key = try nextKey(in: &members) else { return nil }
    return JSONField(key: key, value: try nextValue())
  }

  /// Steps into the array that begins here.
  public mutating func beginArray() throws(JSONError) -> Elements {
    try require(.array)
    try enter()
    return Elements()
  }

  /// Whether there is a next element, with the cursor at it; at the end of the array the cursor is behind it.
  @inline(__always)
  public mutating func nextElement(in elements: inout Elements) throws(JSONError) -> Bool {
    if try endsOrContinues(ASCII.closeBracket, isFirst: elements.isFirst) { return false }
    elements.isFirst = false
    return true
  }

  /// Steps over the opening bracket, which was checked.
  @inline(__always)
  private mutating func enter() throws(JSONError) {
    if remainingNesting <= 0 { throw JSONError(position: position, reason: .nestingTooDeep) }
    remainingNesting &-= 1
    position &+= 1
  }

  /// Steps over the closing bracket and tells so, or over the comma that must stand before all but the first.
  @inline(__always)
  private mutating func endsOrContinues(_ closing: UInt8, isFirst: Bool) throws(JSONError) -> Bool {
    let byte = try peek()
    if byte == closing {
      position &+= 1
      remainingNesting &+= 1
      return true
    }
    if isFirst { return false }
    guard byte == ASCII.comma else { throw unexpected() }
    position &+= 1
    return false
  }

  @inline(__always)
  private func requireOrder(_ previous: Range<Int>, _ key: Range<Int>) throws(JSONError) {
    let order = CodeUnitOrder.compareEscaped(bytes.part(previous), bytes.part(key))
    if order < 0 { return }
    throw JSONError(position: key.lowerBound &- 1, reason: order == 0 ? .duplicateKey : .keyOrder)
  }
}

// MARK: - Values

extension JSONCursor {
  /// Steps over one value of any type, with all inside it, and returns where it lies.
  @discardableResult
  public mutating func skipValue() throws(JSONError) -> Range<Int> {
    let start = position
    switch try peek() {
    case ASCII.quote: position = try canonicalStringEnd(from: start)
    case ASCII.openBrace:
      try enter()
      var members = Members()
      while try nextKey(in: &members) != nil { try skipValue() }
    case ASCII.openBracket:
      try enter()
      var elements = Elements()
      while try nextElement(in: &elements) { try skipValue() }
    case UInt8(ascii: "t"): position = try bytes.end(of: "true", at: start)
    case UInt8(ascii: "f"): position = try bytes.end(of: "false", at: start)
    case UInt8(ascii: "n"): position = try bytes.end(of: "null", at: start)
    case ASCII.minus, 0x30...0x39:
      let literal = try NumberLiteral(in: bytes, at: start)
      try literal.requireCanonical(in: bytes)
      position = literal.end
    default: throw unexpected()
    }
    return start..<position
  }

  /// Steps over one value and returns it as it lies.
  public mutating func nextValue() throws(JSONError) -> JSONSlice {
    let type = try peekType()
    let range = try skipValue()
    return JSONSlice(type: type, range: range, bytes: bytes.part(range))
  }

  /// Reads an integer inside Int64.
  public mutating func readInteger() throws(JSONError) -> Int64 {
    try require(.number)
    let start = position
    guard let value = try nextValue().integer else { throw JSONError(position: start, reason: .typeMismatch) }
    return value
  }

  public mutating func readString() throws(JSONError) -> JSONString {
    JSONString(unescaping: bytes.part(try readStringRange()))
  }

  /// Steps over a string and returns where what stands between its quotes lies, escapes as they are.
  public mutating func readStringRange() throws(JSONError) -> Range<Int> {
    try require(.string)
    let range = try skipValue()
    return range.lowerBound &+ 1..<range.upperBound &- 1
  }

  public mutating func readBool() throws(JSONError) -> Bool {
    try require(.bool)
    return bytes[try skipValue().lowerBound] == UInt8(ascii: "t")
  }

  public mutating func readNull() throws(JSONError) {
    try require(.null)
    try skipValue()
  }
}

// MARK: - Bytes

extension JSONCursor {
  @inline(__always)
  private func peek() throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw JSONError(position: bytes.count, reason: .unexpectedEnd) }
    return bytes[position]
  }

  private func require(_ type: JSONType) throws(JSONError) {
    if try peekType() != type { throw JSONError(position: position, reason: .typeMismatch) }
  }

  /// The error for the byte here: white space is JSON, but never canonical.
  private func unexpected() -> JSONError {
    let isSpace = position < bytes.count && ASCII.isWhitespace(bytes[position])
    return JSONError(position: position, reason: isSpace ? .notCanonical : .unexpectedByte)
  }

  /// The position after the closing quote of the string whose opening quote stands at `start`.
  @inline(__always)
  private func canonicalStringEnd(from start: Int) throws(JSONError) -> Int {
    var position = start &+ 1
    while true {
      position = bytes.plainTextEnd(from: position)
      guard position < bytes.count else { throw JSONError(position: bytes.count, reason: .unexpectedEnd) }
      switch bytes[position] {
      case ASCII.quote: return position &+ 1
      case ASCII.backslash: position = try Escapes.canonicalEnd(in: bytes, at: position)
      case 0..<0x20: throw JSONError(position: position, reason: .unescapedControl)
      default:
        let length = bytes.multibyteLength(at: position)
        if length == 0 { throw JSONError(position: position, reason: .invalidUTF8) }
        position &+= length
      }
    }
  }
}
