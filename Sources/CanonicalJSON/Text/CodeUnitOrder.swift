/// The order of keys that RFC 8785, 3.2.3, asks for: by UTF-16 code units, found without leaving UTF-8.
///
/// Both encodings agree except that UTF-16 puts what needs a surrogate pair (lead bytes F0 to F4) before U+E000 to
/// U+FFFF (lead bytes EE and EF).
enum CodeUnitOrder {
  @inline(__always)
  private static func weight(_ byte: UInt8) -> UInt8 { byte &- 0xEE < 2 ? byte &+ 0x10 : byte }

  /// Below 0, 0 or above 0 as `left` stands before, at or after `right`; both are plain UTF-8.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    for position in 0..<shared where left[position] != right[position] {
      return weight(left[position]) < weight(right[position]) ? -1 : 1
    }
    return left.count &- right.count
  }

  /// The same for what stands between the quotes of two canonical strings, escapes included.
  @inline(__always)
  static func compareEscaped(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    var position = 0
    while position < shared {
      let (a, b) = (left[position], right[position])
      if a == ASCII.backslash || b == ASCII.backslash { return compareUnescaped(left, right) }
      if a != b { return weight(a) < weight(b) ? -1 : 1 }
      position &+= 1
    }
    return left.count &- right.count
  }

  @inline(never)
  private static func compareUnescaped(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int
  {
    var (leftBytes, rightBytes) = (UnescapedBytes(left), UnescapedBytes(right))
    while true {
      switch (leftBytes.next(), rightBytes.next()) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let a?, let b?): if a != b { return weight(a) < weight(b) ? -1 : 1 }
      }
    }
  }
}
