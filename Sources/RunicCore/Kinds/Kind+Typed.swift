import CanonicalJSON

extension Kind {
  /// The value that a text on a command line means: a known field's type decides first, then what reads as JSON
  /// is that JSON, and anything else is a string.
  ///
  /// - Throws: `badField` where a known field cannot hold it.
  public func value(forField field: JSONString, typed text: String) throws(RunicError) -> JSONValue {
    let json = try? JSONValue.parse(Array(text.utf8))
    guard let rule = self.field(field) else { return json ?? .string(JSONString(text)) }
    do {
      return try rule.checked(rule.type.reading(text, json))
    } catch {
      throw .badField(kind: name, field: field.string, problem: error)
    }
  }
}

extension FieldType {
  /// - Parameter json: what the text reads as, if it is JSON.
  fileprivate func reading(_ text: String, _ json: JSONValue?) -> JSONValue {
    let plain = JSONValue.string(JSONString(text))
    switch self {
    case .integer, .number, .bool: return json ?? plain
    case .string, .time: return json?.stringValue == nil ? plain : json ?? plain
    case .stringList: return Self.list(text, json)
    }
  }

  /// `["a","b"]`, or `a,b`; an empty text is an empty list.
  private static func list(_ text: String, _ json: JSONValue?) -> JSONValue {
    if json?.arrayValue != nil, let json { return json }
    if let single = json?.stringValue { return .array([.string(single)]) }
    let parts = Array(text.utf8).split(separator: UInt8(ascii: ","))
    return .array(parts.map { .string(JSONString(String(decoding: $0, as: UTF8.self))) })
  }
}
