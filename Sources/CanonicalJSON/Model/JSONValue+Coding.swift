extension JSONValue {
  /// Reads one JSON text (RFC 8259, UTF-8 without a byte order mark).
  ///
  /// - Parameter maximumNesting: how many arrays and objects may stand inside one another.
  /// - Throws: why the text is refused, and where.
  /// - Complexity: O(length), with a sort of the keys of an object that has them out of order.
  public static func parse(
    _ text: UnsafeRawBufferPointer, maximumNesting: Int = JSONLimits.nesting
  ) throws(JSONError) -> JSONValue {
    // One grammar reads foreign bytes; the tree is then made from the canonical ones.
    var canonicalizer = Canonicalizer(maximumNesting: maximumNesting)
    var canonical: [UInt8] = []
    try canonicalizer.canonicalize(text, into: &canonical)
    return try canonical.withUnsafeBufferPointer { bytes throws(JSONError) in
      try JSONValue(canonical: UnsafeRawBufferPointer(bytes), maximumNesting: maximumNesting)
    }
  }

  public static func parse(
    _ text: [UInt8], maximumNesting: Int = JSONLimits.nesting
  ) throws(JSONError) -> JSONValue {
    try parse(text[...], maximumNesting: maximumNesting)
  }

  /// Positions of errors count from the start of the slice.
  public static func parse(
    _ text: ArraySlice<UInt8>, maximumNesting: Int = JSONLimits.nesting
  ) throws(JSONError) -> JSONValue {
    try text.withUnsafeBufferPointer { bytes throws(JSONError) in
      try parse(UnsafeRawBufferPointer(bytes), maximumNesting: maximumNesting)
    }
  }

  /// Reads a text that must be in canonical form, byte for byte.
  public init(
    canonical text: UnsafeRawBufferPointer, maximumNesting: Int = JSONLimits.nesting
  ) throws(JSONError) {
    var cursor = JSONCursor(text, maximumNesting: maximumNesting)
    self = try JSONValue(from: &cursor)
    try cursor.finish()
  }

  /// Reads the value at the cursor and moves the cursor behind it.
  public init(from cursor: inout JSONCursor) throws(JSONError) {
    switch try cursor.peekType() {
    case .object: self = .object(try JSONObject(from: &cursor))
    case .array:
      var values: [JSONValue] = []
      var elements = try cursor.beginArray()
      while try cursor.nextElement(in: &elements) { values.append(try JSONValue(from: &cursor)) }
      self = .array(values)
    case .string: self = .string(try cursor.readString())
    case .number:
      let number = try cursor.nextValue()
      self = number.integer.map(JSONValue.integer) ?? .double(number.double ?? 0)
    case .bool: self = .bool(try cursor.readBool())
    case .null:
      try cursor.readNull()
      self = .null
    }
  }

  /// The canonical text of the value. An infinity or a NaN, which no parsed value holds, is written `null`, as
  /// ECMAScript does.
  public var canonicalBytes: [UInt8] {
    var output: [UInt8] = []
    write(into: &output)
    return output
  }

  /// Appends the canonical text of the value.
  public func write(into output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): Decimal.append(value, to: &output)
    case .double(let value) where value.isFinite: ShortestDecimal(value).append(to: &output)
    case .double: output.append(contentsOf: "null".utf8)
    case .string(let value): value.write(into: &output)
    case .array(let values):
      var separator = ASCII.openBracket
      for value in values {
        output.append(separator)
        value.write(into: &output)
        separator = ASCII.comma
      }
      if values.isEmpty { output.append(separator) }
      output.append(ASCII.closeBracket)
    case .object(let object): object.write(into: &output)
    }
  }
}

extension JSONString {
  /// Appends the string with its quotes and escapes.
  public func write(into output: inout [UInt8]) {
    utf8.withUnsafeBytes { Escapes.appendString($0, to: &output) }
  }
}

extension JSONObject {
  /// Reads the object at the cursor and moves the cursor behind it.
  public init(from cursor: inout JSONCursor) throws(JSONError) {
    var read: [Member] = []
    var members = try cursor.beginObject()
    while let key = try cursor.nextKey(in: &members) {
      read.append(Member(key: key.string, value: try JSONValue(from: &cursor)))
    }
    self.init(sorted: read)
  }

  public var canonicalBytes: [UInt8] { JSONValue.object(self).canonicalBytes }

  /// Appends the canonical text of the object.
  public func write(into output: inout [UInt8]) {
    var separator = ASCII.openBrace
    for (key, value) in self {
      output.append(separator)
      key.write(into: &output)
      output.append(ASCII.colon)
      value.write(into: &output)
      separator = ASCII.comma
    }
    if isEmpty { output.append(separator) }
    output.append(ASCII.closeBrace)
  }
}
