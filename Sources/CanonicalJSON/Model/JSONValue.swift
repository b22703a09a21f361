/// A value of JSON as a tree. What has only to be checked, cut out or rewritten needs none: see ``Canonicalizer`` and
/// ``JSONCursor``.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number whose canonical form is an integer inside Int64.
  case integer(Int64)
  /// Any other number. Parsing never gives one that is an integer inside Int64, an infinity or a NaN; ``number(_:)``
  /// makes the right case of any double, so that equal values compare equal.
  case double(Double)
  case string(JSONString)
  case array([JSONValue])
  case object(JSONObject)

  /// A number of the value of `double`, as RFC 8785 would write it; nil for an infinity or a NaN.
  public static func number(_ double: Double) -> JSONValue? {
    guard double.isFinite else { return nil }
    var text: [UInt8] = []
    ShortestDecimal(double).append(to: &text)
    return .some(text.withUnsafeBytes { NumberLiteral.int64($0) }.map(JSONValue.integer) ?? .double(double))
  }
}

extension JSONValue {
  public var isNull: Bool { self == .null }

  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number, where it is an integer inside Int64.
  public var intValue: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, rounded to the nearest double where it is an integer beyond 2^53.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  public var stringValue: JSONString? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The string as Swift's own type, whose equality is not by bytes.
  public var textValue: String? { stringValue?.string }

  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  public var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The member of an object; nil for a value of another type.
  public subscript(key: JSONString) -> JSONValue? { objectValue?[key] }
}

// Not by nil: an absent member compared with `nil` must not mean `null`.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) ?? .double(value) }
  public init(stringLiteral value: String) { self = .string(JSONString(value)) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  public init(dictionaryLiteral elements: (JSONString, JSONValue)...) {
    self = .object(JSONObject(elements.lazy.map { (key: $0.0, value: $0.1) }))
  }
}
