import ObjectStore
import TestSupport
import Testing

// RFC 8032, section 7.1: tests 1, 2, 3 and SHA(abc).
private let vectors: [(seed: String, publicKey: String, message: String, signature: String)] = [
  (
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
      + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
  ),
  (
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
  ),
  (
    "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
      + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
  ),
  (
    "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
    "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
      + "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
  ),
]

private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hex)) }

@Suite struct Ed25519Tests {
  @Test(arguments: vectors.indices)
  func matchesThePublishedSignature(row: Int) throws {
    let vector = vectors[row]
    let message = try bytes(vector.message)
    let key = try #require(SigningKey(seed: SecretBytes(copying: try bytes(vector.seed))))
    #expect(key.publicKey.hex == vector.publicKey)
    #expect(Hexadecimal.encode(key.sign(message)) == vector.signature)
    let publicKey = try #require(PublicKey(hex: vector.publicKey))
    #expect(publicKey.isValid(signature: try bytes(vector.signature), for: message))
  }

  @Test func changedSignatureMessageOrKeyIsInvalid() throws {
    let key = SigningKey.generate(from: .seeded(3))
    let message = Array("a head".utf8)
    let signature = key.sign(message)
    for bit in 0..<8 * signature.count {
      var flipped = signature
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(!key.publicKey.isValid(signature: flipped, for: message))
    }
    for bit in 0..<8 * message.count {
      var flipped = message
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(!key.publicKey.isValid(signature: signature, for: flipped))
    }
    for bit in 0..<8 * PublicKey.byteCount {
      var flipped = key.publicKey.bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      let other = try #require(PublicKey(bytes: flipped))
      #expect(!other.isValid(signature: signature, for: message))
    }
  }

  @Test func signatureOfAnotherLengthIsInvalid() {
    let key = SigningKey.generate(from: .seeded(4))
    let signature = key.sign([1])
    for count in 0..<64 { #expect(!key.publicKey.isValid(signature: Array(signature[..<count]), for: [1])) }
    #expect(!key.publicKey.isValid(signature: signature + [0], for: [1]))
  }

  // RFC 8032, section 5.1.7: S must be below the order of the group, or one message had many signatures.
  @Test func signatureWithTheGroupOrderAddedIsInvalid() throws {
    let order = try bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    let key = SigningKey.generate(from: .seeded(5))
    var signature = key.sign([1])
    var carry = 0
    for index in 0..<32 {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      signature[32 + index] = UInt8(sum & 0xff)
      carry = sum >> 8
    }
    #expect(carry == 0)
    #expect(!key.publicKey.isValid(signature: signature, for: [1]))
  }

  @Test func seedOfAnotherLengthIsRefused() {
    for count in [0, 31, 33, 64] {
      #expect(SigningKey(seed: SecretBytes(copying: [UInt8](repeating: 1, count: count))) == nil)
    }
  }

  @Test func deviceIDIsTheStartOfTheKeysDigest() {
    let key = SigningKey.generate(from: .seeded(6)).publicKey
    #expect(key.deviceID.hex == SHA256.hash(key.bytes).hex.prefix(32))
  }
}
