import ObjectStore
import TestSupport
import Testing

@Suite struct MarkerTests {
  private static let keys = LogBench.keys
  private static let marker = Marker(key: keys.newest)

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func aMarkerIsReadAsItWasWritten() throws {
    let read = try Marker(decoding: Self.marker.bytes)
    #expect(read == Self.marker)
    #expect(read.bytes == Self.marker.bytes)
    #expect(read.repository == Self.keys.repository && read.key == Self.keys.newest.id)
    #expect(read.accepts(Self.keys))
  }

  @Test func theKeyIsNotToldAndTheCheckIsTheHMACOfTheRest() {
    let rest =
      "{\"format\":1,\"keyID\":\"\(Self.keys.newest.id.hex)\",\"repository\":\"\(Self.keys.repository.hex)\"}"
    #expect(Self.marker.keyCheck == Self.keys.newest.keyCheck(of: Array(rest.utf8)))
    let text = Self.text(Self.marker.bytes)
    #expect(!text.contains(Self.keys.newest.root.withUnsafeBytes { Hexadecimal.encode($0) }))
  }

  @Test func anotherKeyOrRepositoryIsNotAccepted() throws {
    #expect(!Self.marker.accepts(LogBench.otherKeys))
    let elsewhere = try RepositoryKeys(
      root: Self.keys.newest.root, repository: RepositoryID(from: .seeded(5)))
    #expect(!Self.marker.accepts(elsewhere))
    #expect(Marker(key: LogBench.otherKeys.newest).bytes != Self.marker.bytes)
  }

  @Test func noByteCanBeChangedAndStillBeAccepted() {
    let bytes = Self.marker.bytes
    for index in bytes.indices.dropLast() {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        guard let read = try? Marker(decoding: changed) else { continue }
        #expect(!read.accepts(Self.keys), "byte \(index), bit \(bit)")
      }
    }
    for count in 0..<bytes.count - 1 {
      #expect(throws: FormatError.self, "\(count)") { try Marker(decoding: Array(bytes[..<count])) }
    }
  }

  @Test func fieldsOfALaterRunicAreKeptUnderTheCheck() throws {
    let rest =
      "{\"format\":1,\"keyID\":\"\(Self.keys.newest.id.hex)\",\"repository\":\"\(Self.keys.repository.hex)\",\"zone\":[1]}"
    let check = Self.keys.newest.keyCheck(of: Array(rest.utf8)).hex
    let whole = rest.dropLast() + ",\"keyCheck\":\"\(check)\"}"
    let read = try Marker(decoding: Array(whole.utf8))
    #expect(read.accepts(Self.keys))
    #expect(try Marker(decoding: read.bytes) == read)
    #expect(Self.text(read.bytes).contains("\"zone\":[1]"))
    // Added without the key, such a field is found out.
    let added = Self.text(Self.marker.bytes).dropLast(2) + ",\"zone\":[1]}"
    #expect(try !Marker(decoding: Array(added.utf8)).accepts(Self.keys))
  }

  static let refused: [(old: String, new: String, error: FormatError)] = [
    ("\"format\":1", "\"format\":2", .newerFormat(2)),
    ("\"format\":1", "\"format\":9223372036854775807", .newerFormat(.max)),
    ("\"format\":1", "\"format\":0", .content("format")),
    ("\"format\":1", "\"format\":-1", .content("format")),
    ("\"format\":1", "\"format\":\"1\"", .magic), ("\"format\":1", "\"form\":1", .magic),
    ("\"keyID\"", "\"keyId\"", .content("marker")), ("\"keyCheck\"", "\"check\"", .content("marker")),
    ("\"repository\":\"", "\"repository\":\"0", .content("marker")), ("{", "[", .magic),
  ]

  @Test(arguments: refused.indices)
  func whatBreaksARuleIsRefused(row: Int) throws {
    let (old, new, error) = Self.refused[row]
    let parts = Self.text(Self.marker.bytes).split(
      separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "row \(row)")
    #expect(throws: error, "row \(row)") { try Marker(decoding: Array("\(parts[0])\(new)\(parts[1])".utf8)) }
  }

  @Test func otherFilesAreNoMarkers() {
    for text in ["", "null", "[]", "{}", "runic", "\u{feff}{}"] {
      #expect(throws: FormatError.magic, "\(text)") { try Marker(decoding: Array(text.utf8)) }
    }
    let long = Self.marker.bytes + [UInt8](repeating: 32, count: Limits.smallFile)
    #expect(throws: FormatError.length) { try Marker(decoding: long) }
  }
}
