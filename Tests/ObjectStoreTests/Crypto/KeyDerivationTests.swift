import ObjectStore
import TestSupport
import Testing

private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hex)) }

private func filled(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

// RFC 4231, section 4; case 5 is published cut to 128 bits.
private let codes: [(key: [UInt8], message: [UInt8], code: String)] = [
  (
    filled(0x0b, 20), Array("Hi There".utf8),
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
  ),
  (
    Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
  ),
  (filled(0xaa, 20), filled(0xdd, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
  (
    (1...25).map(UInt8.init), filled(0xcd, 50),
    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
  ),
  (filled(0x0c, 20), Array("Test With Truncation".utf8), "a3b6167473100ee06e0c796c2955552b"),
  (
    filled(0xaa, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
  ),
  (
    filled(0xaa, 131),
    Array(
      ("This is a test using a larger than block-size key and a larger than block-size data."
        + " The key needs to be hashed before being used by the HMAC algorithm.").utf8),
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
  ),
]

@Suite struct HMACSHA256Tests {
  @Test(arguments: codes.indices)
  func matchesThePublishedCode(row: Int) {
    let (bytes, message, code) = codes[row]
    let key = SecretBytes(copying: bytes)
    #expect(HMACSHA256.authenticate(message, key: key).hex.hasPrefix(code))
    let cut = message.count / 3
    let parts = HMACSHA256.authenticate(Array(message[..<cut]), Array(message[cut...]), key: key)
    #expect(parts.hex.hasPrefix(code))
  }

  @Test func codeOfAnotherMessageKeyOrLengthIsInvalid() {
    let key = SecretBytes(copying: [1, 2, 3])
    let code = HMACSHA256.authenticate([4, 5], key: key).bytes
    #expect(HMACSHA256.isValid(code, for: [4], [5], key: key))
    #expect(!HMACSHA256.isValid(code, for: [4, 6], key: key))
    #expect(!HMACSHA256.isValid(code, for: [4, 5], key: SecretBytes(copying: [1, 2])))
    #expect(!HMACSHA256.isValid(Array(code.dropLast()), for: [4, 5], key: key))
    #expect(!HMACSHA256.isValid([], for: [4, 5], key: key))
    for index in code.indices {
      var flipped = code
      flipped[index] ^= 1
      #expect(!HMACSHA256.isValid(flipped, for: [4, 5], key: key))
    }
  }
}

// RFC 5869, appendix A, the cases for SHA-256.
private let expansions: [(secret: [UInt8], salt: [UInt8], info: [UInt8], key: String)] = [
  (
    filled(0x0b, 22), (0x00...0x0c).map(UInt8.init), (0xf0...0xf9).map(UInt8.init),
    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
  ),
  (
    (0x00...0x4f).map(UInt8.init), (0x60...0xaf).map(UInt8.init), (0xb0...0xff).map(UInt8.init),
    "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
      + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
  ),
  (
    filled(0x0b, 22), [], [],
    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
  ),
]

@Suite struct HKDFTests {
  @Test(arguments: expansions.indices)
  func matchesThePublishedKey(row: Int) throws {
    let (secret, salt, info, key) = expansions[row]
    let derived = try HKDF.deriveKey(
      from: SecretBytes(copying: secret), salt: salt, info: info, length: key.count / 2)
    #expect(derived == SecretBytes(copying: try bytes(key)))
  }

  @Test func lengthHasALimit() throws {
    let secret = SecretBytes(copying: [1])
    #expect(try HKDF.deriveKey(from: secret, info: [], length: 8160).count == 8160)
    #expect(throws: KeyDerivationError.lengthTooGreat(8161)) {
      try HKDF.deriveKey(from: secret, info: [], length: 8161)
    }
  }
}

private struct Stretch: Sendable {
  let passphrase: String
  let salt: String
  let cost: UInt64
  let blockSize: UInt64
  let parallelization: UInt64
  let key: String
}

// RFC 7914, section 12; the fourth, which takes 1 GiB, is left out.
private let stretches = [
  Stretch(
    passphrase: "", salt: "", cost: 16, blockSize: 1, parallelization: 1,
    key: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
      + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
  Stretch(
    passphrase: "password", salt: "NaCl", cost: 1024, blockSize: 8, parallelization: 16,
    key: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
      + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
  Stretch(
    passphrase: "pleaseletmein", salt: "SodiumChloride", cost: 16384, blockSize: 8, parallelization: 1,
    key: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
      + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
]

@Suite struct ScryptTests {
  private func derive(
    _ cost: UInt64, _ blockSize: UInt64, _ parallelization: UInt64, memoryLimit: UInt64 = 192 << 20
  ) throws -> SecretBytes {
    try Scrypt.deriveKey(
      passphrase: SecretBytes(copying: []), salt: [], cost: cost, blockSize: blockSize,
      parallelization: parallelization, length: 32, memoryLimit: memoryLimit)
  }

  @Test(arguments: stretches.indices)
  func matchesThePublishedKey(row: Int) throws {
    let stretch = stretches[row]
    let key = try Scrypt.deriveKey(
      passphrase: SecretBytes(copying: Array(stretch.passphrase.utf8)), salt: Array(stretch.salt.utf8),
      cost: stretch.cost, blockSize: stretch.blockSize, parallelization: stretch.parallelization, length: 64)
    #expect(key == SecretBytes(copying: try bytes(stretch.key)))
  }

  @Test func theCostOfASlotFitsTheDefaultLimit() throws {
    #expect(try derive(1 << 17, 8, 1).count == 32)
  }

  @Test(
    arguments: [
      (0, 8, 1), (1, 8, 1), (3, 8, 1), (16, 0, 1), (16, 1, 0), (16, 1 << 30, 1), (16, .max, .max),
      (.max, 1, 1),
    ] as [(UInt64, UInt64, UInt64)])
  func undefinedParametersAreRefused(cost: UInt64, blockSize: UInt64, parallelization: UInt64) {
    #expect(throws: KeyDerivationError.invalidParameters) {
      try derive(cost, blockSize, parallelization)
    }
  }

  @Test(
    arguments: [(1 << 40, 8, 1), (1 << 63, 8, 1), (2, 1 << 29, 1), (16, 1, 1 << 29), (1 << 18, 8, 1)]
      as [(UInt64, UInt64, UInt64)])
  func hostileParametersCostNoMemory(cost: UInt64, blockSize: UInt64, parallelization: UInt64) {
    #expect {
      try derive(cost, blockSize, parallelization)
    } throws: { error in
      guard case KeyDerivationError.memoryLimitExceeded(let needed) = error else { return false }
      return needed > 192 << 20
    }
  }

  @Test func memoryIsReckonedToTheByte() throws {
    let needed: UInt64 = 128 * 8 * (1024 + 2) + 128 * 8 * 2
    #expect(try derive(1024, 8, 2, memoryLimit: needed).count == 32)
    #expect(throws: KeyDerivationError.memoryLimitExceeded(needed: needed)) {
      try derive(1024, 8, 2, memoryLimit: needed - 1)
    }
  }
}

@Suite struct SecretBytesTests {
  @Test func nothingIsDescribed() {
    let secret = SecretBytes(copying: Array("open sesame".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", secret.debugDescription, String(reflecting: secret), dumped] {
      #expect(text.contains("SecretBytes(11)"))
      #expect(!text.contains("111") && !text.contains("open"))
    }
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test func takingWipesTheSource() {
    var source: [UInt8] = [1, 2, 3]
    let secret = SecretBytes(taking: &source)
    #expect(source.isEmpty)
    #expect(secret.withUnsafeBytes { Array($0) } == [1, 2, 3])
  }

  @Test func equalityIsOfBytes() {
    #expect(SecretBytes(copying: [1, 2]) == SecretBytes(copying: [1, 2]))
    #expect(SecretBytes(copying: [1, 2]) != SecretBytes(copying: [1, 3]))
    #expect(SecretBytes(copying: [1, 2]) != SecretBytes(copying: [1]))
    #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
  }
}

@Suite struct RandomSourceTests {
  @Test func seededSourceRepeatsItself() {
    #expect(RandomSource.seeded(7).bytes(100) == RandomSource.seeded(7).bytes(100))
    #expect(RandomSource.seeded(7).bytes(100) != RandomSource.seeded(8).bytes(100))
    let source = RandomSource.seeded(7)
    #expect(source.bytes(16) != source.bytes(16))
  }

  @Test func systemSourceFillsEveryByte() {
    // A byte that stays zero in each of 64 draws is one that is not written (chance 2^-512).
    var seen = [UInt8](repeating: 0, count: 100)
    for _ in 0..<64 {
      for (index, byte) in RandomSource.system.bytes(100).enumerated() { seen[index] |= byte }
    }
    #expect(!seen.contains(0))
    #expect(RandomSource.system.bytes(0).isEmpty)
    #expect(RandomSource.system.secret(32) != RandomSource.system.secret(32))
    #expect(DeviceID(from: .system) != DeviceID(from: .system))
  }
}
