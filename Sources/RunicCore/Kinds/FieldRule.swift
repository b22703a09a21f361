import CanonicalJSON

/// What a known field of a kind may hold.
public enum FieldType: Hashable, Sendable {
  /// An integer inside Int64.
  case integer(ClosedRange<Int64>)
  case number(ClosedRange<Double>)
  case bool
  case string
  case stringList
  /// An instant in RFC 3339; stored in UTC with the fraction that it came with.
  case time

  public static let int64 = FieldType.integer(.min ... .max)
  public static let count = FieldType.integer(0 ... .max)
  public static let anyNumber = FieldType.number(-Double.infinity...Double.infinity)

  /// The words for it in a message: `expected a time`.
  public var name: String {
    switch self {
    case .integer: "a 64-bit integer"
    case .number: "a number"
    case .bool: "true or false"
    case .string: "a string"
    case .stringList: "a list of strings"
    case .time: "a time"
    }
  }
}

/// A field that a kind knows. Fields that it does not know are kept as they are.
public struct FieldRule: Hashable, Sendable {
  public let name: JSONString
  public let type: FieldType
  /// Whether every whole payload must have it.
  public let isRequired: Bool
  /// What a payload that lacks it reads as.
  public let defaultValue: JSONValue?

  public init(
    _ name: JSONString, _ type: FieldType, isRequired: Bool = false, defaultValue: JSONValue? = nil
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.defaultValue = defaultValue
  }
}

// MARK: - Checks

extension FieldRule {
  /// Checks a canonical value where it lies.
  ///
  /// - Returns: what to store in its place, as canonical JSON; nil where it stays as it is.
  /// - Complexity: O(length); nothing is allocated for what is not a time.
  func replacement(for value: JSONSlice) throws(FieldProblem) -> [UInt8]? {
    switch type {
    case .integer(let bounds):
      guard let integer = value.integer else { throw wrongType }
      try require(integer, in: bounds)
    case .number(let bounds):
      // Every number that canonical JSON can write is inside these bounds, so none need be computed.
      if type == .anyNumber, value.type == .number { return nil }
      guard let number = value.double else { throw wrongType }
      try require(number, in: bounds)
    case .bool: if value.type != .bool { throw wrongType }
    case .string: if value.type != .string { throw wrongType }
    case .stringList: try requireStrings(value)
    case .time: return try utcText(value)
    }
    return nil
  }

  private var wrongType: FieldProblem { .type(expected: type.name) }

  private func require<Number: Comparable>(
    _ number: Number, in bounds: ClosedRange<Number>
  ) throws(FieldProblem) {
    if bounds.contains(number) { return }
    throw .outOfBounds(least: Self.text(bounds.lowerBound), greatest: Self.text(bounds.upperBound))
  }

  /// A bound as JSON would write it: `1` and not `1.0`.
  private static func text(_ bound: some Comparable) -> String {
    let text = "\(bound)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private func requireStrings(_ value: JSONSlice) throws(FieldProblem) {
    guard value.type == .array else { throw wrongType }
    var cursor = JSONCursor(value.bytes)
    do {
      var elements = try cursor.beginArray()
      while try cursor.nextElement(in: &elements) { _ = try cursor.readStringRange() }
    } catch { throw wrongType }
  }

  private func utcText(_ value: JSONSlice) throws(FieldProblem) -> [UInt8]? {
    guard value.type == .string, let text = value.string?.string else { throw wrongType }
    guard let time = Timestamp(text) else { throw .notATime }
    if Self.looksNormal(value.bytes) { return nil }
    return JSONValue.string(JSONString(time.text)).canonicalBytes
  }

  /// Whether a string that is a time is already written as times are stored, quotes included.
  private static func looksNormal(_ quoted: UnsafeRawBufferPointer) -> Bool {
    guard quoted.count >= 22, quoted[quoted.count - 2] == UInt8(ascii: "Z"), quoted[11] == UInt8(ascii: "T")
    else { return false }
    return quoted[18] != UInt8(ascii: "6")
  }
}
