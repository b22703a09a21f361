import ObjectStore

/// Writes a run: sorted entries in, blocks, index, filter and footer out, in one pass and bounded memory.
struct RunWriter: ~Copyable {
  private static let dataBlock = 4 << 10
  /// Wider than data blocks: three levels of index then reach far beyond any run.
  private static let indexBlock = 8 << 10
  private static let flushAt = 256 << 10

  /// A block being filled, at one level.
  private struct Level {
    var payload: [UInt8]
    /// A key not above the block's first and above all before it.
    var first: [UInt8] = []
    var closed = 0
    var last = BlockReference(offset: 0, length: 0)

    init(_ level: Int) { payload = [UInt8(truncatingIfNeeded: level)] }
    var isEmpty: Bool { payload.count <= 1 }
  }

  private let file: OpenFile
  private let number: UInt64
  private var filter: BloomFilter
  private var levels = [Level(0)]
  private var pending: [UInt8] = []
  /// The offset in the file at which `pending` begins.
  private var written: Int64 = 0
  private var lastKey: [UInt8] = []
  private(set) var entries: UInt64 = 0

  /// Makes the file, which must not exist. `capacity` is the greatest number of entries to come.
  init(_ path: String, number: UInt64, capacity: Int, in fileSystem: any FileSystem) throws {
    file = try OpenFile(path, .create(permissions: 0o600), in: fileSystem)
    self.number = number
    filter = BloomFilter(capacity: capacity)
    pending.reserveCapacity(Self.flushAt &+ Self.indexBlock)
  }

  /// Adds an entry; its key must be greater than the last one's.
  mutating func append(_ entry: EntryView) throws {
    if !levels[0].isEmpty, levels[0].payload.count &+ entry.encodedLength > Self.dataBlock {
      try close(0)
    }
    if levels[0].isEmpty { levels[0].first = separator(before: entry.key) }
    entry.encode(into: &levels[0].payload)
    filter.insert(hash: BloomFilter.hash(entry.key))
    lastKey.removeAll(keepingCapacity: true)
    lastKey.append(contentsOf: entry.key)
    entries &+= 1
  }

  /// The shortest start of a key that is above the last key: index entries stay small. Empty before the first.
  private func separator(before key: UnsafeRawBufferPointer) -> [UInt8] {
    if entries == 0 { return [] }
    var shared = 0
    while shared < lastKey.count, shared < key.count, lastKey[shared] == key[shared] { shared &+= 1 }
    return [UInt8](key.prefix(shared &+ 1))
  }

  /// Writes the block of a level and notes it in the level above.
  private mutating func close(_ level: Int) throws {
    let block = try emit(levels[level].payload)
    let first = levels[level].first
    levels[level].payload.removeSubrange(1...)
    levels[level].closed &+= 1
    levels[level].last = block

    let above = level &+ 1
    if above == levels.count { levels.append(Level(above)) }
    let needed = EntryView.headerLength &+ first.count &+ BlockReference.encodedLength
    if !levels[above].isEmpty, levels[above].payload.count &+ needed > Self.indexBlock { try close(above) }
    if levels[above].isEmpty { levels[above].first = first }
    StoredValue(kind: .full, bytes: block.encoded).withView(first) { $0.encode(into: &levels[above].payload) }
  }

  private mutating func emit(_ payload: [UInt8]) throws -> BlockReference {
    let offset = written &+ Int64(pending.count)
    pending.append(littleEndian: UInt32(truncatingIfNeeded: payload.count))
    pending.append(
      littleEndian: payload.withUnsafeBytes { BlockFrame.check($0, run: number, offset: offset) })
    pending.append(contentsOf: payload)
    if pending.count >= Self.flushAt { try drain() }
    return BlockReference(offset: offset, length: BlockFrame.headerLength &+ payload.count)
  }

  private mutating func drain() throws {
    try file.write(pending, at: written)
    written &+= Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes what is left and syncs the file; nil where there was no entry: then the file is worth nothing.
  consuming func finish() throws -> FinishedRun? {
    if entries == 0 { return nil }
    var top = 0
    while true {
      if !levels[top].isEmpty { try close(top) }
      if levels[top].closed == 1 { break }
      top &+= 1
    }
    let encodedFilter = filter.encoded
    let footer = RunFooter(
      root: levels[top].last, entries: entries, blocksEnd: written &+ Int64(pending.count),
      filterLength: Int64(encodedFilter.count), number: number,
      filterCheck: encodedFilter.withUnsafeBytes { CRC32.checksum($0) })
    let encodedFooter = footer.encoded
    pending.append(contentsOf: encodedFilter)
    pending.append(contentsOf: encodedFooter)
    try drain()
    try file.sync()
    let reference = RunReference(number: number, length: written, check: RunFooter.check(encodedFooter))
    return FinishedRun(reference: reference, filter: filter)
  }
}

/// What is known of a run that was just written.
struct FinishedRun {
  let reference: RunReference
  let filter: BloomFilter
}
