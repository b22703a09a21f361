import ObjectStore
import TestSupport
import Testing

/// scrypt takes a third of a second a call, so one slot serves all tests.
@Suite(.serialized) struct KeySlotTests {
  private static let keys = LogBench.keys
  private static let passphrase = SecretBytes(copying: Array("corrèct horse".utf8))
  private static let slot = Result {
    try KeySlot(wrapping: keys.newest, passphrase: passphrase, random: .seeded(6))
  }

  private static func changed(_ old: String, _ new: String) throws -> [UInt8] {
    let text = String(decoding: try slot.get().bytes, as: UTF8.self)
    let parts = text.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "\(old) is there")
    return Array("\(parts[0])\(new)\(parts[1])".utf8)
  }

  @Test func thePassphraseGivesTheKeyBackAndAnotherDoesNot() throws {
    let slot = try Self.slot.get()
    let read = try KeySlot(decoding: slot.bytes, id: slot.id)
    #expect(read.bytes == slot.bytes)
    #expect(read.repository == Self.keys.repository && read.key == Self.keys.newest.id)
    #expect(try read.unwrap(passphrase: Self.passphrase) == Self.keys.newest.root)
    #expect(throws: SealError.authenticationFailed) {
      try read.unwrap(passphrase: SecretBytes(copying: Array("correct horse".utf8)))
    }
  }

  @Test func aSlotIsBoundToItsRepository() throws {
    let slot = try Self.slot.get()
    let moved = try Self.changed(Self.keys.repository.hex, RepositoryID(from: .seeded(5)).hex)
    let read = try KeySlot(decoding: moved, id: slot.id)
    #expect(throws: SealError.authenticationFailed) { try read.unwrap(passphrase: Self.passphrase) }
  }

  @Test func aSlotUnderAnotherNameIsRefused() throws {
    let slot = try Self.slot.get()
    #expect(throws: FormatError.content("slot")) {
      try KeySlot(decoding: slot.bytes, id: SlotID(from: .seeded(5)))
    }
  }

  @Test func theKeyIsNotThereInTheClear() throws {
    let text = String(decoding: try Self.slot.get().bytes, as: UTF8.self)
    #expect(!text.contains(Self.keys.newest.root.withUnsafeBytes { Hexadecimal.encode($0) }))
    #expect(text.utf8.count < 700)
  }

  static let refused: [(old: String, new: String, error: FormatError)] = [
    ("\"N\":131072", "\"N\":1099511627776", .content("cost")),
    ("\"N\":131072", "\"N\":131073", .content("cost")),
    ("\"N\":131072", "\"N\":2", .content("cost")), ("\"N\":131072", "\"N\":0", .content("cost")),
    ("\"N\":131072", "\"N\":-131072", .content("cost")),
    ("\"N\":131072", "\"N\":\"131072\"", .content("cost")),
    ("\"N\":131072", "\"N\":9223372036854775807", .content("cost")),
    ("\"N\":131072", "\"N\":1e300", .content("cost")),
    ("\"N\":131072", "\"M\":131072", .content("cost")), ("\"r\":8", "\"r\":1073741824", .content("cost")),
    ("\"r\":8", "\"r\":1", .content("cost")), ("\"p\":1", "\"p\":1073741823", .content("cost")),
    ("\"p\":1", "\"p\":2", .content("cost")), ("\"scrypt\"", "\"argon2\"", .content("cost")),
    ("\"format\":1", "\"format\":2", .newerFormat(2)), ("\"format\":1", "\"format\":0", .content("format")),
    ("\"format\":1", "\"for\":1", .magic), ("\"salt\":\"", "\"salt\":\"00", .content("slot")),
    ("\"nonce\":\"", "\"nonce\":\"00", .content("slot")),
    ("\"wrapped\":\"", "\"wrapped\":\"00", .content("slot")),
    ("\"keyID\":\"", "\"keyID\":\"0", .content("slot")),
    ("\"repository\":\"", "\"repository\":\"x", .content("slot")),
    ("\"wrapped\":\"", "\"wrapped\":null,\"w\":\"", .content("slot")), ("{", "{{", .magic),
  ]

  @Test(arguments: refused.indices)
  func aHostileSlotIsRefusedBeforeAnythingIsComputed(row: Int) throws {
    let (old, new, error) = Self.refused[row]
    let bytes = try Self.changed(old, new)
    let id = try Self.slot.get().id
    // Decoding does not know the passphrase: nothing that costs can have been computed.
    #expect(throws: error, "row \(row)") { try KeySlot(decoding: bytes, id: id) }
  }

  @Test func aSlotThatIsCutOrTooLongIsRefused() throws {
    let slot = try Self.slot.get()
    for count in 0..<slot.bytes.count - 1 {
      #expect(throws: FormatError.self, "\(count)") {
        try KeySlot(decoding: Array(slot.bytes[..<count]), id: slot.id)
      }
    }
    let long = slot.bytes + [UInt8](repeating: 32, count: Limits.smallFile)
    #expect(throws: FormatError.length) { try KeySlot(decoding: long, id: slot.id) }
  }
}
