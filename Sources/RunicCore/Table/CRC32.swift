/// Eight tables of 256: entry `t * 256 + b` is the remainder of byte `b` followed by `t` zero bytes.
private let remainders: [UInt32] = {
  var table = [UInt32](repeating: 0, count: 8 * 256)
  for byte in 0..<256 {
    var remainder = UInt32(byte)
    for _ in 0..<8 { remainder = remainder & 1 == 1 ? (remainder >> 1) ^ 0xEDB8_8320 : remainder >> 1 }
    table[byte] = remainder
  }
  for index in 256..<8 * 256 {
    let before = table[index - 256]
    table[index] = (before >> 8) ^ table[Int(before & 0xFF)]
  }
  return table
}()

/// The CRC-32 of zlib and PNG (polynomial 0xEDB88320, reflected), eight bytes a step.
///
/// - Complexity: O(n).
func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
  remainders.withUnsafeBufferPointer { table in
    var crc = UInt32.max
    var offset = 0
    while offset &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let mixed = word ^ UInt64(crc)
      crc = table[Int(mixed >> 56)] ^ table[256 &+ Int(mixed >> 48 & 0xFF)]
      crc ^= table[512 &+ Int(mixed >> 40 & 0xFF)] ^ table[768 &+ Int(mixed >> 32 & 0xFF)]
      crc ^= table[1024 &+ Int(mixed >> 24 & 0xFF)] ^ table[1280 &+ Int(mixed >> 16 & 0xFF)]
      crc ^= table[1536 &+ Int(mixed >> 8 & 0xFF)] ^ table[1792 &+ Int(mixed & 0xFF)]
      offset &+= 8
    }
    while offset < bytes.count {
      crc = (crc >> 8) ^ table[Int(crc & 0xFF ^ UInt32(bytes[offset]))]
      offset &+= 1
    }
    return ~crc
  }
}
