/// Who writes a log: the device's key and what people call it.
public struct DeviceIdentity: Sendable {
  public let key: SigningKey
  public let name: String
  public let platform: String

  public init(key: SigningKey, name: String, platform: String) {
    self.key = key
    self.name = name
    self.platform = platform
  }

  public var device: DeviceID { key.publicKey.device }
}

/// A commit without its place in the log.
public struct CommitDraft: Sendable {
  public let stamp: UInt64
  public let time: Int64
  /// JSON objects with commas between them.
  public let changes: [UInt8]

  public init(stamp: UInt64, time: Int64, changes: [UInt8]) {
    self.stamp = stamp
    self.time = time
    self.changes = changes
  }
}

/// A commit would be longer than the format allows.
public struct CommitTooLarge: Error, Equatable, Sendable {
  public let length: Int
}

/// Appends commits to this device's own log: objects first, then one head that makes all of them count at once.
///
/// Nothing that was appended exists for anyone before `publish` returns; after it, all of it does, whatever
/// happens. The caller holds the repository's lock.
public final class LogWriter {
  private let store: Store
  private let keys: RepositoryKeys
  private let identity: DeviceIdentity
  private let base: Head?
  private var tip: CommitName?
  private var finished: [ObjectEntry]
  private var writer: ObjectWriter?
  private var held: (line: [UInt8], commit: CommitName)?

  /// - Parameter base: the device's newest head; nil for a log that is to begin.
  public init(store: Store, keys: RepositoryKeys, identity: DeviceIdentity, base: Head?) {
    self.store = store
    self.keys = keys
    self.identity = identity
    self.base = base
    tip = base?.commit
    finished = base?.objects ?? []
  }

  /// Adds a commit and answers its name. Written to disk once an object is full.
  @discardableResult
  public func append(_ draft: CommitDraft) throws -> CommitName {
    let genesis = CommitLine.genesis(repository: keys.repository, device: identity.device)
    let line = CommitLine.encode(
      sequence: (tip?.sequence ?? 0) + 1, previous: tip?.hash ?? genesis, stamp: draft.stamp,
      time: draft.time, changes: draft.changes)
    guard line.count <= Limits.commit else { throw CommitTooLarge(length: line.count) }
    let commit = CommitName(sequence: (tip?.sequence ?? 0) + 1, hash: SHA256.hash(line))
    try flushHeld(upcoming: Int64.max)
    held = (line, commit)
    tip = commit
    return commit
  }

  /// Seals what was added and writes the head that lists it.
  ///
  /// - Parameter everything: does all of the roll-up that is due, not only what one `record` may do.
  public func publish(time: Int64, everything: Bool = false) throws -> (name: HeadName, head: Head)? {
    guard let tip, tip != base?.commit else { return nil }
    if everything { try rollUpOlder() }
    try flushHeld(upcoming: Int64(held?.line.count ?? 0))
    try finishObject()
    let head = Head(
      repository: keys.repository, publicKey: identity.key.publicKey, name: identity.name,
      platform: identity.platform, commit: tip, time: time, objects: finished)
    let (name, file) = try head.encode(signedBy: identity.key, keys: keys, random: store.random)
    try store.write(file, to: .head(name))
    return (name, head)
  }

  /// Begins the object with the old ones that a roll-up takes along, then adds the commit that was held back.
  private func flushHeld(upcoming: Int64) throws {
    guard let (line, commit) = held else { return }
    held = nil
    if writer == nil { try beginObject(expected: max(upcoming, Int64(line.count))) }
    if writer?.hasRoom(for: line.count) == false {
      try finishObject()
      writer = ObjectWriter()
    }
    line.withUnsafeBytes { writer?.append($0, as: commit) }
  }

  private func beginObject(expected: Int64) throws {
    let bounded = min(expected, Int64(Limits.objectBody) / 2)
    let groups = RollUp.plan(sizes: finished.map(\.inflated) + [bounded], budget: Int64(Limits.rollUp))
    let readers = try readers(of: finished[(groups.last?.lowerBound ?? finished.count)...])
    finished.removeLast(readers.count)
    var fresh = ObjectWriter()
    for reader in readers {
      try reader.forEachCommit { commit, _, line in fresh.append(line, as: commit) }
    }
    writer = consume fresh
  }

  /// The newest of some objects that can be read. A damaged one stays where it is, to be brought again, and
  /// keeps nobody from recording.
  private func readers(of entries: ArraySlice<ObjectEntry>) throws -> [ObjectReader] {
    var readers: [ObjectReader] = []
    for entry in entries.reversed() {
      guard let reader = try reader(of: entry) else { break }
      readers.append(reader)
    }
    return readers.reversed()
  }

  /// Nil for an object that is damaged or gone.
  private func reader(of entry: ObjectEntry) throws -> ObjectReader? {
    do {
      return try store.object(entry, of: identity.device, keys: keys)
    } catch is DamagedFile {
      return nil
    } catch let error as SystemError where error.isMissing {
      return nil
    }
  }

  /// Writes the older objects again as the roll-up wants them, apart from the newest group, whose turn is next.
  private func rollUpOlder() throws {
    let groups = RollUp.plan(sizes: finished.map(\.inflated))
    var result: [ObjectEntry] = []
    for group in groups {
      guard group.count > 1 else {
        result += finished[group]
        continue
      }
      if let entry = try merge(finished[group]) { result.append(entry) } else { result += finished[group] }
    }
    finished = result
  }

  /// Writes some objects as one; nil where one of them cannot be read.
  private func merge(_ entries: ArraySlice<ObjectEntry>) throws -> ObjectEntry? {
    var merged = ObjectWriter()
    for entry in entries {
      guard let reader = try reader(of: entry) else { return nil }
      try reader.forEachCommit { commit, _, line in merged.append(line, as: commit) }
    }
    return try seal(merged)
  }

  private func finishObject() throws {
    guard let done = writer.take() else { return }
    if let entry = try seal(done) { finished.append(entry) }
  }

  private func seal(_ writer: consuming ObjectWriter) throws -> ObjectEntry? {
    guard
      let (entry, file) = try writer.finish(device: identity.device, keys: keys, random: store.random)
    else { return nil }
    try store.write(file, to: .object(identity.device, entry.digest))
    return entry
  }
}
