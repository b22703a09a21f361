import ObjectStore

/// Goes through the heads of one device, newest first, and finds those that have no descendant: the tips.
struct TipWalk {
  private let keys: RepositoryKeys
  private var waiting: [Head]
  /// Their commits.
  private var awaited: Set<CommitName>
  private var ancestors: Set<CommitName> = []
  /// The commit before the first of each object that was walked over.
  private var walked: [Digest: Digest] = [:]

  init(heads: [Head], keys: RepositoryKeys) {
    self.keys = keys
    waiting = heads.sorted { $0.commit.sequence < $1.commit.sequence }
    awaited = Set(heads.map(\.commit))
  }

  /// The next head that is not on the way to one that was handed out before.
  mutating func nextTip() -> Head? {
    while let head = waiting.popLast() {
      if ancestors.contains(head.commit) { continue }
      for entry in head.objects { note(entry.lastCommit) }
      return head
    }
    return nil
  }

  private mutating func note(_ commit: CommitName) {
    if awaited.contains(commit) { ancestors.insert(commit) }
  }

  /// Checks an object's seal, chain and changes.
  ///
  /// - Parameter previous: the hash that its first commit must name.
  /// - Returns: the number of commits that were not looked at before.
  mutating func check(
    _ file: [UInt8], _ entry: ObjectEntry, of device: DeviceID, after previous: Digest
  ) throws -> Int64 {
    if let before = walked[entry.digest] {
      guard before == previous else { throw FormatError.content("chain") }
      return 0
    }
    let reader = try ObjectReader(file: file, entry: entry, device: device, keys: keys)
    var count: Int64 = 0
    var first: Digest?
    try reader.forEachCommit { commit, envelope, line in
      if first == nil { first = envelope.previous }
      count += 1
      note(commit)
      try ChangeCodec.decode(Array(line[envelope.changes])[...]) { _ in }
    }
    walked[entry.digest] = first
    guard first == previous else { throw FormatError.content("chain") }
    return count
  }
}
