/// A search over logs, which are a gigabyte: eight places at once in one machine word.
extension UnsafeRawBufferPointer {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Marks, by its top bit, the lowest byte that is zero; exact for the lowest, which is all that is asked of
  /// it.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & tops }

  @inline(__always)
  private func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Whether the bytes of a word of four or more stand somewhere in these.
  ///
  /// Three of its bytes are compared at eight places at once; where all three fit, the whole word is.
  @inline(__always)
  func contains(_ text: StaticString) -> Bool {
    let wanted = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    let last = wanted.count &- 1
    guard last >= 3, count > last else { return false }
    let places = (1, wanted.count / 2, last &- 1)
    let patterns = (
      Self.ones &* UInt64(wanted[places.0]), Self.ones &* UInt64(wanted[places.1]),
      Self.ones &* UInt64(wanted[places.2])
    )
    var offset = 0
    while count &- offset >= last &+ 8 {
      let differences =
        (word(at: offset &+ places.0) ^ patterns.0) | (word(at: offset &+ places.1) ^ patterns.1)
        | (word(at: offset &+ places.2) ^ patterns.2)
      var fits = Self.zeroBytes(differences)
      while fits != 0 {
        if holds(wanted, at: offset &+ fits.trailingZeroBitCount / 8) { return true }
        fits &= fits &- 1
      }
      offset &+= 8
    }
    return (offset..<count &- last).contains { holds(wanted, at: $0) }
  }

  @inline(__always)
  private func holds(_ wanted: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    var place = 0
    while place < wanted.count {
      if self[offset &+ place] != wanted[place] { return false }
      place &+= 1
    }
    return true
  }
}
