/// JSON on its way out: what commands print under `--json`.
///
/// Canonical (RFC 8785, with all digits of a 64-bit integer): one value, one line, always the same bytes.
enum JSONOut: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Must be finite.
  case double(Double)
  case string(String)
  case array([JSONOut])
  /// Names must differ; the order does not matter.
  case object([(String, JSONOut)])

  /// The text, or `null` where there is none.
  static func optional(_ text: String?) -> JSONOut { text.map(JSONOut.string) ?? .null }

  static func strings(_ texts: [String]) -> JSONOut { .array(texts.map(JSONOut.string)) }

  static func count(_ number: Int) -> JSONOut { .integer(Int64(number)) }

  /// The canonical bytes, without a newline.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .double(let value): bytes += Self.digits(of: value).utf8
    case .string(let text): Self.append(text, to: &bytes)
    case .array(let values):
      Self.append(values, between: ("[", "]"), to: &bytes) { value, bytes in value.append(to: &bytes) }
    case .object(let members):
      let sorted = members.sorted { $0.0.utf16.lexicographicallyPrecedes($1.0.utf16) }
      Self.append(sorted, between: ("{", "}"), to: &bytes) { member, bytes in
        Self.append(member.0, to: &bytes)
        bytes += ":".utf8
        member.1.append(to: &bytes)
      }
    }
  }

  private static func append<Element>(
    _ elements: [Element], between ends: (String, String), to bytes: inout [UInt8],
    _ write: (Element, inout [UInt8]) -> Void
  ) {
    bytes += ends.0.utf8
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes += ",".utf8 }
      write(element, &bytes)
    }
    bytes += ends.1.utf8
  }

  /// A string, with no more escapes than RFC 8785, section 3.2.2.2, asks for.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes += "\"".utf8
    for byte in text.utf8 {
      switch byte {
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0..<0x20: bytes += "\\u00\(byte < 0x10 ? "0" : "1")\(String(byte & 0xF, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes += "\"".utf8
  }

  /// A double as ECMAScript writes it: the shortest digits that read back, with a point where it is near.
  private static func digits(of value: Double) -> String {
    if value == 0 || !value.isFinite { return value == 0 ? "0" : "null" }
    let (digits, exponent) = shortest(value.magnitude)
    let sign = value < 0 ? "-" : ""
    let count = digits.count
    switch exponent {
    case count...21 where exponent >= count:
      return sign + digits + String(repeating: "0", count: exponent - count)
    case 1...21:
      return sign + digits.prefix(exponent) + "." + digits.dropFirst(exponent)
    case -5...0:
      return sign + "0." + String(repeating: "0", count: -exponent) + digits
    default:
      let point = count > 1 ? "." : ""
      let power = exponent - 1
      return sign + digits.prefix(1) + point + digits.dropFirst() + (power < 0 ? "e-" : "e+")
        + String(abs(power))
    }
  }

  /// The significant digits and the place of the point: 0.0125 is ("125", -1), that is 0.125 times ten to the -1.
  private static func shortest(_ value: Double) -> (digits: String, exponent: Int) {
    let parts = value.description.split(separator: "e")
    let power = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let whole = halves[0], fraction = halves.count > 1 ? halves[1] : ""
    let all = whole + fraction
    let leading = all.prefix { $0 == "0" }.count
    var digits = String(all.dropFirst(leading))
    while digits.last == "0" { digits.removeLast() }
    return (digits, whole.count - leading + power)
  }
}
