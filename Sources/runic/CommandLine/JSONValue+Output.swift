import CanonicalJSON
import RunicCore

/// Short ways to say what commands print.
extension JSONValue {
  static func text(_ text: String) -> JSONValue { .string(JSONString(text)) }

  /// The text, or `null` where there is none.
  static func text(_ text: String?) -> JSONValue { text.map { .string(JSONString($0)) } ?? .null }

  static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .text($0) }) }

  static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

  /// A time as RFC 3339, or `null` where there is none.
  static func time(_ milliseconds: Int64?) -> JSONValue {
    .text(milliseconds.map(Timestamp.text(milliseconds:)))
  }
}
