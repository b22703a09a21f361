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

  package init(
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
    if value.type == .string, Self.isPlainlyNormal(value.bytes) { return nil }
    guard value.type == .string, let text = value.string?.string else { throw wrongType }
    guard let time = Timestamp(text) else { throw .notATime }
    if Self.looksNormal(value.bytes) { return nil }
    return JSONValue.string(JSONString(time.text)).canonicalBytes
  }

  /// Whether a string is a time as times are stored, seen without reading it: most are. The last days of a month and
  /// leap seconds are for the reader.
  private static func isPlainlyNormal(_ quoted: UnsafeRawBufferPointer) -> Bool {
    guard (22...32).contains(quoted.count), quoted.count != 23 else { return false }
    var isWrong = false
    func number(_ range: Range<Int>) -> Int {
      var value = 0
      for place in range {
        let digit = quoted[place] &- UInt8(ascii: "0")
        if digit > 9 { isWrong = true }
        value = value &* 10 &+ Int(digit)
      }
      return value
    }
    let (hyphen, colon, end) = (UInt8(ascii: "-"), UInt8(ascii: ":"), quoted.count &- 2)
    guard quoted[5] == hyphen, quoted[8] == hyphen, quoted[11] == UInt8(ascii: "T"), quoted[14] == colon,
      quoted[17] == colon, quoted[end] == UInt8(ascii: "Z"), end == 20 || quoted[20] == UInt8(ascii: ".")
    else { return false }
    let (year, month, day) = (number(1..<5), number(6..<8), number(9..<11))
    let (hour, minute, second) = (number(12..<14), number(15..<17), number(18..<20))
    if end > 20 { _ = number(21..<end) }
    return !isWrong && year >= 1 && (1...12).contains(month) && (1...28).contains(day) && hour < 24
      && minute < 60 && second < 60
  }

  /// Whether a string that is a time is already written as times are stored, quotes included.
  private static func looksNormal(_ quoted: UnsafeRawBufferPointer) -> Bool {
    guard quoted.count >= 22, quoted[quoted.count - 2] == UInt8(ascii: "Z"), quoted[11] == UInt8(ascii: "T")
    else { return false }
    return quoted[18] != UInt8(ascii: "6")
  }
}
