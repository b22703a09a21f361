import CanonicalJSON

/// A string, number or word of a log where it lies, escapes as they are; it lives as long as the line.
///
/// In a `switch` it matches plain literals byte for byte.
public struct LogText {
  public let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  public static func ~= (literal: StaticString, text: LogText) -> Bool { text == literal }

  public static func == (text: LogText, literal: StaticString) -> Bool {
    text.bytes.count == literal.utf8CodeUnitCount
      && text.bytes.elementsEqual(
        UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// What the text stands for. What is no UTF-8 and no pair of surrogates is replaced, not refused: one odd
  /// name is no reason to lose a request.
  public var string: String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
    return unescaped
  }

  /// The text where it is short enough to be a name; nil for an empty or overlong one.
  public var name: String? {
    let text = string
    return (1...Self.longestName).contains(text.utf8.count) ? text : nil
  }

  /// Names of models, sessions and folders are far shorter; a text beyond it is something else.
  static let longestName = 4096

  /// The number, where it is nothing but digits and inside Int64.
  var plainInteger: Int64? {
    guard !bytes.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, carries) = product.addingReportingOverflow(Int64(byte &- 0x30))
      if overflows || carries { return nil }
      value = sum
    }
    return value
  }

  /// The finite number; nil for anything else.
  var number: Double? {
    guard bytes.count <= Self.longestName, let first = bytes.first,
      first == UInt8(ascii: "-") || (0x30...0x39).contains(first), let number = Double(string)
    else { return nil }
    return number.isFinite ? number : nil
  }

  /// Whether the text is a JSON value without quotes: a number or one of the three words.
  var isLiteral: Bool { self == "null" || self == "true" || self == "false" || number != nil }

  private var unescaped: String {
    var units: [UInt16] = []
    var plain = 0
    var position = 0
    func take(upTo end: Int) {
      units += String(decoding: UnsafeRawBufferPointer(rebasing: bytes[plain..<end]), as: UTF8.self).utf16
    }
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "\\"), position &+ 1 < bytes.count else {
        position &+= 1
        continue
      }
      take(upTo: position)
      let (unit, length) = escape(at: position &+ 1)
      units.append(unit)
      position &+= 1 &+ length
      plain = position
    }
    take(upTo: bytes.count)
    return String(decoding: units, as: UTF16.self)
  }

  /// What an escape stands for, and its length behind the backslash.
  private func escape(at position: Int) -> (unit: UInt16, length: Int) {
    switch bytes[position] {
    case UInt8(ascii: "n"): return (0x0A, 1)
    case UInt8(ascii: "t"): return (0x09, 1)
    case UInt8(ascii: "r"): return (0x0D, 1)
    case UInt8(ascii: "b"): return (0x08, 1)
    case UInt8(ascii: "f"): return (0x0C, 1)
    case UInt8(ascii: "u"):
      guard position &+ 4 < bytes.count else { return (0xFFFD, bytes.count &- position) }
      let digits = String(decoding: bytes[position &+ 1...position &+ 4], as: UTF8.self)
      return (UInt16(digits, radix: 16) ?? 0xFFFD, 5)
    case let byte: return (byte < 0x80 ? UInt16(byte) : 0xFFFD, 1)
    }
  }
}

// MARK: - Times

extension LogText {
  /// An instant in RFC 3339 with a fraction of any length, of which the first nine digits are kept.
  public var time: Timestamp? {
    guard bytes.count <= 256 else { return nil }
    if let time = Timestamp(string) { return time }
    guard let point = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let digits = bytes[(point &+ 1)...].prefix { (0x30...0x39).contains($0) }
    guard digits.count > 9 else { return nil }
    let kept = Array(bytes[..<(point &+ 10)]) + Array(bytes[digits.endIndex...])
    return Timestamp(String(decoding: kept, as: UTF8.self))
  }
}
