/// Builds one object: commits in, a sealed file out. Holds the compressed body only.
public struct ObjectWriter: ~Copyable {
  private var deflater = ParallelDeflater()
  private var first: Int64?
  private var latest: CommitName?
  /// Bytes of the body so far, inflated.
  public private(set) var inflated: Int64 = 0

  public init() {}

  /// Whether a line still fits below the limit of an object.
  public func hasRoom(for line: Int) -> Bool {
    inflated + Int64(line) + 1 <= Int64(Limits.objectBody)
  }

  /// Adds a commit's line, without its line feed.
  public mutating func append(_ line: UnsafeRawBufferPointer, as commit: CommitName) {
    deflater.write(line)
    note(commit, length: line.count)
  }

  /// The same for a line that nobody else needs, and so is not copied.
  public mutating func append(_ line: [UInt8], as commit: CommitName) {
    deflater.write(line)
    note(commit, length: line.count)
  }

  private mutating func note(_ commit: CommitName, length: Int) {
    withUnsafeBytes(of: UInt8(ascii: "\n")) { deflater.write($0) }
    first = first ?? commit.sequence
    latest = commit
    inflated += Int64(length) + 1
  }

  /// Seals what was added; nil where nothing was.
  public consuming func finish(
    device: DeviceID, keys: RepositoryKeys, random: RandomSource
  ) throws(SealError) -> (entry: ObjectEntry, file: [UInt8])? {
    guard let first, let latest else { return nil }
    let header = SealedHeader(
      purpose: .object, key: keys.newest.id, repository: keys.repository, device: device, first: first,
      last: latest.sequence)
    let size = inflated
    let body = deflater.finish()
    let file = try SealedFile.seal(body, header: header, keys: keys, random: random)
    let entry = ObjectEntry(
      first: first, last: latest.sequence, hash: latest.hash, inflated: size, length: Int64(file.count),
      digest: SHA256.hash(file))
    return (entry, file)
  }
}
