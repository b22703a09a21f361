/// Where a member of an object lies in a canonical text.
public struct JSONFieldPlace: Hashable, Sendable {
  /// What stands between the quotes of the key.
  public let key: Range<Int>
  public let value: Range<Int>

  init(key: Range<Int>, value: Range<Int>) { (self.key, self.value) = (key, value) }

  /// The places of the members of the object that a text must be, in their order.
  ///
  /// - Throws: what keeps the bytes from being one canonical object.
  /// - Complexity: O(length).
  public static func all(in text: UnsafeRawBufferPointer) throws(JSONError) -> [JSONFieldPlace] {
    var places: [JSONFieldPlace] = []
    if try !collect(from: text, maximumNesting: JSONLimits.nesting, into: &places) {
      throw JSONError(position: 0, reason: .typeMismatch)
    }
    return places
  }

  /// Checks that a text is canonical and appends the places of its members, if it is an object: whether it is.
  static func collect(
    from text: UnsafeRawBufferPointer, maximumNesting: Int, into places: inout [JSONFieldPlace]
  ) throws(JSONError) -> Bool {
    var cursor = JSONCursor(text, maximumNesting: maximumNesting)
    let isObject = try cursor.peekType() == .object
    if isObject {
      var members = try cursor.beginObject()
      while let key = try cursor.nextKey(in: &members) {
        places.append(JSONFieldPlace(key: key.range, value: try cursor.skipValue()))
      }
    } else {
      try cursor.skipValue()
    }
    try cursor.finish()
    return isObject
  }
}

extension JSONField {
  /// The member at a place of a canonical text.
  public init(_ place: JSONFieldPlace, in text: UnsafeRawBufferPointer) {
    let value = text.part(place.value)
    self.init(
      key: JSONKey(range: place.key, bytes: text.part(place.key)),
      value: JSONSlice(type: JSONType(firstByte: value.first ?? 0), range: place.value, bytes: value))
  }
}

extension JSONType {
  /// The type of a value that begins with this byte; a number where no other does.
  fileprivate init(firstByte: UInt8) {
    switch firstByte {
    case ASCII.openBrace: self = .object
    case ASCII.openBracket: self = .array
    case ASCII.quote: self = .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
    case UInt8(ascii: "n"): self = .null
    default: self = .number
    }
  }
}
