import ObjectStore

/// A sorted, immutable file of entries. Its descriptor stays open, so it outlives its name.
final class Run {
  let reference: RunReference
  let footer: RunFooter
  let file: OpenFile
  /// In memory once it is worth it: a few lookups cost less than loading it.
  private(set) var filter: BloomFilter?
  /// How many lookups did without the filter.
  private var asked: Int64 = 0

  /// Three calls, whatever the run's size: open, fstat, and a read of the footer.
  ///
  /// - Throws: `TableError.damaged` where it is not the run that the manifest names, or a `SystemError`.
  init(_ reference: RunReference, folder: String, in fileSystem: any FileSystem) throws {
    self.reference = reference
    file = try OpenFile(folder + "/" + reference.name, .read, in: fileSystem)
    guard try file.length() == reference.length, reference.length >= Int64(RunFooter.length) else {
      throw TableError.damaged(file: reference.name)
    }
    let bytes = try file.read(RunFooter.length, at: reference.length &- Int64(RunFooter.length))
    guard let footer = RunFooter(bytes, runLength: reference.length), footer.number == reference.number,
      RunFooter.check(bytes) == reference.check
    else { throw TableError.damaged(file: reference.name) }
    self.footer = footer
  }

  var damaged: TableError { .damaged(file: reference.name) }

  func use(_ filter: BloomFilter?) { (self.filter, asked) = (filter, 0) }

  /// A lookup without the filter reads a block, so the filter is loaded once they have read as much as it is long.
  private func loadFilterIfWorthwhile() throws {
    guard filter == nil else { return }
    asked &+= 1
    if asked > footer.filterLength / Int64(RunWriter.dataBlock) { try loadFilter() }
  }

  func loadFilter() throws {
    guard filter == nil else { return }
    let bytes = try file.read(Int(footer.filterLength), at: footer.blocksEnd)
    let loaded = bytes.withUnsafeBytes { CRC32.checksum($0) == footer.filterCheck ? BloomFilter($0) : nil }
    guard let loaded else { throw damaged }
    filter = loaded
  }

  /// What this run holds for a key. One read a level, at most four in a run of a gigabyte, fewer with the cache.
  ///
  /// - Parameter hash: the key's, by `BloomFilter.hash`.
  func value(_ key: [UInt8], hash: UInt64, cache: inout BlockCache) throws -> StoredValue? {
    try loadFilterIfWorthwhile()
    if let filter, !filter.mayContain(hash: hash) { return nil }
    let (_, bytes) = try dataBlock(for: key, cache: &cache)
    return try bytes.withUnsafeBytes { raw -> StoredValue? in
      switch key.withUnsafeBytes({ BlockView(block: raw)?.find($0) }) {
      case .entry(let entry): return entry.stored
      case .nothing: return nil
      case .malformed, nil: throw damaged
      }
    }
  }

  /// The offset of the data block in which a key lies, if it is there at all.
  func offset(for key: [UInt8], cache: inout BlockCache) throws -> Int64 {
    key.isEmpty ? 0 : try dataBlock(for: key, cache: &cache).place.offset
  }

  /// Goes from the root down to the data block for a key.
  private func dataBlock(
    for key: [UInt8], cache: inout BlockCache
  ) throws -> (place: BlockReference, bytes: [UInt8]) {
    var place = footer.root
    var above: UInt8?
    while true {
      let bytes = try block(place, cache: &cache)
      let (level, child) = bytes.withUnsafeBytes { raw -> (UInt8?, BlockReference?) in
        guard let view = BlockView(block: raw) else { return (nil, nil) }
        return (view.level, view.level == 0 ? nil : key.withUnsafeBytes(view.child))
      }
      guard let level, above.map({ level == $0 &- 1 }) ?? true else { throw damaged }
      if level == 0 { return (place, bytes) }
      guard let child else { throw damaged }
      (place, above) = (child, level)
    }
  }

  /// The bytes of a whole block, checked when they come from the file.
  private func block(_ place: BlockReference, cache: inout BlockCache) throws -> [UInt8] {
    let key = BlockCache.Key(run: reference.number, offset: place.offset)
    if let known = cache.block(key) { return known }
    guard place.offset <= footer.blocksEnd, Int64(place.length) <= footer.blocksEnd &- place.offset,
      place.length <= BlockFrame.headerLength &+ BlockFrame.maximumPayload
    else { throw damaged }
    let bytes = try file.read(place.length, at: place.offset)
    let isWhole = bytes.withUnsafeBytes {
      BlockFrame.open($0, run: reference.number, offset: place.offset) != nil
    }
    guard isWhole else { throw damaged }
    cache.insert(bytes, key)
    return bytes
  }
}
