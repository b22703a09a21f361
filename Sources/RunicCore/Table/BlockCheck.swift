/// The check of a block: finds damage by chance, proves nothing against intent, and costs a fraction of a CRC.
///
/// Two lanes take eight bytes each in turn. A step is a bijection of the lane for every word and of the word for every
/// lane, so that a change within one word always changes its lane.
enum BlockCheck {
  private static let factors: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)

  /// 32 bits of the bytes and a seed that says where they belong. O(n).
  static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt32 {
    var one = seed
    var two = seed ^ UInt64(truncatingIfNeeded: bytes.count)
    var offset = 0
    while offset &+ 16 <= bytes.count {
      step(&one, word(bytes, offset))
      step(&two, word(bytes, offset &+ 8))
      offset &+= 16
    }
    while offset < bytes.count {
      step(&one, UInt64(bytes[offset]))
      offset &+= 1
    }
    step(&two, one)
    return UInt32(truncatingIfNeeded: two ^ two >> 32)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func step(_ lane: inout UInt64, _ word: UInt64) {
    lane = (lane ^ word &* factors.0) &* factors.1
    lane ^= lane >> 29
  }
}
