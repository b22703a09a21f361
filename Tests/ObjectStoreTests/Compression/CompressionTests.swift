import ObjectStore
import TestSupport
import Testing

@Suite struct CRC32Tests {
  // The check value of the algorithm, and sums that zlib's manual implies.
  @Test(arguments: [("", 0), ("123456789", 0xcbf4_3926), ("a", 0xe8b7_be43)] as [(String, UInt32)])
  func matchesTheKnownChecksum(text: String, checksum: UInt32) {
    #expect(CRC32.checksum(Array(text.utf8)) == checksum)
  }

  @Test func partsGiveTheChecksumOfTheWhole() {
    var random = SeededRandom(seed: 11)
    let bytes = random.bytes(100)
    for cut in 0...bytes.count {
      let first = CRC32.checksum(Array(bytes[..<cut]))
      #expect(CRC32.checksum(Array(bytes[cut...]), after: first) == CRC32.checksum(bytes))
    }
  }
}

@Suite struct DeflateTests {
  /// Text-like bytes that compress, and noise that does not.
  static func sample(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    let words = (0..<40).map { _ in random.bytes(Int.random(in: 1...12, using: &random)) }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += words[Int.random(in: 0..<40, using: &random)] }
    return Array(bytes[..<count])
  }

  @Test(arguments: [0, 1, 2, 100, 65_535, 65_536, 65_537, 1_000_000])
  func everythingReadsBack(count: Int) throws {
    var random = SeededRandom(seed: UInt64(count))
    for bytes in [Self.sample(count, seed: 5), random.bytes(count)] {
      let stream = Deflater.deflate(bytes)
      #expect(try Inflater.inflate(stream, limit: count) == bytes)
    }
  }

  @Test func sampleShrinks() {
    let bytes = Self.sample(100_000, seed: 6)
    #expect(Deflater.deflate(bytes).count < 50_000)
  }

  @Test func deflaterIsUsedAgainAfterItsLastStream() throws {
    var deflater = Deflater()
    for seed in UInt64(0)..<5 {
      let bytes = Self.sample(5000, seed: seed)
      deflater.write(bytes[..<1234])
      deflater.write(Array(bytes[1234...]))
      let stream = deflater.finish()
      #expect(stream == Deflater.deflate(bytes))
      #expect(try Inflater.inflate(stream, limit: 5000) == bytes)
    }
  }
}

@Suite struct InflateTests {
  private static let bytes = Array("to be or not to be, that is the question; to be or not to be".utf8)

  // RFC 1950: header 78 9c; a stored block; and the Adler-32 of "abc".
  @Test func streamWrittenByHandIsRead() throws {
    let stream: [UInt8] = [
      0x78, 0x9c, 0x01, 3, 0, 0xfc, 0xff, 0x61, 0x62, 0x63, 0x02, 0x4d, 0x01, 0x27,
    ]
    #expect(try Inflater.inflate(stream, limit: 3) == Array("abc".utf8))
  }

  @Test func chunksJoinToTheWhole() throws {
    let bytes = DeflateTests.sample(200_000, seed: 1)
    let stream = Deflater.deflate(bytes)
    for count in [1000, 65_536, 70_000, 200_000, 1_000_000] {
      var inflater = Inflater([9] + stream + [9, 9], 1..<stream.count + 1, limit: bytes.count)
      var output: [UInt8] = []
      var chunk: [UInt8] = []
      while try inflater.next(appendingTo: &chunk, upTo: count) {
        #expect(chunk.count <= count)
        output += chunk
        chunk = []
      }
      #expect(output + chunk == bytes)
      #expect(try !inflater.next(appendingTo: &chunk))
    }
  }

  @Test func limitIsExact() throws {
    let stream = Deflater.deflate(Self.bytes)
    #expect(try Inflater.inflate(stream, limit: Self.bytes.count) == Self.bytes)
    for limit in [0, 1, Self.bytes.count - 1, -1] {
      #expect(throws: InflateError.tooLarge(limit: limit)) { try Inflater.inflate(stream, limit: limit) }
    }
  }

  @Test func bombStopsAtTheLimit() throws {
    let bomb = Deflater.deflate([UInt8](repeating: 0, count: 20 << 20))
    #expect(bomb.count < 1 << 16)
    var inflater = Inflater(bomb, limit: 1 << 20)
    var output: [UInt8] = []
    #expect(throws: InflateError.tooLarge(limit: 1 << 20)) {
      while try inflater.next(appendingTo: &output) {}
    }
    #expect(output.count <= 1 << 20)
    #expect(throws: InflateError.tooLarge(limit: 1 << 20)) { try inflater.next(appendingTo: &output) }
  }

  @Test func cutStreamIsTruncated() {
    let stream = Deflater.deflate(Self.bytes)
    for count in 0..<stream.count {
      #expect(throws: InflateError.truncated) {
        try Inflater.inflate(Array(stream[..<count]), limit: 1000)
      }
    }
  }

  @Test(arguments: [[0], [0x78], [0x78, 0x9c, 3, 0, 0, 0, 0, 1]] as [[UInt8]])
  func bytesAfterTheStreamAreRefused(rest: [UInt8]) {
    #expect(throws: InflateError.trailingBytes) {
      try Inflater.inflate(Deflater.deflate(Self.bytes) + rest, limit: 1000)
    }
  }

  @Test func presetDictionaryIsRefused() {
    // Header with FDICT set, its check bits right, and a dictionary id.
    #expect(throws: InflateError.presetDictionary) {
      try Inflater.inflate([0x78, 0xbb, 1, 2, 3, 4, 3, 0], limit: 1000)
    }
  }

  @Test func wrongChecksumIsDamage() {
    var stream = Deflater.deflate(Self.bytes)
    for index in stream.indices.suffix(4) {
      stream[index] ^= 1
      #expect(throws: InflateError.damaged) { try Inflater.inflate(stream, limit: 1000) }
      stream[index] ^= 1
    }
  }

  @Test func flippedBitNeverPassesForOtherBytes() {
    let stream = Deflater.deflate(Self.bytes)
    var harmless = 0
    for bit in 0..<8 * stream.count {
      var flipped = stream
      flipped[bit / 8] ^= 1 << (bit % 8)
      guard let output = try? Inflater.inflate(flipped, limit: 1000) else { continue }
      #expect(output == Self.bytes, "bit \(bit)")
      harmless += 1
    }
    // Only the bits that fill up the last byte before the checksum mean nothing.
    #expect(harmless < 8)
  }

  @Test func noiseNeverCrashes() {
    var random = SeededRandom(seed: 77)
    for _ in 0..<2000 {
      let noise = [0x78, 0x9c] + random.bytes(Int.random(in: 0...200, using: &random))
      let output = try? Inflater.inflate(noise, limit: 10_000)
      #expect((output?.count ?? 0) <= 10_000)
    }
  }
}
