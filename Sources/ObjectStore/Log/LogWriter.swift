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

  public var device: DeviceID { key.publicKey.deviceID }
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
  /// Which commits a roll-up takes along. All of them; only a test's mutant drops one.
  package var keepsInRollUp: (CommitName) -> Bool = { _ in true }
  /// Called while older objects are written again: how many were read, of how many.
  public var onRollUp: ((_ done: Int, _ all: Int) -> Void)?

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
    try flushHeld(upcoming: 0, budget: everything ? .max : Int64(Limits.rollUp))
    try finishObject()
    // An earlier attempt may have made this device's folder and failed to flush it.
    if base == nil { try store.syncFolder(.devices) }
    let head = Head(
      repository: keys.repository, publicKey: identity.key.publicKey, name: identity.name,
      platform: identity.platform, commit: tip, time: time, objects: finished)
    let (name, file) = try head.encode(signedBy: identity.key, keys: keys, random: store.random)
    try store.write(file, to: .head(name))
    return (name, head)
  }

  /// Begins the object with the old ones that a roll-up takes along, then adds the commit that was held back.
  ///
  /// - Parameters:
  ///   - upcoming: how many bytes follow in the same object, as far as that is known.
  ///   - budget: how many bytes of old objects may be written again.
  private func flushHeld(upcoming: Int64, budget: Int64 = Int64(Limits.rollUp)) throws {
    guard let (line, commit) = held else { return }
    held = nil
    let length = Int64(line.count) + 1
    if writer == nil { try beginObject(expected: max(upcoming, length), budget: budget) }
    if writer?.hasRoom(for: line.count) == false {
      try finishObject()
      writer = ObjectWriter()
    }
    writer?.append(line, as: commit)
  }

  private func beginObject(expected: Int64, budget: Int64) throws {
    let bounded = min(expected, Int64(Limits.objectBody) / 2)
    let groups = RollUp.plan(sizes: finished.map(\.inflated) + [bounded], budget: budget)
    var taken = (groups.last?.lowerBound ?? finished.count)..<finished.count
    let merged = try merge(&taken)
    finished.removeSubrange(taken)
    writer = consume merged
  }

  /// Writes the older objects again as the roll-up wants them, apart from the newest group, whose turn is next.
  private func rollUpOlder() throws {
    let groups = RollUp.plan(sizes: finished.map(\.inflated))
    var result: [ObjectEntry] = []
    for group in groups {
      onRollUp?(group.lowerBound, finished.count)
      var taken = group
      let merged = try group.count > 1 ? merge(&taken) : ObjectWriter()
      if taken.count > 1, let entry = try seal(merged) {
        result += finished[group.lowerBound..<taken.lowerBound] + [entry]
      } else {
        result += finished[group]
      }
    }
    finished = result
  }

  /// The commits of neighbouring objects in one. What is gone or damaged, and all before it, is taken out of the
  /// range: it is for `fsck` and a repairing push to mend, and must keep nobody from recording.
  private func merge(_ range: inout Range<Int>) throws -> ObjectWriter {
    var merged = ObjectWriter()
    for index in range where try !copy(finished[index], into: &merged) {
      merged = ObjectWriter()
      range = index + 1..<range.upperBound
    }
    return merged
  }

  /// Adds the commits of an object; false, with some of them added, where it is gone or damaged.
  private func copy(_ entry: ObjectEntry, into writer: inout ObjectWriter) throws -> Bool {
    do {
      let reader = try store.object(entry, of: identity.device, keys: keys)
      try reader.forEachCommit { commit, _, line in
        if keepsInRollUp(commit) { writer.append(line, as: commit) }
      }
      return true
    } catch is DamagedFile {
      return false
    } catch is FormatError {
      return false
    } catch let error as SystemError where error.isMissing {
      return false
    }
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
