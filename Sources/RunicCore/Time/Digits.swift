/// Walks over the digits and marks of a time.
struct DigitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == mark.value else { return false }
    position += 1
    return true
  }

  mutating func number(_ count: Int) -> Int? {
    guard bytes.count - position >= count else { return nil }
    var value = 0
    for byte in bytes[position..<position + count] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    position += count
    return value
  }

  /// One to nine digits.
  mutating func digits() -> String? {
    let run = bytes[position...].prefix { (0x30...0x39).contains($0) }
    guard (1...9).contains(run.count) else { return nil }
    position += run.count
    return String(decoding: run, as: UTF8.self)
  }

  /// `2026-09-05`, of a day that there is.
  mutating func date() -> CivilDate? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  /// `Z`, or hours and minutes to add to UTC, in seconds.
  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let sign = take("+") ? 1 : take("-") ? -1 : 0
    guard sign != 0, let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}

extension BinaryInteger {
  /// In decimal digits, with zeros before them up to a width.
  func padded(_ width: Int) -> String {
    let digits = String(magnitude)
    return (self < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

extension Int64 {
  /// The quotient rounded down, also below 0.
  @inline(__always)
  func flooredQuotient(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient &- 1 : quotient
  }
}
