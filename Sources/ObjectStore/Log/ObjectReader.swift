/// Reads the commits of an object, one line at a time, and follows their chain.
public struct ObjectReader {
  private let entry: ObjectEntry
  private let file: [UInt8]
  /// The compressed body, in the opened file.
  private let body: Range<Int>

  /// Checks a file against its entry in a signed head and opens it.
  ///
  /// Memory: the file and its compressed body; lines are inflated one after the other.
  public init(
    file sealed: [UInt8], entry: ObjectEntry, device: DeviceID, keys: RepositoryKeys
  ) throws(FormatError) {
    var file = sealed
    guard file.count == Int(entry.length) else { throw .length }
    guard SHA256.hash(file) == entry.digest else { throw .authentication }
    let header = SealedHeader(
      purpose: .object, key: keys.newest.id, repository: keys.repository, device: device, first: entry.first,
      last: entry.last)
    self.entry = entry
    body = try SealedFile.open(&file, expecting: header, keys: keys)
    self.file = file
  }

  /// Hands every commit to `visit`: its place and hash, its envelope, its line without the line feed.
  ///
  /// The chain is checked between the commits of the object and up to the hash in its entry; that the first one
  /// follows what came before the object is for the caller to see (`CommitLine.previous`).
  public func forEachCommit(
    _ visit: (CommitName, CommitLine, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var splitter = LineSplitter(file: file, body: body, limit: Int(entry.inflated))
    var previous: Digest?
    var hasher = SHA256.RepeatedHasher()
    var expected = entry.first
    while try splitter.nextLine({ line in
      let envelope = try CommitLine(decoding: line)
      guard envelope.sequence == expected, expected <= entry.last,
        previous == nil || previous == envelope.previous
      else { throw FormatError.content("chain") }
      let commit = CommitName(sequence: expected, hash: hasher.hash(line))
      guard expected < entry.last || commit.hash == entry.hash else { throw FormatError.content("chain") }
      try visit(commit, envelope, line)
      previous = commit.hash
      expected += 1
    }) {}
    guard expected == entry.last + 1, splitter.total == Int(entry.inflated) else {
      throw FormatError.length
    }
  }
}

/// Inflates a body piece by piece and cuts it at line feeds.
private struct LineSplitter: ~Copyable {
  private var inflater: ParallelInflater
  private var buffer: [UInt8] = []
  private var begin = 0
  private var searched = 0
  private var atEnd = false
  private(set) var total = 0

  init(file: [UInt8], body: Range<Int>, limit: Int) {
    inflater = ParallelInflater(file, body, limit: limit)
  }

  /// Hands the next line to `use`; false at the end. A last line without a line feed is an error, so is one
  /// longer than a commit may be.
  mutating func nextLine(_ use: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    while true {
      if let end = lineEnd() {
        let range = begin..<end
        try buffer.withUnsafeBytes { try use(UnsafeRawBufferPointer(rebasing: $0[range])) }
        begin = end + 1
        searched = begin
        return true
      }
      searched = buffer.count
      guard !atEnd else {
        guard begin == buffer.count else { throw FormatError.content("last line") }
        return false
      }
      guard buffer.count - begin <= Limits.commit else { throw FormatError.content("line length") }
      try refill()
    }
  }

  private func lineEnd() -> Int? {
    buffer.withUnsafeBytes { bytes in bytes.firstOffset(of: UInt8(ascii: "\n"), from: searched) }
  }

  private mutating func refill() throws {
    if begin > 0 {
      buffer.removeSubrange(..<begin)
      searched -= begin
      begin = 0
    }
    let before = buffer.count
    do throws(InflateError) {
      atEnd = try !inflater.next(appendingTo: &buffer)
    } catch { throw FormatError.compression }
    total += buffer.count - before
  }
}

extension ObjectReader {
  /// The last commit of an object that no head lists any more: its seal says whose it is, its lines the rest.
  public static func lastCommit(
    of file: [UInt8], device: DeviceID, keys: RepositoryKeys
  ) throws -> CommitName {
    var sealed = file
    let header = try SealedHeader(decoding: file)
    let expected = SealedHeader(
      purpose: .object, key: keys.newest.id, repository: keys.repository, device: device, first: header.first,
      last: header.last)
    let body = try SealedFile.open(&sealed, expecting: expected, keys: keys)
    var splitter = LineSplitter(file: sealed, body: body, limit: Limits.objectBody)
    var last: CommitName?
    while try splitter.nextLine({ line in
      last = CommitName(sequence: try CommitLine(decoding: line).sequence, hash: SHA256.hash(line))
    }) {}
    guard let last, last.sequence == header.last else { throw FormatError.content("chain") }
    return last
  }
}
