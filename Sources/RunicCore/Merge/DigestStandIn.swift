// Stands in for the types of the same names in ObjectStore until those are there; then this file goes.

/// SHA-256 of something, 32 bytes.
public struct Digest: Hashable, Comparable, Sendable {
  private let a: UInt64
  private let b: UInt64
  private let c: UInt64
  private let d: UInt64

  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    a = word(bytes, 0)
    b = word(bytes, 8)
    c = word(bytes, 16)
    d = word(bytes, 24)
  }

  public init?(hex: String) {
    guard let bytes = parsed(hex: hex) else { return nil }
    self.init(bytes: bytes)
  }

  public var bytes: [UInt8] { bigEndian(a) + bigEndian(b) + bigEndian(c) + bigEndian(d) }
  public var hex: String { hexDigits(bytes) }

  public static func < (x: Digest, y: Digest) -> Bool {
    (x.a, x.b, x.c, x.d) < (y.a, y.b, y.c, y.d)
  }
}

/// The name of a device, 16 bytes.
public struct DeviceID: Hashable, Comparable, Sendable {
  private let high: UInt64
  private let low: UInt64

  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    high = word(bytes, 0)
    low = word(bytes, 8)
  }

  public init?(hex: String) {
    guard let bytes = parsed(hex: hex) else { return nil }
    self.init(bytes: bytes)
  }

  public var bytes: [UInt8] { bigEndian(high) + bigEndian(low) }
  public var hex: String { hexDigits(bytes) }

  public static func < (x: DeviceID, y: DeviceID) -> Bool { (x.high, x.low) < (y.high, y.low) }
}

private func word(_ bytes: [UInt8], _ start: Int) -> UInt64 {
  bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
}

private func bigEndian(_ word: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
}

private func hexDigits(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

private func parsed(hex text: String) -> [UInt8]? {
  var nibbles: [UInt8] = []
  for digit in text.utf8 {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): nibbles.append(digit - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): nibbles.append(digit - UInt8(ascii: "a") + 10)
    default: return nil
    }
  }
  guard nibbles.count.isMultiple(of: 2) else { return nil }
  return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
}
