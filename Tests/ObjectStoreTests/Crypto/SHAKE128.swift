/// SHAKE128 (FIPS 202), which the accumulated XAES-256-GCM vectors draw from and hash with.
struct SHAKE128 {
  private static let rate = 168

  private var lanes = [UInt64](repeating: 0, count: 25)
  private var position = 0
  private var isSqueezing = false

  mutating func absorb(_ bytes: [UInt8]) {
    for byte in bytes {
      if position == Self.rate { permute() }
      mix(byte, at: position)
      position += 1
    }
  }

  mutating func squeeze(_ count: Int) -> [UInt8] {
    if !isSqueezing { pad() }
    return (0..<count).map { _ in
      if position == Self.rate { permute() }
      defer { position += 1 }
      return UInt8(truncatingIfNeeded: lanes[position / 8] >> (8 * UInt64(position % 8)))
    }
  }

  private mutating func pad() {
    if position == Self.rate { permute() }
    mix(0x1f, at: position)
    mix(0x80, at: Self.rate - 1)
    isSqueezing = true
    permute()
  }

  private mutating func mix(_ byte: UInt8, at index: Int) {
    lanes[index / 8] ^= UInt64(byte) << (8 * UInt64(index % 8))
  }

  private mutating func permute() {
    position = 0
    lanes.withUnsafeMutableBufferPointer { a in
      for constant in roundConstants { Self.round(a, constant) }
    }
  }

  // Theta; rho and pi; chi and iota (FIPS 202, section 3.2). Lane (x, y) stands at x + 5y.
  private static func round(_ a: UnsafeMutableBufferPointer<UInt64>, _ constant: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 30) { b in
      for x in 0..<5 { b[25 + x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] }
      for x in 0..<5 {
        let parity = b[25 + (x + 4) % 5] ^ rotated(b[25 + (x + 1) % 5], 1)
        for y in 0..<5 {
          b[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(a[x + 5 * y] ^ parity, offsets[x + 5 * y])
        }
      }
      for y in stride(from: 0, to: 25, by: 5) {
        for x in 0..<5 { a[x + y] = b[x + y] ^ (~b[(x + 1) % 5 + y] & b[(x + 2) % 5 + y]) }
      }
      a[0] ^= constant
    }
  }

  private static func rotated(_ lane: UInt64, _ count: UInt64) -> UInt64 {
    lane &<< count | lane &>> (64 &- count)
  }
}

private let offsets: [UInt64] = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
]

private let roundConstants: [UInt64] = [
  0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
  0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
  0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
  0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
  0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
  0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
]
