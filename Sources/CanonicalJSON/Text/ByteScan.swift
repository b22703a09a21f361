/// Steps over bytes that every reader of JSON text shares. Nothing here reads outside the buffer.
extension UnsafeRawBufferPointer {
  /// The first position at or after `start` whose byte does not simply stand for itself in a string: a quote, a
  /// backslash, a control character or a byte of a longer UTF-8 sequence; `count` where there is none.
  @inline(__always)
  func plainTextEnd(from start: Int) -> Int {
    var position = start
    while count &- position >= 8 {
      let word = loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let special = Self.specialBytes(UInt64(littleEndian: word))
      if special != 0 { return position &+ special.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < count, !Self.isSpecial(self[position]) { position &+= 1 }
    return position
  }

  /// Marks, by its top bit, the lowest of eight bytes that is special. A borrow can mark a byte wrongly only above
  /// one that is marked rightly, so the lowest mark is exact.
  @inline(__always)
  private static func specialBytes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let control = word &- ones &* 0x20
    let quote = (word ^ (ones &* 0x22)) &- ones
    let backslash = (word ^ (ones &* 0x5C)) &- ones
    return (control | quote | backslash | word) & (ones &* 0x80)
  }

  @inline(__always)
  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte >= 0x80 || byte == ASCII.quote || byte == ASCII.backslash
  }

  /// The length of the UTF-8 sequence of two to four bytes that begins here, 0 if it is not well-formed
  /// (the Unicode Standard, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
  func multibyteLength(at position: Int) -> Int {
    let available = count &- position
    guard available >= 2 else { return 0 }
    let lead = self[position]
    let second = self[position &+ 1]
    switch lead {
    case 0xC2...0xDF: return second & 0xC0 == 0x80 ? 2 : 0
    case 0xE0...0xEF:
      guard available >= 3, Self.secondByteRange(lead).contains(second) else { return 0 }
      return self[position &+ 2] & 0xC0 == 0x80 ? 3 : 0
    case 0xF0...0xF4:
      guard available >= 4, Self.secondByteRange(lead).contains(second) else { return 0 }
      return self[position &+ 2] & 0xC0 == 0x80 && self[position &+ 3] & 0xC0 == 0x80 ? 4 : 0
    default: return 0
    }
  }

  @inline(__always)
  private static func secondByteRange(_ lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }

  /// The position after `word`, which must stand here byte for byte.
  func end(of word: StaticString, at start: Int) throws(JSONError) -> Int {
    let letters = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    for (offset, letter) in letters.enumerated() {
      let position = start &+ offset
      guard position < count else { throw JSONError(position: count, reason: .unexpectedEnd) }
      guard self[position] == letter else { throw JSONError(position: position, reason: .unexpectedByte) }
    }
    return start &+ letters.count
  }

  /// Whether the bytes are those of `word`.
  func equals(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount
      && elementsEqual(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  /// The bytes of a range that is known to lie inside.
  @inline(__always)
  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}
