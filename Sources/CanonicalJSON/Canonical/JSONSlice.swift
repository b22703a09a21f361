/// The types of JSON values.
public enum JSONType: Hashable, Sendable {
  case null, bool, number, string, array, object
}

/// A canonical value where it lies, checked by the cursor that gave it out.
public struct JSONSlice {
  public let type: JSONType
  /// Where it lies in the cursor's buffer.
  public let range: Range<Int>
  /// Its bytes; they live as long as the cursor's buffer.
  public let bytes: UnsafeRawBufferPointer

  init(type: JSONType, range: Range<Int>, bytes: UnsafeRawBufferPointer) {
    (self.type, self.range, self.bytes) = (type, range, bytes)
  }

  /// The value of a number that is an integer inside Int64, else nil.
  public var integer: Int64? { type == .number ? NumberLiteral.int64(bytes) : nil }

  /// The value of a number, an integer beyond 2^53 rounded to the nearest double; nil for another type.
  public var double: Double? {
    guard type == .number else { return nil }
    return integer.map { Double($0) } ?? NumberLiteral.double(bytes)
  }

  /// The text of a string; nil for another type.
  public var string: JSONString? {
    guard type == .string, bytes.count >= 2 else { return nil }
    return JSONString(unescaping: bytes.part(1..<bytes.count &- 1))
  }

  public var bool: Bool? { type == .bool ? bytes.first == UInt8(ascii: "t") : nil }
}

/// A key where it lies. In a `switch` it matches plain literals byte for byte.
public struct JSONKey {
  /// Where what stands between the quotes lies in the cursor's buffer.
  public let range: Range<Int>
  /// What stands between the quotes, escapes as they are.
  public let bytes: UnsafeRawBufferPointer

  init(range: Range<Int>, bytes: UnsafeRawBufferPointer) {
    (self.range, self.bytes) = (range, bytes)
  }

  public var string: JSONString { JSONString(unescaping: bytes) }

  /// - Parameter literal: without a character that JSON escapes.
  public static func ~= (literal: StaticString, key: JSONKey) -> Bool { key.bytes.equals(literal) }
}

/// One member of an object where it lies.
public struct JSONField {
  public let key: JSONKey
  public let value: JSONSlice

  init(key: JSONKey, value: JSONSlice) { (self.key, self.value) = (key, value) }
}
