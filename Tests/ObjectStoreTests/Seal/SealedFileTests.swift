import ObjectStore
import TestSupport
import Testing

@Suite struct SealedFileTests {
  static let keys = LogBench.keys
  static let device = DeviceID(from: .seeded(21))
  static let body = Array("a body, which need not be compressed here".utf8)

  static func header(
    purpose: Purpose = .object, key: KeyID = keys.newest.id, repository: RepositoryID = keys.repository,
    device: DeviceID = device, first: Int64 = 3, last: Int64 = 9
  ) -> SealedHeader {
    SealedHeader(purpose: purpose, key: key, repository: repository, device: device, first: first, last: last)
  }

  static func seal(_ header: SealedHeader = header(), body: [UInt8] = body, seed: UInt64 = 1) throws
    -> [UInt8]
  {
    try SealedFile.seal(body, header: header, keys: keys, random: .seeded(seed))
  }

  @Test func theHeaderStandsAsTheFormatSays() {
    let bytes = Self.header().bytes
    #expect(bytes.count == 76)
    #expect(Array(bytes[..<8]) == [0x72, 0x75, 0x6e, 0x69, 0x63, 0x00, 0x0d, 0x0a])
    #expect(Array(bytes[8..<12]) == [0, 1, 1, 0])
    #expect(Array(bytes[12..<28]) == Self.keys.newest.id.bytes)
    #expect(Array(bytes[28..<44]) == Self.keys.repository.bytes)
    #expect(Array(bytes[44..<60]) == Self.device.bytes)
    #expect(Array(bytes[60...]) == [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 9])
  }

  @Test func aHeaderIsReadAsItIsWrittenOrRefused() throws {
    let bytes = Self.header().bytes
    #expect(try SealedHeader(decoding: bytes) == Self.header())
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        do {
          let read = try SealedHeader(decoding: changed)
          #expect(read.bytes == changed && read != Self.header(), "byte \(index), bit \(bit)")
        } catch { #expect(index < 12 || index >= 60, "byte \(index), bit \(bit): \(error)") }
      }
    }
    for count in 0..<76 {
      #expect(throws: FormatError.length) { try SealedHeader(decoding: Array(bytes[..<count])) }
    }
  }

  static let headers: [(change: (Int, UInt8), error: FormatError)] = [
    ((0, 0x52), .magic), ((7, 0), .magic), ((9, 2), .newerFormat(2)), ((8, 1), .newerFormat(257)),
    ((9, 0), .content("header")), ((10, 0), .content("header")), ((10, 3), .content("header")),
    ((11, 1), .content("header")), ((67, 0), .content("sequence")), ((60, 0x80), .content("sequence")),
    ((75, 2), .content("sequence")), ((68, 0x80), .content("sequence")),
  ]

  @Test(arguments: headers.indices)
  func aHeaderThatBreaksARuleIsRefused(row: Int) {
    let (change, error) = Self.headers[row]
    var bytes = Self.header().bytes
    bytes[change.0] = change.1
    #expect(throws: error, "row \(row)") { try SealedHeader(decoding: bytes) }
  }

  @Test func whatWasSealedOpens() throws {
    for body in [[], Self.body, [UInt8](repeating: 0, count: 100_000)] {
      var file = try Self.seal(body: body)
      #expect(file.count == body.count + 116)
      let range = try SealedFile.open(&file, expecting: Self.header(), keys: Self.keys)
      #expect(Array(file[range]) == body)
    }
  }

  @Test func theBodyIsNotThereInTheClear() throws {
    let file = try Self.seal()
    #expect(!file.indices.contains { file[$0...].starts(with: Self.body[..<8]) })
  }

  @Test func noBitCanBeChanged() throws {
    let file = try Self.seal()
    for index in file.indices {
      for bit in 0..<8 {
        var changed = file
        changed[index] ^= 1 << bit
        let error = #expect(throws: FormatError.self, "byte \(index), bit \(bit)") {
          _ = try SealedFile.open(&changed, expecting: Self.header(), keys: Self.keys)
        }
        if index >= 76 { #expect(error == .authentication, "byte \(index)") }
      }
    }
  }

  @Test func noLengthButItsOwnOpens() throws {
    let file = try Self.seal()
    for count in 0...file.count + 2 where count != file.count {
      var changed = Array(file[..<min(count, file.count)])
      changed += [UInt8](repeating: 0, count: max(0, count - file.count))
      let expected: FormatError = count < 116 ? .length : .authentication
      #expect(throws: expected, "length \(count)") {
        _ = try SealedFile.open(&changed, expecting: Self.header(), keys: Self.keys)
      }
    }
  }

  @Test func nothingPassesForWhatItWasNotSealedFor() throws {
    let others = [
      Self.header(purpose: .head), Self.header(repository: RepositoryID(from: .seeded(99))),
      Self.header(device: DeviceID(from: .seeded(99))),
      Self.header(first: 2), Self.header(last: 10),
    ]
    for (number, other) in others.enumerated() {
      var file = try Self.seal()
      #expect(throws: FormatError.foreign, "header \(number)") {
        _ = try SealedFile.open(&file, expecting: other, keys: Self.keys)
      }
      // And with the header put in its place: the associated data, or the key, gives it away.
      var moved = other.bytes + file[76...]
      #expect(throws: FormatError.authentication, "header \(number), moved") {
        _ = try SealedFile.open(&moved, expecting: other, keys: Self.keys)
      }
    }
  }

  @Test func anotherKeyOpensNothing() throws {
    var file = try Self.seal()
    #expect(throws: FormatError.keyNotHeld(Self.keys.newest.id)) {
      _ = try SealedFile.open(&file, expecting: Self.header(), keys: LogBench.otherKeys)
    }
  }

  /// Any key that is held opens what it sealed; a header that names another of them does not.
  @Test func theHeaderSaysWhichKeyOpens() throws {
    let second = try RepositoryKey(
      root: RandomSource.seeded(8).secret(32), number: 2, repository: Self.keys.repository)
    let both = Self.keys.adding([second])
    var file = try Self.seal()
    #expect(try SealedFile.open(&file, expecting: Self.header(), keys: both).lowerBound == 100)
    var moved = Self.header(key: second.id).bytes + (try Self.seal())[76...]
    #expect(throws: FormatError.authentication) {
      _ = try SealedFile.open(&moved, expecting: Self.header(), keys: both)
    }
    #expect(throws: FormatError.keyNotHeld(second.id)) {
      _ = try SealedFile.open(&moved, expecting: Self.header(), keys: Self.keys)
    }
  }

  @Test func aRandomSourceThatRepeatsItselfRepeatsNoNonce() throws {
    func nonce(_ file: [UInt8]) -> [UInt8] { Array(file[76..<100]) }
    let first = nonce(try Self.seal())
    #expect(nonce(try Self.seal()) == first, "same random bytes, same file")
    #expect(nonce(try Self.seal(body: Self.body + [0])) != first, "another body")
    #expect(nonce(try Self.seal(Self.header(last: 10))) != first, "another place")
    #expect(nonce(try Self.seal(seed: 2)) != first, "other random bytes")
  }
}
