import ObjectStore

/// What can be wrong with a table or its use.
package enum TableError: Error, Equatable {
  /// A file is not what was written: destroy the table and rebuild it.
  case damaged(file: String)
  /// A key is longer than 65,535 bytes.
  case keyTooLong(Int)
  /// A value, or the metadata, is longer than 64 MiB.
  case valueTooLong(Int)
  /// The files were replaced again and again while they were being opened.
  case busy
}

/// A sorted store of bytes under bytes, in a folder of its own: a log-structured merge tree.
///
/// It is a cache of what can be derived again. Nothing is synced, so a power cut may take the newest, or leave what
/// the checks refuse; `metadata` says what is in. What is there is checked: a damaged byte is found, and then
/// `TableError.damaged` says that the table is to be destroyed and filled anew.
///
/// One user at a time writes, holding a lock that it takes before it opens the table. Any number read, without
/// a lock: what was opened stays as it was, whatever a writer does since.
///
/// Files: `manifest` (see `TableManifest`), `tail-N` (`TailFrame`), `run-N` (`RunFooter`, `BlockFrame`).
package final class SortedTable {
  /// Puts a newer value over an older one of the same key. It must be associative: neighbours in age may be
  /// put together in any order.
  package typealias Combine = (
    _ key: [UInt8], _ newer: [UInt8], _ older: [UInt8]
  ) throws -> [UInt8]

  let folder: String
  let fileSystem: any FileSystem
  let combine: Combine
  /// As on disk; nil before the first commit.
  var manifest: TableManifest?
  var tail: TableTail?
  var memtable = Memtable()
  /// Newest first.
  var runs: [Run] = []
  var cache = BlockCache(limit: 1 << 20)
  var isBulk = false
  /// Files that no manifest names may lie about.
  var hasLeftovers = true
  /// What is in memory names runs that the manifest on disk does not name yet.
  var isStaged = false
  /// The caller's, as of the last commit; empty before the first.
  package internal(set) var metadata: [UInt8] = []

  /// Opens the table in a folder, which may be missing: then it is empty, and nothing is made yet.
  ///
  /// - Parameter combine: for the values of `Change.merge`.
  /// - Throws: `TableError.damaged`, `.busy`, a `SystemError`, or what `combine` throws.
  /// - Complexity: three calls for the manifest, three for the tail, three for each run; reads what the tail
  ///   holds (64 KiB, after a bulk operation that was cut off 8 MiB).
  package init(folder: String, fileSystem: any FileSystem, combine: @escaping Combine) throws {
    self.folder = folder
    self.fileSystem = fileSystem
    self.combine = combine
    try open()
  }

  /// The newest value of a key.
  ///
  /// - Complexity: for each run one read a level, at most four.
  package func get(_ key: [UInt8]) throws -> [UInt8]? {
    var found = memtable[key]
    let hash = key.withUnsafeBytes(BloomFilter.hash)
    for run in runs {
      if let found, found.kind != .operand { break }
      guard let older = try run.value(key, hash: hash, cache: &cache) else { continue }
      found = try found?.over(older, key: key, combine: combine) ?? older
    }
    guard let found, found.kind != .tombstone else { return nil }
    return found.bytes
  }

  /// Whether the table on disk is still the one that this one holds. Five calls.
  package func isCurrent() throws -> Bool {
    guard !isStaged, try Self.readManifest(folder, fileSystem) == manifest else { return false }
    guard let tail else { return true }
    // A table that was destroyed and made anew may have the same manifest, but never the same file.
    let there = try fileSystem.status(folder + "/" + TableManifest.tailName(tail.number))
    return try there?.length == tail.length && there?.identity == tail.identity()
  }

  /// Removes a table, whole or damaged; the folder stays. The manifest goes first, so a crash leaves no table.
  package static func destroy(folder: String, fileSystem: any FileSystem) throws {
    guard try fileSystem.status(folder) != nil else { return }
    let names = try fileSystem.list(folder).map(\.name).filter(isOurs)
    for name in names where name == TableManifest.name { try fileSystem.remove(folder + "/" + name) }
    for name in names where name != TableManifest.name { try fileSystem.remove(folder + "/" + name) }
  }

  static func isOurs(_ name: String) -> Bool {
    name == TableManifest.name || name == TableManifest.temporaryName || name.hasPrefix("run-")
      || name.hasPrefix("tail-")
  }
}

extension SortedTable {
  /// Figures for tests, `stats` and the choice of when to maintain.
  package var runCount: Int { runs.count }
  /// The length of all runs in bytes.
  package var byteCount: Int64 { runs.reduce(0) { $0 &+ $1.reference.length } }
  /// Single commits have left more runs than the geometric order allows; `maintain` mends that.
  package var needsMaintenance: Bool { mergeCount(newBytes: 0, budget: nil) > 0 }
}

// MARK: Opening

extension SortedTable {
  private func open() throws {
    for _ in 0..<16 {
      let found = try Self.readManifest(folder, fileSystem)
      do {
        return try load(found)
      } catch {
        guard Self.mayBeReplaced(error) else { throw error }
        // A writer may have replaced the files since the manifest was read: then there is another one.
        if try Self.readManifest(folder, fileSystem) != found { continue }
        throw error is TableError ? error : TableError.damaged(file: TableManifest.name)
      }
    }
    throw TableError.busy
  }

  private static func mayBeReplaced(_ error: any Error) -> Bool {
    if case .damaged? = error as? TableError { return true }
    return (error as? SystemError).map(isMissing) ?? false
  }

  /// `ENOENT` is 2 on every system that runic knows.
  private static func isMissing(_ error: SystemError) -> Bool { error.call == "open" && error.code == 2 }

  static func readManifest(_ folder: String, _ fileSystem: any FileSystem) throws -> TableManifest? {
    do {
      let file = try OpenFile(folder + "/" + TableManifest.name, .read, in: fileSystem)
      let length = try file.length()
      guard length <= Int64(TableManifest.maximumLength),
        let manifest = TableManifest(try file.read(Int(length), at: 0))
      else { throw TableError.damaged(file: TableManifest.name) }
      return manifest
    } catch let error as SystemError where isMissing(error) { return nil }
  }

  private func load(_ found: TableManifest?) throws {
    guard let found else { return }
    let opened = try found.runs.map { try Run($0, folder: folder, in: fileSystem) }
    var replayed = Memtable()
    var newest = found.metadata
    let openedTail = try TableTail(
      opening: found.tailNumber, seed: found.tailSeed, folder: folder, in: fileSystem
    ) { frame in
      let isWhole = try frame.forEachEntry { entry in
        try replayed.apply(entry.kind, entry.key, entry.value, combine: combine)
      }
      if !isWhole { throw TableError.damaged(file: found.tailName) }
      newest = [UInt8](frame.metadata)
    }
    memtable = replayed
    (manifest, tail, runs, metadata) = (found, openedTail, opened, newest)
  }
}
