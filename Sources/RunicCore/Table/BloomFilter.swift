/// Says of a key that it is certainly not in a run, or perhaps. Fourteen bits a key: about one false answer in 700, since
/// a batch of a million asks many runs for each key, and a false answer reads a block.
struct BloomFilter {
  private static let probes = 7
  private var words: [UInt64]

  /// Sized for a number of keys, all absent. 8 KiB hold 4,600 keys.
  init(capacity: Int) {
    let bits = max(64, capacity.multipliedReportingOverflow(by: 14).partialValue)
    words = [UInt64](repeating: 0, count: bits / 64 &+ 1)
  }

  /// From its stored bytes; nil where the length is none that is written.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty, bytes.count % 8 == 0 else { return nil }
    words = (0..<bytes.count / 8).map {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 &* 8, as: UInt64.self))
    }
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(words.count &* 8)
    for word in words { bytes.append(littleEndian: word) }
    return bytes
  }

  mutating func insert(hash: UInt64) {
    var probe = Probe(hash, words: words.count)
    for _ in 0..<Self.probes {
      words[probe.word] |= probe.mask
      probe.advance()
    }
  }

  func mayContain(hash: UInt64) -> Bool {
    var probe = Probe(hash, words: words.count)
    for _ in 0..<Self.probes {
      if words[probe.word] & probe.mask == 0 { return false }
      probe.advance()
    }
    return true
  }

  /// The bits of a hash: it selects by its upper part and steps by a rotation of itself.
  private struct Probe {
    private let bits: UInt64
    private let step: UInt64
    private var position: UInt64

    init(_ hash: UInt64, words: Int) {
      bits = UInt64(words) &* 64
      step = hash << 29 | hash >> 35 | 1
      position = hash
    }

    private var bit: UInt64 { position.multipliedFullWidth(by: bits).high }
    var word: Int { Int(bit >> 6) }
    var mask: UInt64 { 1 << (bit & 63) }
    mutating func advance() { position &+= step }
  }

  /// A hash of the key that is the same in every process and version: it is on disk in the filter's bits.
  static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hash = 0x9E37_79B9_7F4A_7C15 ^ UInt64(key.count)
    var offset = 0
    while offset &+ 8 <= key.count {
      mix(&hash, UInt64(littleEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset &+= 8
    }
    var last: UInt64 = 0
    while offset < key.count {
      last = last << 8 | UInt64(key[offset])
      offset &+= 1
    }
    mix(&hash, last)
    return hash ^ hash >> 32
  }

  private static func mix(_ hash: inout UInt64, _ word: UInt64) {
    let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    hash = product.high ^ product.low ^ word << 17 | 1
    hash = (hash << 23 | hash >> 41) &* 0xA076_1D64_78BD_642F
  }
}
