/// Lower-case hexadecimal, the one spelling of bytes in names and in JSON.
///
/// Upper-case digits are refused: a name has one form only, so that it can be compared byte by byte.
public enum Hexadecimal {
  /// The two digits of each byte, in order. O(n).
  public static func encode(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes(encode)
  }

  /// The two digits of each byte, in order. O(n).
  public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
      for (index, byte) in bytes.enumerated() {
        digits[2 * index] = digit(byte >> 4)
        digits[2 * index + 1] = digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }

  /// Adds the digits, as UTF-8, to the end of `output`. O(n).
  public static func encode(_ bytes: UnsafeRawBufferPointer, appendingTo output: inout [UInt8]) {
    for byte in bytes {
      output.append(digit(byte >> 4))
      output.append(digit(byte & 15))
    }
  }

  /// The bytes of an even number of lower-case digits; nil for anything else. O(n).
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    withDigits(of: text) { decode($0) }
  }

  /// The same of digits that stand in memory, as UTF-8. O(n).
  public static func decode(_ digits: UnsafeRawBufferPointer) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes = [UInt8](repeating: 0, count: digits.count / 2)
    return bytes.withUnsafeMutableBytes { decode(digits, into: $0) } ? bytes : nil
  }

  /// Fills `output` from exactly twice as many digits. False, with `output` undefined, for anything else. O(n).
  @usableFromInline
  static func decode(_ digits: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
    guard digits.count == 2 * output.count else { return false }
    guard let source = digits.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return true }
    // Ids are read by the million: no check and no branch in the loop, so that it is done 16 digits at a time.
    var seen: UInt8 = 0
    for index in 0..<output.count {
      let high = value(source[2 &* index])
      let low = value(source[2 &* index &+ 1])
      seen |= high | low
      target[index] = high << 4 | low & 15
    }
    return seen < 16
  }

  /// Calls `body` with the UTF-8 of a text, without a copy where the text is stored as such.
  @inlinable
  static func withDigits<Result>(
    of text: some StringProtocol, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    if let result = text.utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return Array(text.utf8).withUnsafeBytes(body)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
  }

  /// 0 to 15, or 0xff for what is no lower-case digit. Wraps around instead of branching on random digits.
  private static func value(_ digit: UInt8) -> UInt8 {
    let number = digit &- UInt8(ascii: "0")
    let letter = digit &- UInt8(ascii: "a")
    return number < 10 ? number : letter < 6 ? letter &+ 10 : 0xff
  }
}
