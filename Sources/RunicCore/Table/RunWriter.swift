import ObjectStore

/// Writes a run: sorted entries in, blocks, index, filter and footer out, in one pass and bounded memory.
struct RunWriter: ~Copyable {
  static let dataBlock = 4 << 10
  /// Wider than data blocks: three levels of index then reach far beyond any run.
  private static let indexBlock = 8 << 10

  /// A block of the index being filled, at one level.
  private struct Level {
    let number: UInt8
    var entries: [UInt8] = []
    /// A key not above the block's first and above all before it.
    var first: [UInt8] = []
    var closed = 0
    var last = BlockReference(offset: 0, length: 0)

    init(_ level: Int) { number = UInt8(truncatingIfNeeded: level) }
    var isEmpty: Bool { entries.isEmpty }
    /// With the byte that says the level.
    var length: Int { entries.count &+ 1 }
  }

  private let output: RunOutput
  private var filter: BloomFilter
  /// The levels of the index, lowest first; the data blocks are below them all.
  private var levels: [Level] = []
  private var firstKey: [UInt8] = []
  private var lastKey: [UInt8] = []
  private var lastBlock = BlockReference(offset: 0, length: 0)
  private var blocks = 0
  private(set) var entries: UInt64 = 0

  /// Makes the file, which must not exist. `capacity` is the greatest number of entries to come.
  init(_ path: String, number: UInt64, capacity: Int, in fileSystem: any FileSystem) throws {
    output = try RunOutput(path, number: number, in: fileSystem)
    filter = BloomFilter(capacity: capacity)
  }

  /// Adds an entry; its key must be greater than the last one's.
  mutating func append(_ entry: EntryView) throws {
    if output.isOpen, output.blockLength &+ entry.encodedLength > Self.dataBlock { try closeBlock() }
    if !output.isOpen {
      firstKey = separator(before: entry.key)
      output.beginBlock(level: 0)
    }
    output.append(entry)
    filter.insert(hash: BloomFilter.hash(entry.key))
    entries &+= 1
  }

  /// The shortest start of a key that is above the last key: index entries stay small. Empty before the first.
  private func separator(before key: UnsafeRawBufferPointer) -> [UInt8] {
    if entries == 0 { return [] }
    var shared = 0
    while shared < lastKey.count, shared < key.count, lastKey[shared] == key[shared] { shared &+= 1 }
    return [UInt8](key.prefix(shared &+ 1))
  }

  /// Closes the open data block, notes it in the index, and has what has gathered written where it is enough.
  private mutating func closeBlock() throws {
    lastKey = output.lastKey
    lastBlock = output.endBlock()
    blocks &+= 1
    note(firstKey, lastBlock, in: 0)
    try output.drainIfFull()
  }

  /// Enters a block in a level of the index, and the level's own block in the one above where it is full.
  private mutating func note(_ first: [UInt8], _ block: BlockReference, in level: Int) {
    if level == levels.count { levels.append(Level(level &+ 1)) }
    let needed = EntryView.headerLength &+ first.count &+ BlockReference.encodedLength
    if !levels[level].isEmpty, levels[level].length &+ needed > Self.indexBlock { close(level) }
    if levels[level].isEmpty { levels[level].first = first }
    StoredValue(kind: .full, bytes: block.encoded).withView(first) { $0.encode(into: &levels[level].entries) }
  }

  /// Adds the block of a level of the index and notes it in the level above.
  private mutating func close(_ level: Int) {
    output.beginBlock(level: levels[level].number)
    output.append(levels[level].entries)
    levels[level].last = output.endBlock()
    levels[level].closed &+= 1
    levels[level].entries.removeAll(keepingCapacity: true)
    note(levels[level].first, levels[level].last, in: level &+ 1)
  }

  /// Writes what is left; nil where there was no entry: then the file is worth nothing.
  consuming func finish() throws -> FinishedRun? {
    if entries == 0 { return nil }
    try closeBlock()
    let root = closeIndex()
    let encodedFilter = filter.encoded
    let footer = RunFooter(
      root: root, entries: entries, blocksEnd: output.end, filterLength: Int64(encodedFilter.count),
      number: output.number, filterCheck: encodedFilter.withUnsafeBytes { CRC32.checksum($0) })
    let encodedFooter = footer.encoded
    output.append(encodedFilter)
    output.append(encodedFooter)
    try output.finish()
    let reference = RunReference(
      number: output.number, length: output.end, check: RunFooter.check(encodedFooter))
    return FinishedRun(reference: reference, filter: filter)
  }

  /// Closes all levels of the index and answers the block that leads to all others.
  private mutating func closeIndex() -> BlockReference {
    if blocks == 1 { return lastBlock }
    var top = 0
    while true {
      if !levels[top].isEmpty { close(top) }
      if levels[top].closed == 1 { return levels[top].last }
      top &+= 1
    }
  }
}

/// What is known of a run that was just written.
struct FinishedRun {
  let reference: RunReference
  let filter: BloomFilter
}
