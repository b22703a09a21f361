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
  private var memoryLimit: Int { isBulk ? 8 << 20 : 64 << 10 }

  /// Applies a batch and the metadata at once: a later opening shows all of it or nothing.
  ///
  /// Nothing is synced. A key may stand in a batch more than once; the last one is the newest. If this throws,
  /// the batch may still be in, where only making a run of it failed: `metadata` tells.
  ///
  /// - Throws: `TableError.keyTooLong`, `.valueTooLong`, a `SystemError`, or what `combine` throws.
  /// - Complexity: O(batch), and now and then a run is made of what has gathered, with at most 1 MiB of older
  ///   runs.
  package func commit(_ batch: [(key: [UInt8], change: Change)], metadata newMetadata: [UInt8]) throws {
    let changes = batch.map { (key: $0.key, value: $0.change.stored) }
    try check(changes, newMetadata)
    let length = changes.reduce(0) {
      $0 &+ EntryView.headerLength &+ $1.key.count &+ $1.value.bytes.count
    }
    if length > memoryLimit || isStaged {
      let newest = try NewEntries(changes, over: memtable, combine: combine)
      try makeReady()
      return try flush(newest, metadata: newMetadata)
    }
    let prepared = try memtable.prepare(changes, combine: combine)
    try makeReady()
    try tail?.append(changes, metadata: newMetadata)
    for (key, value) in prepared { memtable.replace(key, value) }
    metadata = newMetadata
    if memtable.byteCount > memoryLimit || tail?.length ?? 0 > Int64(2 &* memoryLimit) {
      try flush(NewEntries(memtable), metadata: newMetadata)
    }
  }

  /// The same, with nil for a removal and every other value to be combined with what is there.
  package func commit(_ batch: [(key: [UInt8], value: [UInt8]?)], metadata: [UInt8]) throws {
    try commit(batch.map { ($0.key, $0.value.map(Change.merge) ?? .remove) }, metadata: metadata)
  }

  /// Puts a batch aside: it is seen here at once, and by others only after the next commit. Where none comes,
  /// it has never been: the next opening shows the table as it was.
  ///
  /// - Complexity: O(batch + what is in memory): a run is made of both.
  package func stage(_ batch: [(key: [UInt8], change: Change)]) throws {
    try stage(stored: batch.map { (key: $0.key, value: $0.change.stored) })
  }

  func stage(stored changes: KeyChanges) throws {
    try check(changes, metadata)
    let newest = try NewEntries(changes, over: memtable, combine: combine)
    try makeReady()
    isStaged = true
    // Many staged runs are put together now and then: a lookup has to ask them all.
    let count = runs.count < Self.bulkRuns ? 0 : mergeCount(newBytes: Int64(newest.byteCount), budget: nil)
    try replace(newestRuns: count, with: newest, metadata: metadata, publishes: false)
  }

  /// Shows a batch without writing anything: until this table is opened again. Nothing may be committed after it.
  package func hold(_ batch: [(key: [UInt8], change: Change)]) throws {
    for (key, change) in batch { try memtable.apply(key, change.stored, combine: combine) }
  }

  private func makeReady() throws {
    if manifest == nil { try create() }
    if hasLeftovers, !isStaged { try sweep() }
  }

  private func check(_ changes: KeyChanges, _ metadata: [UInt8]) throws {
    for (key, value) in changes {
      if key.count > EntryView.maximumKeyLength { throw TableError.keyTooLong(key.count) }
      if value.bytes.count > EntryView.maximumValueLength {
        throw TableError.valueTooLong(value.bytes.count)
      }
    }
    if metadata.count > TableManifest.maximumLength / 2 { throw TableError.valueTooLong(metadata.count) }
  }
}
