/// Gives each pair of byte strings that it meets a number, from 0 on, without allocating for one that it knows.
///
/// The numbers stand for providers with models, devices, sessions and accounts while requests are summed up.
struct ByteInterner {
  private(set) var pairs: [(first: [UInt8], second: [UInt8])] = []
  private var hashes: [UInt64] = []
  /// Numbers plus one, by hash; 0 is free. The size is a power of two.
  private var slots = [Int32](repeating: 0, count: 64)

  var count: Int { pairs.count }

  mutating func number(
    _ first: UnsafeRawBufferPointer,
    _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> Int {
    let hash = Self.hash(second, seed: Self.hash(first, seed: 0x9E37_79B9_7F4A_7C15))
    var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) &- 1
      if hashes[number] == hash, Self.equal(first, pairs[number].first),
        Self.equal(second, pairs[number].second)
      {
        return number
      }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return insert(Array(first), Array(second), hash, slot)
  }

  private mutating func insert(_ first: [UInt8], _ second: [UInt8], _ hash: UInt64, _ slot: Int) -> Int {
    pairs.append((first, second))
    hashes.append(hash)
    slots[slot] = Int32(clamping: pairs.count)
    if pairs.count * 2 > slots.count { grow() }
    return pairs.count - 1
  }

  private mutating func grow() {
    slots = [Int32](repeating: 0, count: slots.count * 4)
    for (number, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
      while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
      slots[slot] = Int32(clamping: number + 1)
    }
  }

  @inline(__always)
  private static func equal(_ bytes: UnsafeRawBufferPointer, _ stored: [UInt8]) -> Bool {
    guard bytes.count == stored.count else { return false }
    return stored.withUnsafeBytes { compareBytes(bytes, $0) == 0 }
  }

  /// Mixes eight bytes at a time. Only speed hangs on it; equality is checked.
  @inline(__always)
  private static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
    var place = 0
    while place &+ 8 <= bytes.count {
      hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place &+= 8
    }
    while place < bytes.count {
      hash = (hash ^ UInt64(bytes[place])) &* 0x0000_0100_0000_01B3
      place &+= 1
    }
    return mix(hash)
  }

  @inline(__always)
  static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ (value >> 32)) &* 0xD6E8_FEB8_6659_FD93
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32)
  }
}

/// Numbers from 0 on for 64-bit keys: an open hash table, since a report asks it once for each request.
struct KeyIndex {
  private(set) var keys: [UInt64] = []
  private var slots = [Int32](repeating: 0, count: 256)

  @inline(__always)
  mutating func number(_ key: UInt64) -> (number: Int, isNew: Bool) {
    var slot = Int(truncatingIfNeeded: ByteInterner.mix(key)) & (slots.count &- 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) &- 1
      if keys[number] == key { return (number, false) }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    keys.append(key)
    slots[slot] = Int32(clamping: keys.count)
    if keys.count * 2 > slots.count { grow() }
    return (keys.count &- 1, true)
  }

  func contains(_ key: UInt64) -> Bool {
    var slot = Int(truncatingIfNeeded: ByteInterner.mix(key)) & (slots.count &- 1)
    while slots[slot] != 0 {
      if keys[Int(slots[slot]) &- 1] == key { return true }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return false
  }

  private mutating func grow() {
    slots = [Int32](repeating: 0, count: slots.count * 4)
    for (number, key) in keys.enumerated() {
      var slot = Int(truncatingIfNeeded: ByteInterner.mix(key)) & (slots.count &- 1)
      while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
      slots[slot] = Int32(clamping: number + 1)
    }
  }
}
