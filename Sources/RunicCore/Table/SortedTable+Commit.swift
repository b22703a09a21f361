import ObjectStore

extension SortedTable {
  /// What a commit does to a key.
  package enum Change: Equatable {
    /// The value replaces whatever is there.
    case put([UInt8])
    /// The value is combined with what is there; with nothing there, it is the value.
    case merge([UInt8])
    case remove

    var stored: StoredValue {
      switch self {
      case .put(let bytes): StoredValue(kind: .full, bytes: bytes)
      case .merge(let bytes): StoredValue(kind: .operand, bytes: bytes)
      case .remove: StoredValue(kind: .tombstone, bytes: [])
      }
    }
  }

  /// How many bytes are kept in memory and tail before they become a run. Small for single commits, since each
  /// opening reads the tail back.
  private var memoryLimit: Int { isBulk ? Self.bulkMemory : Self.commitMemory }
  private static let bulkMemory = 8 << 20
  static let commitMemory = 64 << 10

  /// Applies a batch and the metadata at once: a later opening shows all of it or nothing.
  ///
  /// Nothing is synced. If this throws, the batch may still be in, where only making a run of it failed:
  /// `metadata` tells.
  ///
  /// - Parameter inOrder: whether runs that it has to be made one with are, whatever that costs: what a bulk
  ///   operation ends with.
  /// - Throws: `TableError.valueTooLong` for the metadata, a `SystemError`, or what `combine` throws.
  /// - Complexity: O(batch), and now and then a run is made of what has gathered, with at most 1 MiB of older
  ///   runs.
  func commit(_ batch: borrowing Memtable, metadata newMetadata: [UInt8], inOrder: Bool = false) throws {
    if newMetadata.count > TableManifest.maximumLength / 2 {
      throw TableError.valueTooLong(newMetadata.count)
    }
    if batch.byteCount > memoryLimit || isStaged {
      try makeReady()
      return try flush(NewEntries(batch, over: memtable), metadata: newMetadata, inOrder: inOrder)
    }
    let prepared = try memtable.prepare(batch, combine: combine)
    try makeReady()
    try tail?.append(batch, metadata: newMetadata)
    for (key, value) in prepared { memtable.replace(key, value) }
    metadata = newMetadata
    if memtable.byteCount > memoryLimit || tail?.length ?? 0 > Int64(2 &* memoryLimit) {
      try flush(NewEntries(memtable), metadata: newMetadata)
    }
  }

  /// The same; a key may stand in the batch more than once, and the last one is the newest.
  ///
  /// - Throws: `TableError.keyTooLong`, `.valueTooLong` too.
  package func commit(_ batch: [(key: [UInt8], change: Change)], metadata: [UInt8]) throws {
    try commit(try gather(batch), metadata: metadata)
  }

  /// The same, with nil for a removal and every other value to be combined with what is there.
  package func commit(_ batch: [(key: [UInt8], value: [UInt8]?)], metadata: [UInt8]) throws {
    try commit(batch.map { ($0.key, $0.value.map(Change.merge) ?? .remove) }, metadata: metadata)
  }

  /// Puts a batch aside: it is seen here at once, and by others only after the next commit. Where none comes,
  /// it has never been: the next opening shows the table as it was.
  ///
  /// - Complexity: O(batch + what is in memory): a run is made of both.
  func stage(_ batch: borrowing Memtable) throws {
    try makeReady()
    isStaged = true
    let newest = NewEntries(batch, over: memtable)
    // Many staged runs are put together now and then: a lookup has to ask them all.
    let count = runs.count < Self.bulkRuns ? 0 : mergeCount(newBytes: Int64(newest.byteCount), budget: nil)
    try replace(newestRuns: count, with: newest, metadata: metadata, publishes: false)
  }

  /// The same; a key may stand in the batch more than once.
  package func stage(_ batch: [(key: [UInt8], change: Change)]) throws { try stage(try gather(batch)) }

  /// Shows a batch without writing anything: until this table is opened again. Nothing may be committed after it.
  func hold(_ batch: borrowing Memtable) throws {
    try batch.forEach { try memtable.apply($0.kind, $0.key, $0.value, combine: combine) }
  }

  private func gather(_ changes: [(key: [UInt8], change: Change)]) throws -> Memtable {
    var batch = Memtable()
    for (key, change) in changes { try batch.apply(key, change.stored, combine: combine) }
    return batch
  }

  private func makeReady() throws {
    if manifest == nil { try create() }
    if hasLeftovers, !isStaged { try sweep() }
  }
}
