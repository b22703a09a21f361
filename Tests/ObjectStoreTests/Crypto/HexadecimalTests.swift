import ObjectStore
import Testing

@Suite struct HexadecimalTests {
  @Test func everyByteReadsBackFromItsDigits() {
    let bytes = (0...255).map(UInt8.init)
    let text = Hexadecimal.encode(bytes)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
    #expect(Hexadecimal.decode(text) == bytes)
    #expect(Hexadecimal.decode("ab"[...]) == [0xab])
  }

  @Test(arguments: ["a", "0g", "0A", "FF", " 0", "0x", "+1", "é", "00\u{0}0", "０１", "0/", "0:", "0`", "@0"])
  func whatIsNotLowerCaseDigitsInPairsIsRefused(text: String) {
    #expect(Hexadecimal.decode(text) == nil)
  }
}

@Suite struct FixedBytesTests {
  static let text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

  @Test func digestKeepsItsBytes() throws {
    let digest = try #require(Digest(hex: Self.text))
    #expect(digest.bytes == (0..<32).map(UInt8.init))
    #expect(digest.hex == Self.text)
    #expect("\(digest)" == Self.text)
    #expect(Digest(bytes: digest.bytes) == digest)
    #expect(Digest(bytes: digest.bytes[...]) == digest)
    var digits: [UInt8] = []
    digest.appendHex(to: &digits)
    #expect(digits == Array(Self.text.utf8))
  }

  @Test func identifierKeepsItsBytes() throws {
    let device = try #require(DeviceID(hex: Self.text.prefix(32)))
    #expect(device.bytes == (0..<16).map(UInt8.init))
    #expect(device.hex == Self.text.prefix(32))
    #expect(DeviceID(bytes: device.bytes) == device)
  }

  @Test(arguments: ["", "00", String(text.dropLast()), text + "0", text + "00", text.uppercased()])
  func wrongLengthOrCaseIsRefused(hex: String) {
    #expect(Digest(hex: hex) == nil)
    #expect(PublicKey(hex: hex) == nil)
    #expect(SlotID(hex: hex) == nil)
  }

  @Test func wrongNumberOfBytesIsRefused() {
    for count in [0, 1, 15, 17, 31, 33] {
      #expect(Digest(bytes: [UInt8](repeating: 0, count: count)) == nil)
      #expect(KeyID(bytes: [UInt8](repeating: 0, count: count)) == nil)
    }
  }

  @Test func orderIsTheOrderOfTheDigits() throws {
    for index in 0..<32 {
      var bytes = [UInt8](repeating: 0x80, count: 32)
      let middle = try #require(Digest(bytes: bytes))
      bytes[index] = 0x81
      let above = try #require(Digest(bytes: bytes))
      #expect(middle < above && middle.hex < above.hex)
      #expect(!(above < middle) && above != middle)
    }
    let low = try #require(RepositoryID(hex: "0000000000000000ffffffffffffffff"))
    let high = try #require(RepositoryID(hex: "00000000000000010000000000000000"))
    #expect(low < high)
  }
}
