import CZlib

/// The CRC-32 of zlib and Ethernet: finds damage by chance, proves nothing against intent.
public enum CRC32 {
  /// The checksum of `bytes`, going on from the checksum of what came before. crc32_z(3). O(n).
  public static func checksum(_ bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0) -> UInt32 {
    // zlib takes a missing buffer for a question after the first value, which is not meant here.
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return previous }
    let sum = crc32_z(UInt(previous), start.assumingMemoryBound(to: UInt8.self), bytes.count)
    return UInt32(truncatingIfNeeded: sum)
  }

  public static func checksum(_ bytes: [UInt8], after previous: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { checksum($0, after: previous) }
  }
}
