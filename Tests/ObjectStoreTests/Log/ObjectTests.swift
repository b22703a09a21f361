import ObjectStore
import TestSupport
import Testing

/// An object as someone who holds the repository key might make it.
private struct Forgery {
  static let keys = LogBench.keys
  static let device = LogBench.identity(1).device
  static let first: Int64 = 5
  static let previous = SHA256.hash([5])

  /// A good chain of lines from `first` on.
  static func chain(_ count: Int, changes: [UInt8] = Array("{}".utf8)) -> [[UInt8]] {
    var previous = previous
    return (0..<count).map { index in
      let line = CommitLine.encode(
        sequence: first + Int64(index), previous: previous, stamp: 1, time: 2, changes: changes)
      previous = SHA256.hash(line)
      return line
    }
  }

  static func body(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [10] } }

  var file: [UInt8]
  var entry: ObjectEntry

  init(
    body: [UInt8], compressed: [UInt8]? = nil, last: Int64 = 7, hash: Digest = SHA256.hash(chain(3)[2]),
    inflated: Int? = nil
  ) throws {
    let header = SealedHeader(
      purpose: .object, key: Self.keys.newest.id, repository: Self.keys.repository, device: Self.device,
      first: Self.first,
      last: last)
    file = try SealedFile.seal(
      compressed ?? Deflater.deflate(body), header: header, keys: Self.keys, random: .seeded(1))
    entry = ObjectEntry(
      first: Self.first, last: last, hash: hash, inflated: Int64(inflated ?? body.count),
      length: Int64(file.count),
      digest: SHA256.hash(file))
  }

  /// The lines that a reader hands out.
  @discardableResult
  func read(device: DeviceID = device, keys: RepositoryKeys = keys) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    try ObjectReader(file: file, entry: entry, device: device, keys: keys).forEachCommit {
      commit, envelope, line in
      #expect(commit.sequence == envelope.sequence && commit.hash == SHA256.hash(line))
      lines.append(Array(line))
    }
    return lines
  }
}

@Suite struct ObjectTests {
  @Test func whatAWriterWroteAReaderReads() throws {
    let lines = Forgery.chain(300)
    var writer = ObjectWriter()
    for (index, line) in lines.enumerated() {
      let commit = CommitName(sequence: Forgery.first + Int64(index), hash: SHA256.hash(line))
      line.withUnsafeBytes { writer.append($0, as: commit) }
    }
    let inflated = writer.inflated
    let made = try writer.finish(device: Forgery.device, keys: Forgery.keys, random: .seeded(2))
    let (entry, file) = try #require(made)
    #expect((entry.first, entry.last) == (Forgery.first, Forgery.first + 299))
    #expect(entry.hash == SHA256.hash(lines[299]))
    #expect(entry.inflated == inflated && inflated == Int64(Forgery.body(lines).count))
    #expect(entry.length == Int64(file.count) && entry.digest == SHA256.hash(file))
    var forgery = try Forgery(body: [])
    (forgery.entry, forgery.file) = (entry, file)
    #expect(try forgery.read() == lines)
    #expect(file.count < 32_000, "compressed")
  }

  @Test func anEmptyWriterMakesNoObject() throws {
    let made = try ObjectWriter().finish(device: Forgery.device, keys: Forgery.keys, random: .seeded(2))
    #expect(made == nil)
  }

  @Test func roomEndsAtTheLimit() {
    let writer = ObjectWriter()
    let (fits, overflows) = (
      writer.hasRoom(for: Limits.objectBody - 1), writer.hasRoom(for: Limits.objectBody)
    )
    #expect(fits && !overflows)
  }

  @Test func linesOfAnyLengthAreCutRight() throws {
    // Around the pieces that a body is inflated in.
    for count in [1, 100, 262_000, 262_143, 262_144, 262_145, 524_288, 1 << 20] {
      let lines = Forgery.chain(3, changes: [UInt8](repeating: 32, count: count))
      let object = try Forgery(body: Forgery.body(lines), hash: SHA256.hash(lines[2]))
      #expect(try object.read() == lines, "\(count)")
    }
  }

  static let broken: [String] = [
    "gap", "repeat", "swap", "other first", "other previous", "one less", "one more", "other last hash",
    "no line feed", "empty line", "leading line feed", "carriage return", "not a commit", "more than it says",
    "less than it says",
  ]

  @Test(arguments: broken)
  func aBodyThatIsNotTheChainOfItsEntryIsRefused(how: String) throws {
    let chain = Forgery.chain(4)
    let good = Array(chain[..<3])
    var lines = good
    var body: [UInt8]?
    var hash = SHA256.hash(good[2])
    var inflated: Int?
    switch how {
    case "gap": lines = [chain[0], chain[2], chain[3]]
    case "repeat": lines = [chain[0], chain[0], chain[1]]
    case "swap": lines = [chain[1], chain[0], chain[2]]
    case "other first": lines = Array(chain[1...])
    case "other previous":
      lines[2] = CommitLine.encode(sequence: 7, previous: SHA256.hash([]), stamp: 1, time: 2, changes: [])
      hash = SHA256.hash(lines[2])
    case "one less": lines.removeLast()
    case "one more": lines = chain
    case "other last hash": hash = SHA256.hash([])
    case "no line feed": body = Forgery.body(lines).dropLast()
    case "empty line": body = Forgery.body(lines) + [10]
    case "leading line feed": body = [10] + Forgery.body(lines)
    case "carriage return": body = lines.flatMap { $0 + [13, 10] }
    case "not a commit": lines[1] = Array("{}".utf8)
    case "more than it says": inflated = Forgery.body(lines).count - 1
    default: inflated = Forgery.body(lines).count + 1
    }
    let object = try Forgery(body: body ?? Forgery.body(lines), hash: hash, inflated: inflated)
    #expect(throws: FormatError.self) { try object.read() }
    #expect(try Forgery(body: Forgery.body(good)).read() == good, "the control")
  }

  @Test func aLastLineWithoutALineFeedIsRefusedThoughItHashesRight() throws {
    let chain = Forgery.chain(3)
    let object = try Forgery(body: Forgery.body(chain).dropLast())
    #expect(throws: FormatError.content("last line")) { try object.read() }
  }

  @Test func aBodyThatInflatesWithoutEndIsRefused() throws {
    let zeros = [UInt8](repeating: 0, count: Limits.objectBody)
    let bomb = try Forgery(body: zeros, inflated: 1000)
    #expect(bomb.file.count < 20_000)
    #expect(throws: FormatError.compression) { try bomb.read() }
    // As long as it says, but all one line.
    let line = try Forgery(body: zeros)
    #expect(throws: FormatError.content("line length")) { try line.read() }
    // As many empty lines as there is room for.
    let feeds = try Forgery(body: [UInt8](repeating: 10, count: Limits.objectBody))
    #expect(throws: FormatError.length) { try feeds.read() }
  }

  @Test func aStreamThatIsNotOneWholeStreamIsRefused() throws {
    let body = Forgery.body(Forgery.chain(3))
    let stream = Deflater.deflate(body)
    for compressed in [
      stream + [0], Array(stream.dropLast()), [], stream + stream, Array(stream.dropFirst(2)),
    ] {
      let object = try Forgery(body: body, compressed: compressed)
      #expect(throws: FormatError.self) { try object.read() }
    }
  }

  @Test func anObjectIsTakenOnlyAsItsEntryLists() throws {
    let object = try Forgery(body: Forgery.body(Forgery.chain(3)))
    #expect(try object.read().count == 3)
    for (change, error) in [
      ({ $0.file.append(0) }, .length), ({ $0.file.removeLast() }, .length), ({ $0.file = [] }, .length),
      ({ $0.file[$0.file.count - 1] ^= 1 }, .authentication), ({ $0.file[0] ^= 1 }, .authentication),
      ({ $0.entry = $0.entry.with(first: 4) }, .foreign), ({ $0.entry = $0.entry.with(last: 8) }, .foreign),
      ({ $0.entry = $0.entry.with(digest: SHA256.hash([])) }, .authentication),
      ({ $0.entry = $0.entry.with(length: 1) }, .length),
    ] as [((inout Forgery) -> Void, FormatError)] {
      var changed = object
      change(&changed)
      #expect(throws: error) { try changed.read() }
    }
    #expect(throws: FormatError.foreign) { try object.read(device: LogBench.identity(2).device) }
    #expect(throws: FormatError.keyNotHeld(LogBench.keys.newest.id)) {
      try object.read(keys: LogBench.otherKeys)
    }
  }
}

extension ObjectEntry {
  fileprivate func with(
    first: Int64? = nil, last: Int64? = nil, length: Int64? = nil, digest: Digest? = nil
  ) -> ObjectEntry {
    ObjectEntry(
      first: first ?? self.first, last: last ?? self.last, hash: hash, inflated: inflated,
      length: length ?? self.length, digest: digest ?? self.digest)
  }
}
