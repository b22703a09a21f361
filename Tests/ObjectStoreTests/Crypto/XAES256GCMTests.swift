import ObjectStore
import TestSupport
import Testing

// c2sp.org/XAES-256-GCM, test vectors: the first bit of L is 0 in the first and 1 in the second.
private let vectors: [(key: UInt8, associatedData: String, sealed: String)] = [
  (0x01, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
  (0x03, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
]

// The accumulated ones. The long one is for optimized builds, where it takes seconds.
#if DEBUG
  private let iterations = [10_000]
#else
  private let iterations = [10_000, 1_000_000]
#endif
private let accumulated = [
  10_000: "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939",
  1_000_000: "2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15",
]

private let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)

private func cipher(_ byte: UInt8) throws -> XAES256GCM {
  try XAES256GCM(key: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
}

@Suite struct XAES256GCMTests {
  @Test(arguments: vectors.indices)
  func matchesThePublishedCiphertext(row: Int) throws {
    let vector = vectors[row]
    let associatedData = Array(vector.associatedData.utf8)
    let cipher = try cipher(vector.key)
    let plaintext = Array("XAES-256-GCM".utf8)
    let sealed = try cipher.seal(plaintext, nonce: nonce, associatedData: associatedData)
    #expect(Hexadecimal.encode(sealed) == vector.sealed)
    #expect(try cipher.open(sealed, nonce: nonce, associatedData: associatedData) == plaintext)
  }

  @Test func theGeneratorStartsAsPublished() {
    var generator = SHAKE128()
    #expect(Hexadecimal.encode(generator.squeeze(16)) == "7f9c2ba4e88f827d616045507605853e")
  }

  @Test(arguments: iterations)
  func matchesThePublishedAccumulatedHash(count: Int) throws {
    var generator = SHAKE128()
    var hash = SHAKE128()
    for _ in 0..<count {
      let key = generator.squeeze(32)
      let nonce = generator.squeeze(24)
      let plaintext = generator.squeeze(Int(generator.squeeze(1)[0]))
      let associatedData = generator.squeeze(Int(generator.squeeze(1)[0]))
      let cipher = try XAES256GCM(key: SecretBytes(copying: key))
      let sealed = try cipher.seal(plaintext, nonce: nonce, associatedData: associatedData)
      let opened = try cipher.open(sealed, nonce: nonce, associatedData: associatedData)
      if opened != plaintext { Issue.record("plaintext \(plaintext) came back as \(opened)") }
      hash.absorb(sealed)
    }
    #expect(Hexadecimal.encode(hash.squeeze(32)) == accumulated[count])
  }

  @Test func flippedBitAnywhereIsRefused() throws {
    let cipher = try cipher(1)
    let associatedData = Array("header".utf8)
    let sealed = try cipher.seal(Array("a body".utf8), nonce: nonce, associatedData: associatedData)
    for bit in 0..<8 * sealed.count {
      var flipped = sealed
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: SealError.authenticationFailed) {
        try cipher.open(flipped, nonce: nonce, associatedData: associatedData)
      }
    }
    for bit in 0..<8 * associatedData.count {
      var flipped = associatedData
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: SealError.authenticationFailed) {
        try cipher.open(sealed, nonce: nonce, associatedData: flipped)
      }
    }
    for bit in 0..<8 * nonce.count {
      var flipped = nonce
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: SealError.authenticationFailed) {
        try cipher.open(sealed, nonce: flipped, associatedData: associatedData)
      }
    }
  }

  @Test func cutOrLengthenedMessageIsRefused() throws {
    let cipher = try cipher(1)
    let sealed = try cipher.seal([1, 2, 3], nonce: nonce, associatedData: [])
    for count in 0..<sealed.count {
      #expect(throws: SealError.authenticationFailed) {
        try cipher.open(Array(sealed[..<count]), nonce: nonce, associatedData: [])
      }
    }
    #expect(throws: SealError.authenticationFailed) {
      try cipher.open(sealed + [0], nonce: nonce, associatedData: [])
    }
  }

  @Test func anotherKeyIsRefused() throws {
    let sealed = try cipher(1).seal([1, 2, 3], nonce: nonce, associatedData: [])
    #expect(throws: SealError.authenticationFailed) {
      try cipher(2).open(sealed, nonce: nonce, associatedData: [])
    }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 1000, 3 << 20])
  func messageSealedInPlaceOpensInPlace(count: Int) throws {
    var random = SeededRandom(seed: UInt64(count))
    let (header, body, after) = (random.bytes(20), random.bytes(count), random.bytes(5))
    let cipher = try cipher(9)
    var file = header + body
    try cipher.seal(inPlace: &file, from: header.count, nonce: nonce, associatedData: header)
    let sealed = try cipher.seal(body, nonce: nonce, associatedData: header)
    #expect(file == header + sealed)
    file += after
    let range = header.count..<header.count + sealed.count
    let opened = try cipher.open(inPlace: &file, range, nonce: nonce, associatedData: header)
    #expect(Array(file[opened]) == body)
    #expect(Array(file[..<header.count]) == header && Array(file.suffix(5)) == after)
  }

  @Test func messageHeldOnceIsNotCopied() throws {
    let cipher = try cipher(9)
    var file = [UInt8](repeating: 7, count: 100_000)
    file.reserveCapacity(file.count + XAES256GCM.tagCount)
    let before = file.withUnsafeBytes { $0.baseAddress }
    try cipher.seal(inPlace: &file, from: 100, nonce: nonce, associatedData: [])
    _ = try cipher.open(inPlace: &file, 100..<file.count, nonce: nonce, associatedData: [])
    #expect(file.withUnsafeBytes { $0.baseAddress } == before)
  }

  @Test func failureLeavesNoPlaintext() throws {
    let cipher = try cipher(9)
    var file = try cipher.seal(Array("secret".utf8), nonce: nonce, associatedData: [])
    file[file.count - 1] ^= 1
    #expect(throws: SealError.authenticationFailed) {
      try cipher.open(inPlace: &file, file.indices, nonce: nonce, associatedData: [])
    }
    #expect(file == [UInt8](repeating: 0, count: file.count))
  }

  @Test func rangeOutsideTheBytesIsRefused() throws {
    let cipher = try cipher(9)
    var file = try cipher.seal([1], nonce: nonce, associatedData: [])
    for range in [-1..<file.count, 0..<file.count + 1, 2..<file.count, 0..<0, 100..<200] {
      #expect(throws: SealError.authenticationFailed) {
        try cipher.open(inPlace: &file, range, nonce: nonce, associatedData: [])
      }
    }
    #expect(try cipher.open(file, nonce: nonce, associatedData: []) == [1])
  }

  @Test func wrongLengthsOfKeyAndNonceAreRefused() throws {
    for count in [0, 16, 31, 33] {
      #expect(throws: SealError.invalidKeyLength(count)) {
        try XAES256GCM(key: SecretBytes(copying: [UInt8](repeating: 1, count: count)))
      }
    }
    let cipher = try cipher(1)
    for count in [0, 12, 23, 25] {
      let nonce = [UInt8](repeating: 1, count: count)
      #expect(throws: SealError.invalidNonceLength(count)) {
        try cipher.seal([1], nonce: nonce, associatedData: [])
      }
      #expect(throws: SealError.invalidNonceLength(count)) {
        try cipher.open([UInt8](repeating: 0, count: 17), nonce: nonce, associatedData: [])
      }
    }
  }
}
