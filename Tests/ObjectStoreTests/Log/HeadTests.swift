import ObjectStore
import TestSupport
import Testing

@Suite struct HeadTests {
  static let keys = LogBench.keys
  static let identity = LogBench.identity(1)
  static let device = identity.device

  static func entry(_ first: Int64, _ last: Int64) -> ObjectEntry {
    ObjectEntry(
      first: first, last: last, hash: SHA256.hash([UInt8(last)]), inflated: 100 * last, length: 90,
      digest: SHA256.hash([UInt8(last), 1]))
  }

  static func head(
    _ objects: [ObjectEntry] = [entry(1, 4), entry(5, 5), entry(6, 7)], commit: CommitName? = nil,
    publicKey: PublicKey = identity.key.publicKey, repository: RepositoryID = keys.repository,
    name: String = "a",
    time: Int64 = 5
  ) -> Head {
    Head(
      repository: repository, publicKey: publicKey, name: name, platform: "Linux",
      commit: commit ?? objects.last?.lastCommit ?? CommitName(sequence: 1, hash: SHA256.hash([])),
      time: time,
      objects: objects)
  }

  static func encode(
    _ head: Head = head(), signedBy key: SigningKey = identity.key, keys: RepositoryKeys = keys
  ) throws -> (name: HeadName, file: [UInt8]) {
    try head.encode(signedBy: key, keys: keys, random: .seeded(3))
  }

  /// Seals any body for any place, as someone who holds the repository key could.
  static func forge(
    _ body: [UInt8], for device: DeviceID = device, sequence: Int64 = 7, purpose: Purpose = .head,
    isDeflated: Bool = false
  ) throws -> (name: HeadName, file: [UInt8]) {
    let header = SealedHeader(
      purpose: purpose, key: keys.newest.id, repository: keys.repository, device: device, first: sequence,
      last: sequence)
    let file = try SealedFile.seal(
      isDeflated ? body : Deflater.deflate(body), header: header, keys: keys, random: .seeded(4))
    return (HeadName(device: device, sequence: sequence, digest: SHA256.hash(file)), file)
  }

  /// The body of a head: its JSON and the signature, each with a line feed.
  static func body(_ json: [UInt8], signedBy key: SigningKey = identity.key, label: String = "runic/1 head\n")
    -> [UInt8]
  {
    json + [10] + Array(Hexadecimal.encode(key.sign(Array(label.utf8) + json)).utf8) + [10]
  }

  /// The JSON that a head's signature covers.
  static func json(_ head: Head = head()) throws -> [UInt8] {
    var file = try encode(head).file
    let range = try SealedFile.open(&file, expecting: SealedHeader(decoding: file), keys: keys)
    return try Inflater.inflate(file, range, limit: Limits.headBody).prefix { $0 != 10 }.map { $0 }
  }

  private static func decode(_ item: (name: HeadName, file: [UInt8])) throws(FormatError) -> Head {
    try Head(decoding: item.file, name: item.name, keys: keys)
  }

  @Test func aHeadIsReadAsItWasWritten() throws {
    let names = ["a", "", "Zoë's \"laptop\"\n\u{0}", String(repeating: "x", count: 5000), "\u{1F600}"]
    for name in names {
      let head = Self.head(name: name)
      let item = try Self.encode(head)
      #expect(try Self.decode(item) == head)
      #expect(item.name == HeadName(device: Self.device, sequence: 7, digest: SHA256.hash(item.file)))
    }
    let many = Self.head((1...200).map { Self.entry($0, $0) })
    #expect(try Self.decode(Self.encode(many)) == many)
  }

  @Test func noByteCanBeChangedAndNothingCutOrAdded() throws {
    let (name, file) = try Self.encode()
    for index in file.indices {
      var changed = file
      changed[index] ^= 1 << (index % 8)
      #expect(throws: FormatError.self, "byte \(index)") { try Self.decode((name, changed)) }
    }
    for count in 0..<file.count {
      #expect(throws: FormatError.self, "length \(count)") { try Self.decode((name, Array(file[..<count]))) }
    }
    #expect(throws: FormatError.authentication) { try Self.decode((name, file + [0])) }
  }

  @Test func aHeadStandsForNoOtherPlace() throws {
    let (name, file) = try Self.encode()
    let other = LogBench.identity(2)
    let names = [
      HeadName(device: other.device, sequence: 7, digest: name.digest),
      HeadName(device: name.device, sequence: 8, digest: name.digest),
      HeadName(device: name.device, sequence: 6, digest: name.digest),
    ]
    for wrong in names { #expect(throws: FormatError.foreign) { try Self.decode((wrong, file)) } }
    #expect(throws: FormatError.keyNotHeld(Self.keys.newest.id)) {
      try Head(decoding: file, name: name, keys: LogBench.otherKeys)
    }
    let elsewhere = try RepositoryKeys(
      root: Self.keys.newest.root, repository: RepositoryID(from: .seeded(77)))
    #expect(throws: FormatError.foreign) { try Head(decoding: file, name: name, keys: elsewhere) }
  }

  @Test func anotherDeviceThatHoldsTheKeyForgesNothing() throws {
    let other = LogBench.identity(2)
    // Our key named, their signature.
    #expect(throws: FormatError.authentication) { try Self.decode(Self.encode(signedBy: other.key)) }
    // Their own good head in a file sealed for us.
    let theirs = Self.body(try Self.json(Self.head(publicKey: other.key.publicKey)), signedBy: other.key)
    #expect(throws: FormatError.foreign) { try Self.decode(Self.forge(theirs)) }
    // Our good head in a file sealed for them.
    let ours = Self.body(try Self.json())
    #expect(throws: FormatError.foreign) { try Self.decode(Self.forge(ours, for: other.device)) }
    // Our good head in a file sealed for another sequence.
    #expect(throws: FormatError.foreign) { try Self.decode(Self.forge(ours, sequence: 8)) }
    #expect(throws: FormatError.foreign) { try Self.decode(Self.forge(ours, purpose: .object)) }
    // Our good head of another repository.
    let elsewhere = Self.body(try Self.json(Self.head(repository: RepositoryID(from: .seeded(77)))))
    #expect(throws: FormatError.foreign) { try Self.decode(Self.forge(elsewhere)) }
    // And the control: with all in place it is read.
    #expect(try Self.decode(Self.forge(ours)) == Self.head())
  }

  @Test func whatOneReadsOfOnesOwnCountsForNothingElsewhere() throws {
    let cache = HeadCache()
    let forged = try Self.encode(signedBy: LogBench.identity(2).key)
    let good = try Self.encode()
    for _ in 0..<2 {
      #expect(
        try cache.head(decoding: forged.file, name: forged.name, keys: Self.keys, isKept: true) == Self.head()
      )
      #expect(throws: FormatError.authentication) {
        try cache.head(decoding: forged.file, name: forged.name, keys: Self.keys)
      }
      #expect(try cache.head(decoding: good.file, name: good.name, keys: Self.keys) == Self.head())
    }
  }

  static let lists: [(objects: [ObjectEntry], commit: CommitName?)] = [
    ([], nil), ([entry(2, 7)], nil), ([entry(1, 4), entry(6, 7)], nil), ([entry(1, 4), entry(4, 7)], nil),
    ([entry(1, 4), entry(1, 7)], nil), ([entry(5, 7), entry(1, 4)], nil), ([entry(1, 7), entry(7, 7)], nil),
    ([entry(1, 6)], CommitName(sequence: 7, hash: entry(1, 6).hash)),
    ([entry(1, 7)], CommitName(sequence: 7, hash: SHA256.hash([99]))),
    ([entry(1, 8)], CommitName(sequence: 7, hash: entry(1, 7).hash)),
    (
      [
        ObjectEntry(first: 1, last: 7, hash: SHA256.hash([]), inflated: 0, length: 9, digest: SHA256.hash([]))
      ], nil
    ),
    (
      [
        ObjectEntry(first: 1, last: 7, hash: SHA256.hash([]), inflated: 9, length: 0, digest: SHA256.hash([]))
      ], nil
    ),
    (
      [
        ObjectEntry(
          first: 1, last: 7, hash: SHA256.hash([]), inflated: Int64(Limits.objectBody) + 1, length: 9,
          digest: SHA256.hash([]))
      ], nil
    ),
    (
      [
        ObjectEntry(
          first: 1, last: 7, hash: SHA256.hash([]), inflated: 9, length: Int64(Limits.objectFile) + 1,
          digest: SHA256.hash([]))
      ], nil
    ),
    (
      [
        ObjectEntry(first: 0, last: 7, hash: SHA256.hash([]), inflated: 9, length: 9, digest: SHA256.hash([]))
      ], nil
    ),
  ]

  @Test(arguments: lists.indices)
  func objectsThatDoNotHoldEveryCommitOnceAreRefused(row: Int) throws {
    let head = Self.head(Self.lists[row].objects, commit: Self.lists[row].commit)
    let item = try Self.encode(head)
    let error = #expect(throws: FormatError.self, "row \(row)") { try Self.decode(item) }
    guard case .content? = error else {
      Issue.record("row \(row): \(String(describing: error))")
      return
    }
  }

  @Test(arguments: [-1, Limits.time + 1, .min, .max])
  func aTimeOutsideTheCalendarIsRefused(time: Int64) throws {
    let item = try Self.encode(Self.head(time: time))
    #expect(throws: FormatError.content("head")) { try Self.decode(item) }
  }

  static let rewritings: [(old: String, new: String)] = [
    ("\"time\":5", "\"time\":5,\"zeal\":1"), ("\"time\":5", "\"time\": 5"), ("\"time\":5", "\"time\":5.0"),
    ("\"time\":5", "\"time\":\"5\""), ("\"time\":5", "\"tim\":5"), ("\"time\":5", "\"time\":5,\"time\":5"),
    ("\"purpose\":\"head\"", "\"purpose\":\"note\""), ("\"format\":1", "\"format\":2"),
    ("\"first\":1,", "\"first\":1,\"extra\":null,"), ("\"name\":\"a\"", "\"name\":\"\\u0061\""),
    ("\"name\":\"a\"", "\"name\":1"), ("\"objects\":[", "\"objects\":[1,"), ("{\"commit\"", "[{\"commit\""),
  ]

  @Test(arguments: rewritings.indices)
  func aSignedBodyThatIsNotInTheOneSpellingIsRefused(row: Int) throws {
    let (old, new) = Self.rewritings[row]
    let changed = try Self.json().replacing(old, with: new)
    let item = try Self.forge(Self.body(try #require(changed, "row \(row)")))
    #expect(throws: FormatError.self, "row \(row)") { try Self.decode(item) }
  }

  @Test func aBodyIsTwoLinesAndNoMore() throws {
    let json = try Self.json()
    let body = Self.body(json)
    let signature = Array(body[(json.count + 1)...])
    let bodies: [[UInt8]] = [
      body.dropLast(), body + [10], body + Array("x\n".utf8), [10] + body, json, json + [10], [], [10, 10],
      json + [10] + signature.dropLast(2) + [10], json + [13, 10] + signature,
      json + [10] + Array(String(decoding: signature, as: UTF8.self).uppercased().utf8),
    ]
    for (number, body) in bodies.enumerated() {
      let item = try Self.forge(body)
      #expect(throws: FormatError.self, "body \(number)") { try Self.decode(item) }
    }
    let mislabelled = try Self.forge(Self.body(json, label: "runic/1 log\n"))
    #expect(throws: FormatError.authentication) { try Self.decode(mislabelled) }
  }

  @Test func aBodyThatInflatesWithoutEndIsRefused() throws {
    let bomb = try Self.forge([UInt8](repeating: 10, count: Limits.headBody + 1))
    #expect(bomb.file.count < 10_000)
    #expect(throws: FormatError.compression) { try Self.decode(bomb) }
    let noise = try Self.forge([1, 2, 3], isDeflated: true)
    #expect(throws: FormatError.compression) { try Self.decode(noise) }
  }
}

extension [UInt8] {
  fileprivate func replacing(_ old: String, with new: String) -> [UInt8]? {
    let old = Array(old.utf8)
    guard count >= old.count,
      let start = (0...count - old.count).first(where: { self[$0...].starts(with: old) })
    else { return nil }
    return self[..<start] + Array(new.utf8) + self[(start + old.count)...]
  }
}
