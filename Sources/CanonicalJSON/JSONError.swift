/// Why bytes were refused as JSON, and where.
public struct JSONError: Error, Hashable, Sendable {
  /// Offset in bytes, from the start of the text, of the first byte that is wrong; the length of the text where
  /// it ends too early.
  public let position: Int
  public let reason: Reason

  public init(position: Int, reason: Reason) {
    self.position = position
    self.reason = reason
  }

  public enum Reason: Hashable, Sendable, CaseIterable {
    /// The text ends inside a value, or holds none.
    case unexpectedEnd
    /// A byte that cannot stand here (also the start of `NaN`, a byte order mark, a missing comma).
    case unexpectedByte
    /// Bytes after the one value of a text.
    case trailingBytes
    /// Arrays and objects inside one another beyond the limit.
    case nestingTooDeep
    /// A key that its object has already.
    case duplicateKey
    /// A control character inside a string that is not escaped.
    case unescapedControl
    /// A backslash that begins no escape.
    case invalidEscape
    /// An escaped half of a surrogate pair without its other half.
    case loneSurrogate
    /// Overlong, cut or out-of-range UTF-8, encoded surrogates included.
    case invalidUTF8
    /// A number that begins with a needless zero.
    case leadingZero
    /// An integer outside Int64 that is not written exactly as its nearest double would be.
    case integerOutOfRange
    /// A number that would round to infinity.
    case numberOverflow
    /// A number that is not zero and would round to zero.
    case numberUnderflow
    /// Perhaps JSON, but not in the one canonical form.
    case notCanonical
    /// A key that canonical order puts before its predecessor.
    case keyOrder
    /// A value of another type than the reader asked for.
    case typeMismatch
  }

  /// What is wrong, in lower case without a full stop and without the position.
  public var message: String {
    switch reason {
    case .unexpectedEnd: "text ends too early"
    case .unexpectedByte: "unexpected byte"
    case .trailingBytes: "bytes after the value"
    case .nestingTooDeep: "too much nesting"
    case .duplicateKey: "duplicate key"
    case .unescapedControl: "control character in a string"
    case .invalidEscape: "invalid escape"
    case .loneSurrogate: "lone surrogate"
    case .invalidUTF8: "invalid UTF-8"
    case .leadingZero: "number with a leading zero"
    case .integerOutOfRange: "integer out of range"
    case .numberOverflow: "number too large"
    case .numberUnderflow: "number too small"
    case .notCanonical: "not in canonical form"
    case .keyOrder: "keys out of order"
    case .typeMismatch: "value of another type"
    }
  }
}
