import ObjectStore

// How runs are made, put together and replaced. The sizes are geometric: a run is at least as long as all newer
// ones together, so there are O(log n), and a byte is rewritten O(log n) times.

extension SortedTable {
  /// How many bytes of older runs a single commit may rewrite.
  private static let mergeBudget: Int64 = 1 << 20
  /// A bulk operation leaves merging to its end, unless lookups would have to ask more runs than this.
  static let bulkRuns = 32

  /// Makes ready for many commits and lookups: more memory, filters loaded, merging put off. `maintain` ends it.
  package func prepareForBulk() throws {
    for run in runs { try run.loadFilter() }
    isBulk = true
  }

  /// Ends a bulk operation: writes out what is in memory and restores the geometric order, whatever it costs.
  ///
  /// - Complexity: O(bytes that are out of order); memory for one read of each run and the new run's filter.
  package func maintain() throws {
    isBulk = false
    for run in runs { run.use(nil) }
    if memtable.byteCount > Self.commitMemory {
      try flush(NewEntries(memtable), metadata: metadata, budget: nil)
    }
    while true {
      let count = mergeCount(newBytes: 0, budget: nil)
      if count == 0 { return }
      try replace(newestRuns: count, with: nil, metadata: metadata)
    }
  }

  /// Makes a run of these entries, with the runs that the geometric order wants in it and the budget allows.
  func flush(_ newest: NewEntries, metadata: [UInt8], inOrder: Bool = false) throws {
    let isDeferred = !inOrder && (isStaged || isBulk && runs.count < Self.bulkRuns)
    let isUnbounded = inOrder || isBulk
    try flush(newest, metadata: metadata, budget: isDeferred ? 0 : isUnbounded ? nil : Self.mergeBudget)
  }

  private func flush(_ newest: NewEntries, metadata: [UInt8], budget: Int64?) throws {
    let count = mergeCount(newBytes: Int64(newest.byteCount), budget: budget)
    try replace(newestRuns: count, with: newest, metadata: metadata)
  }

  /// How many of the newest runs are to become one with the new bytes.
  func mergeCount(newBytes: Int64, budget: Int64?) -> Int {
    var count = 0
    var rewritten: Int64 = 0
    for (index, run) in runs.enumerated() {
      let length = run.reference.length
      if let budget, rewritten &+ length > budget { break }
      if length < rewritten &+ newBytes { count = index &+ 1 }
      rewritten &+= length
    }
    return count
  }

  /// Puts a new run in the place of the newest ones, and of memory and tail where `newest` is given.
  ///
  /// The order of writes: the run; an empty tail; the manifest, renamed; only then are the old files removed. Before
  /// the rename nothing has happened, here or on disk. Nothing is synced: what a power cut leaves is whole, or the
  /// checks refuse it and the table is made anew, which costs less than a sync of every run.
  ///
  /// - Parameter publishes: without it nothing happens on disk but that new files appear which nobody names.
  func replace(
    newestRuns count: Int, with newest: NewEntries?, metadata newMetadata: [UInt8], publishes: Bool = true
  ) throws {
    if hasLeftovers, !isStaged { try sweep() }
    guard let old = manifest, let oldTail = tail else { return }
    hasLeftovers = true
    let number = old.nextNumber
    let run = try writeRun(number, newest, older: count)

    var next = old
    next.nextNumber = number &+ 2
    next.runs.replaceSubrange(..<count, with: run.map { [$0.reference] } ?? [])
    var nextTail = oldTail
    if newest != nil {
      (next.tailNumber, next.tailSeed) = (number &+ 1, oldTail.nextSeed)
      next.metadata = newMetadata
      nextTail = try TableTail(
        creating: next.tailNumber, seed: next.tailSeed, folder: folder, in: fileSystem)
    }
    if publishes { try write(next) }

    (manifest, tail) = (next, nextTail)
    runs.replaceSubrange(..<count, with: run.map { [$0] } ?? [])
    if newest != nil {
      memtable.removeAll()
      metadata = newMetadata
    }
    guard publishes else { return }
    if isStaged {
      // Runs that were put aside and are part of this one now are named nowhere: the folder is looked through.
      isStaged = false
      return try sweep()
    }
    for name in old.names.subtracting(next.names).sorted() { try fileSystem.remove(folder + "/" + name) }
    hasLeftovers = run == nil
  }

  /// Writes memory and the newest runs as one; nil where nothing is left of them (the file then is a leftover).
  private func writeRun(_ number: UInt64, _ newest: NewEntries?, older count: Int) throws -> Run? {
    var sources = newest?.sources ?? []
    var capacity = newest?.capacity ?? 0
    for run in runs[..<count] {
      sources.append(try RunCursor(run, from: [], blockOffset: 0))
      // An entry has at least its header, so no damage can ask for more memory than the run is long.
      capacity &+= min(
        Int(clamping: run.footer.entries), Int(run.reference.length) / EntryView.headerLength)
    }
    let merged = MergeCursor(sources, isBottom: count == runs.count, combine: combine)
    let path = folder + "/run-\(number)"
    var writer = try RunWriter(path, number: number, capacity: capacity, in: fileSystem)
    while let entry = try merged.next() { try writer.append(entry) }
    guard let finished = try writer.finish() else { return nil }
    let run = try Run(finished.reference, folder: folder, in: fileSystem)
    if isBulk { run.use(finished.filter) }
    return run
  }

  private func write(_ next: TableManifest) throws {
    let temporary = folder + "/" + TableManifest.temporaryName
    do {
      let file = try OpenFile(temporary, .create(permissions: 0o600), in: fileSystem)
      try file.write(next.encoded, at: 0)
    }
    try fileSystem.rename(temporary, to: folder + "/" + TableManifest.name)
  }

  /// Makes folder, tail and manifest of an empty table.
  func create() throws {
    if try fileSystem.status(folder) == nil {
      try fileSystem.makeDirectory(folder, permissions: 0o700)
    }
    try sweep()
    hasLeftovers = true
    let first = TableManifest(nextNumber: 2, tailNumber: 1, tailSeed: 0x7275_6E69, runs: [], metadata: [])
    let firstTail = try TableTail(
      creating: first.tailNumber, seed: first.tailSeed, folder: folder, in: fileSystem)
    try write(first)
    (manifest, tail) = (first, firstTail)
    hasLeftovers = false
  }

  /// Removes what a crash or a failed write left: our files that the manifest does not name.
  func sweep() throws {
    let live = manifest?.names ?? []
    for entry in try fileSystem.list(folder) where Self.isOurs(entry.name) && !live.contains(entry.name) {
      try fileSystem.remove(folder + "/" + entry.name)
    }
    hasLeftovers = false
  }
}
