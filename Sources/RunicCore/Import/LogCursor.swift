/// Where a line of a log stops being JSON, or being what it has to be.
public struct LogSyntaxError: Error, Equatable, Sendable {
  public let position: Int
  /// It is JSON, but stands for no count of tokens.
  public var isNoCount = false
}

/// Walks over JSON that another program wrote, where it lies, and takes out the few fields that an importer
/// names.
///
/// It forgives what does no harm (white space, a member given twice, bytes that are no UTF-8, a missing
/// comma) and steps over what nobody asks for without looking into it, so that prompts and answers are never
/// copied. Not a validator: what is stored is written anew, by the rules.
///
///     guard try line.beginObject() else { return }
///     while let key = try line.nextKey() {
///       switch key {
///       case "model": model = try line.text()
///       default: try line.skip()
///       }
///     }
///
/// Exactly one value is read or skipped after each key and element. Whatever the bytes hold, nothing outside
/// the buffer is read, and no depth of nesting takes stack.
public struct LogCursor {
  public let bytes: UnsafeRawBufferPointer
  public private(set) var position = 0

  public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Goes back to the value that began there.
  public mutating func move(to position: Int) { self.position = position }

  /// Throws unless only white space is left.
  public mutating func finish() throws(LogSyntaxError) {
    skipSpace()
    if position < bytes.count { throw unexpected }
  }

  private var unexpected: LogSyntaxError { LogSyntaxError(position: position) }
}

// MARK: - Whole lines

extension UnsafeRawBufferPointer {
  /// What follows the mark that some programs put at the beginning of a file in UTF-8.
  var withoutByteOrderMark: UnsafeRawBufferPointer {
    starts(with: [0xEF, 0xBB, 0xBF]) ? UnsafeRawBufferPointer(rebasing: self[3...]) : self
  }

  /// Whether the first and the last byte, white space aside, are those of an object.
  var isBraced: Bool {
    guard let first = first(where: { !LogCursor.isSpace($0) }) else { return false }
    return first == UInt8(ascii: "{") && last { !LogCursor.isSpace($0) } == UInt8(ascii: "}")
  }
}

extension LogCursor {
  /// Whether a line is blank or one JSON value, of which what is nested is not looked into.
  static func isValue(_ line: UnsafeRawBufferPointer) -> Bool {
    var cursor = LogCursor(line)
    cursor.skipSpace()
    if cursor.position == line.count { return true }
    do throws(LogSyntaxError) {
      let word = try cursor.scalar()
      try cursor.finish()
      return word?.isLiteral ?? true
    } catch { return false }
  }

  @inline(__always)
  fileprivate static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

// MARK: - Objects and arrays

extension LogCursor {
  /// Steps into an object; false, with the cursor behind it, for a value of another type.
  public mutating func beginObject() throws(LogSyntaxError) -> Bool { try begin(UInt8(ascii: "{")) }

  /// Steps into an array; false, with the cursor behind it, for a value of another type.
  public mutating func beginArray() throws(LogSyntaxError) -> Bool { try begin(UInt8(ascii: "[")) }

  private mutating func begin(_ opening: UInt8) throws(LogSyntaxError) -> Bool {
    guard try peek() == opening else {
      try skip()
      return false
    }
    position &+= 1
    return true
  }

  /// The next key, with the cursor at its value; nil, with the cursor behind the object, at its end.
  public mutating func nextKey() throws(LogSyntaxError) -> LogText? {
    guard try nextItem(closing: UInt8(ascii: "}")) else { return nil }
    let key = try readString()
    guard try peek() == UInt8(ascii: ":") else { throw unexpected }
    position &+= 1
    return key
  }

  /// Whether there is a next element, with the cursor at it; at the end of the array the cursor is behind it.
  public mutating func nextElement() throws(LogSyntaxError) -> Bool {
    try nextItem(closing: UInt8(ascii: "]"))
  }

  private mutating func nextItem(closing: UInt8) throws(LogSyntaxError) -> Bool {
    var byte = try peek()
    if byte == UInt8(ascii: ",") {
      position &+= 1
      byte = try peek()
    }
    if byte != closing { return true }
    position &+= 1
    return false
  }
}

// MARK: - Values

extension LogCursor {
  /// Whether an object begins here.
  public mutating func isAtObject() throws(LogSyntaxError) -> Bool { try peek() == UInt8(ascii: "{") }

  /// A string where it lies; nil, with the cursor behind it, for a value of another type.
  public mutating func text() throws(LogSyntaxError) -> LogText? {
    guard try peek() == UInt8(ascii: "\"") else {
      try skip()
      return nil
    }
    return try readString()
  }

  /// A count of tokens: an integer from 0 on, or a number whose value is one. Nil for anything else.
  public mutating func count() throws(LogSyntaxError) -> Int64? {
    guard let scalar = try scalar() else { return nil }
    if let digits = scalar.plainInteger { return digits }
    guard let number = Double(scalar.string), number >= 0, number < 0x1p63, number.rounded() == number
    else { return nil }
    return Int64(number)
  }

  /// The same where it counts what is billed: nil for null and for what is below 0, which say that there are none.
  ///
  /// - Throws: for anything else: a count that nobody can tell is not 0, which would cost nothing.
  public mutating func tokens() throws(LogSyntaxError) -> Int64? {
    _ = try peek()
    let start = position
    if let count = try count() { return count }
    let text = LogText(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
    if text == "null" || text.number.map({ $0 < 0 }) == true { return nil }
    throw LogSyntaxError(position: start, isNoCount: true)
  }

  /// A finite number; nil for anything else.
  public mutating func number() throws(LogSyntaxError) -> Double? {
    try scalar()?.number
  }

  public mutating func bool() throws(LogSyntaxError) -> Bool? {
    switch try scalar() {
    case "true"?: true
    case "false"?: false
    default: nil
    }
  }

  /// Steps over one value of any type, with all inside it.
  public mutating func skip() throws(LogSyntaxError) {
    switch try peek() {
    case UInt8(ascii: "\""): position = try stringEnd(from: position)
    case UInt8(ascii: "{"), UInt8(ascii: "["): try skipNested()
    default: _ = try scalar()
    }
  }

  /// A number or word; nil, with the cursor behind it, for a value of another type.
  private mutating func scalar() throws(LogSyntaxError) -> LogText? {
    let first = try peek()
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      try skip()
      return nil
    }
    let start = position
    while position < bytes.count, !Self.endsScalar(bytes[position]) { position &+= 1 }
    if position == start { throw unexpected }
    return LogText(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"), 0...0x20: true
    default: false
    }
  }

  private mutating func skipNested() throws(LogSyntaxError) {
    var depth = 0
    var position = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = try stringEnd(from: position)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      default: break
      }
      position &+= 1
      if depth == 0 {
        self.position = position
        return
      }
    }
    throw LogSyntaxError(position: position)
  }
}

// MARK: - Bytes

extension LogCursor {
  /// The next byte that is no white space.
  @inline(__always)
  private mutating func peek() throws(LogSyntaxError) -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw unexpected }
    return bytes[position]
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position &+= 1 }
  }

  private mutating func readString() throws(LogSyntaxError) -> LogText {
    let start = position
    guard bytes[start] == UInt8(ascii: "\"") else { throw unexpected }
    position = try stringEnd(from: start)
    return LogText(UnsafeRawBufferPointer(rebasing: bytes[start &+ 1..<position &- 1]))
  }

  /// The position behind the string whose opening quote stands at `start`.
  @inline(__always)
  private func stringEnd(from start: Int) throws(LogSyntaxError) -> Int {
    var position = start &+ 1
    while true {
      position = quoteOrBackslash(from: position)
      guard position < bytes.count else { throw LogSyntaxError(position: bytes.count) }
      if bytes[position] == UInt8(ascii: "\"") { return position &+ 1 }
      position &+= 2
    }
  }

  /// The first quote or backslash at or after a position, eight bytes at a time; `count` or more where there
  /// is none.
  @inline(__always)
  private func quoteOrBackslash(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var position = start
    while bytes.count &- position >= 8 {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let (quote, backslash) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
      // The lowest mark is exact: a borrow can mark a byte wrongly only above one that is marked rightly.
      let marks = ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & (ones &* 0x80)
      if marks != 0 { return position &+ marks.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < bytes.count, bytes[position] != 0x22, bytes[position] != 0x5C { position &+= 1 }
    return position
  }
}
