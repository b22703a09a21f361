import ObjectStore
import TestSupport

/// A store in memory with one device's log in it.
struct LogBench {
  static let repository = RepositoryID(from: .seeded(11))
  static let keys = bench(12, repository)
  /// Another key for the same repository.
  static let otherKeys = bench(13, repository)

  let files: MemoryFileSystem
  let store: Store
  let keys = Self.keys
  let identity: DeviceIdentity

  var device: DeviceID { identity.device }

  init(device: UInt64 = 1, over wrap: (MemoryFileSystem) -> any FileSystem = { $0 }) throws {
    files = MemoryFileSystem()
    try files.makeFolders("/r/tmp")
    store = Store(
      root: "/r/store", temporary: "/r/tmp", fileSystem: wrap(files), random: .seeded(device + 50))
    try store.create()
    identity = Self.identity(device)
  }

  static func identity(_ seed: UInt64) -> DeviceIdentity {
    DeviceIdentity(key: .generate(from: .seeded(seed)), name: "dévice \(seed)", platform: "Linux x86_64")
  }

  private static func bench(_ seed: UInt64, _ repository: RepositoryID) -> RepositoryKeys {
    // 32 bytes derive keys of the right lengths, always.
    let root = RandomSource.seeded(seed).secret(32)
    do { return try RepositoryKeys(root: root, repository: repository) } catch {
      preconditionFailure("\(error)")
    }
  }

  func writer(_ base: Head?) -> LogWriter {
    LogWriter(store: store, keys: keys, identity: identity, base: base)
  }

  /// Appends commits in one batch and publishes them.
  @discardableResult
  func publish(
    _ drafts: [CommitDraft], on base: Head? = nil, everything: Bool = false
  ) throws -> (name: HeadName, head: Head) {
    let writer = writer(base)
    for draft in drafts { try writer.append(draft) }
    guard let result = try writer.publish(time: 1_000, everything: everything) else {
      throw NothingPublished()
    }
    return result
  }

  /// A commit with one change of so many bytes, which deflate can at best halve.
  static func draft(_ number: Int, count: Int = 40) -> CommitDraft {
    var random = SeededRandom(seed: UInt64(number))
    var changes = Array("{\"a\":\"".utf8)
    changes.reserveCapacity(count)
    while changes.count < count - 2 {
      var word = random.next()
      for _ in 0..<min(16, count - 2 - changes.count) {
        changes.append(0x61 + UInt8(word & 15))
        word >>= 4
      }
    }
    changes += "\"}".utf8
    return CommitDraft(stamp: UInt64(number) << 16, time: Int64(number), changes: changes)
  }

  /// The lines that a head's objects hold, with the chain checked from the first commit to the last.
  func lines(of head: Head) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var previous = CommitLine.genesis(repository: keys.repository, device: device)
    for entry in head.objects {
      try store.object(entry, of: device, keys: keys).forEachCommit { commit, envelope, line in
        guard envelope.previous == previous, commit.sequence == Int64(lines.count) + 1 else {
          throw NothingPublished()
        }
        previous = commit.hash
        lines.append(Array(line))
      }
    }
    return lines
  }

  /// The line that a draft makes at a place in the log.
  func line(_ draft: CommitDraft, _ sequence: Int64, after previous: Digest) -> [UInt8] {
    CommitLine.encode(
      sequence: sequence, previous: previous, stamp: draft.stamp, time: draft.time, changes: draft.changes)
  }

  /// The lines of drafts from the first commit on.
  func lines(_ drafts: [CommitDraft]) -> [[UInt8]] {
    var previous = CommitLine.genesis(repository: keys.repository, device: device)
    return drafts.enumerated().map { index, draft in
      let line = line(draft, Int64(index) + 1, after: previous)
      previous = SHA256.hash(line)
      return line
    }
  }
}

struct NothingPublished: Error {}
