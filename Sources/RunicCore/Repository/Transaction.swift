import ObjectStore

/// One step of writing: changes gather into commits, the commits become objects, and one head makes all of them
/// count at once. The repository's lock is held from the beginning to the end.
public final class Transaction {
  let repository: Repository
  let index: Index
  let now: Int64
  var trust: Trust
  private let storedTrust: Trust
  private(set) var writer: LogWriter
  private(set) var head: Head?
  private var branch: Int?
  private var draft: Draft?
  private var fingerprinter = Fingerprinter()
  private(set) var commits: [CommitName] = []
  /// Whether all of a roll-up that is due is done, not only what one `record` may do.
  var rollsUpEverything = false
  /// Whether the index is put in order at the end, whatever it costs.
  var maintainsIndex = false

  /// A commit in the making.
  private struct Draft {
    let stamp: Stamp
    var changes: [UInt8] = []
    var count: Int64 = 0
    /// The changes to keyed records: each needs the commit's hash, and so waits for it.
    var keyed: [Change] = []
    var names: Set<RecordName> = []
  }

  /// Where a commit is cut, so that it stays below what a commit may hold.
  private static let commitSize = Limits.change

  private init(in repository: Repository) throws {
    self.repository = repository
    // A clock that was never set, or set beyond what the format can say, still gives a time.
    now = min(max(0, repository.environment.clock.now()), Limits.time)
    try repository.reloadDevice()
    try repository.requireAllKeys()
    try LocalCleaner(repository: repository).removeLeftovers()
    var trust = try repository.readTrust()
    let before = trust
    index = try repository.indexForWriting()
    index.now = now
    index.progress = repository.environment.progress
    let names = try repository.store.headNames()
    let isBehind = try index.catchUp(with: names, of: repository.store, keys: repository.keys)
    trust.damaged.formUnion(try repository.damage(metBy: index).map(\.path))
    // At once, and before the index: whoever finds that one up to date does not meet the damage again.
    if trust != before { try repository.writeTrust(trust) }
    if isBehind { try index.save() }
    (self.trust, storedTrust) = (trust, trust)
    head = try names.last { $0.device == repository.deviceID }.map { try repository.ownHead($0) }
    writer = Self.writer(in: repository, base: head)
    index.whenFull = { try $0.stage() }
    index.touched = []
    index.added = AddedRecords()
    index.applied = 0
    index.onMerge = repository.onMerge
    if let verified = trust.devices[repository.deviceID], verified.sequence > (head?.commit.sequence ?? 0) {
      try takeNewIdentity()
    }
  }

  static func run<Result>(in repository: Repository, _ body: (Transaction) throws -> Result) throws -> Result
  {
    let transaction = try Transaction(in: repository)
    do {
      let result = try body(transaction)
      try transaction.finish()
      return result
    } catch {
      transaction.index.forget()
      throw error
    }
  }

  /// The state of all records, with what this transaction changed in commits that are closed.
  var snapshot: Snapshot {
    get throws {
      try closeCommit()
      return try Snapshot(index: index, repository: repository)
    }
  }

  // MARK: - Commits

  /// Adds a history record's payload; the state shows it at once.
  func append(_ add: HistoryAdd) throws {
    let clock = index.clock
    try beginCommit()
    defer { dropEmptyDraft(clock) }
    try appendToDraft(.add(add))
    let envelope = envelope(for: draft?.stamp ?? .zero)
    // A history's state does not depend on the commit's hash.
    try index.apply(.add(add), of: CommitName(sequence: 1, hash: .zero), envelope, repository.deviceID)
    try index.saveIfFull()
  }

  /// Adds a change to a keyed record, made from the record's state and the commit's stamp; nil makes none. A
  /// commit holds one change of a record: a second one begins the next commit.
  @discardableResult
  func append(
    to name: RecordName, _ make: (KeyedState, Stamp) throws -> Change?
  ) throws -> Bool {
    try closeCommit(about: name)
    let clock = index.clock
    try beginCommit()
    defer { dropEmptyDraft(clock) }
    guard let stamp = draft?.stamp, let change = try make(try index.keyed(name) ?? KeyedState(), stamp) else {
      return false
    }
    try appendToDraft(change)
    draft?.keyed.append(change)
    draft?.names.insert(name)
    return true
  }

  private func beginCommit() throws {
    if let draft, draft.changes.count > Self.commitSize / 2 { try closeCommit() }
    if draft == nil { draft = Draft(stamp: index.clock.tick(now: now)) }
  }

  /// A stamp that nothing came to bear was never issued.
  private func dropEmptyDraft(_ clock: HybridClock) {
    if draft?.count == 0 { (draft, index.clock) = (nil, clock) }
  }

  private func appendToDraft(_ change: Change) throws {
    guard var changes = draft?.changes else { return }
    draft?.changes = []
    defer { draft?.changes = changes }
    let begin = changes.count
    if begin > 0 { changes.append(UInt8(ascii: ",")) }
    do { try ChangeCodec.append(change, to: &changes, using: &fingerprinter) } catch {
      changes.removeSubrange(begin...)
      throw error
    }
    draft?.count += 1
  }

  /// Closes the commit in the making where it changes a record.
  func closeCommit(about name: RecordName) throws {
    if draft?.names.contains(name) == true { try closeCommit() }
  }

  /// Closes the commit in the making, so that what comes next sees it.
  func closeCommit() throws {
    guard let done = draft else { return }
    draft = nil
    try append(done)
  }

  /// Adds a commit without changes: whatever changes a head makes a commit.
  func appendEmptyCommit() throws {
    try closeCommit()
    try append(Draft(stamp: index.clock.tick(now: now)))
  }

  private func append(_ done: Draft) throws {
    if commits.isEmpty { try LocalCleaner(repository: repository).announceWriting() }
    let commit = try writer.append(
      CommitDraft(stamp: done.stamp.rawValue, time: now, changes: done.changes))
    let envelope = envelope(for: done.stamp)
    let branch = try ownBranch()
    for change in done.keyed { try index.apply(change, of: commit, envelope, repository.deviceID) }
    try index.finish(commit, envelope, changes: done.count, device: repository.deviceID, branch: branch)
    commits.append(commit)
  }

  private func envelope(for stamp: Stamp) -> CommitLine {
    CommitLine(sequence: 1, previous: .zero, stamp: stamp.rawValue, time: now)
  }

  private func ownBranch() throws -> Int {
    if let branch { return branch }
    let genesis = CommitLine.genesis(repository: repository.id, device: repository.deviceID)
    let opened = try index.openBranch(
      after: head?.commit.hash ?? genesis, sequence: (head?.commit.sequence ?? 0) + 1,
      of: repository.deviceID, repository: repository.id)
    branch = opened
    return opened
  }

  // MARK: - The end

  private func finish() throws {
    try closeCommit()
    // What was found out about other devices holds whether or not commits of this one come to count.
    if trust != storedTrust { try repository.writeTrust(trust) }
    guard !commits.isEmpty,
      let (name, newHead) = try writer.publish(time: now, everything: rollsUpEverything)
    else { return try keepIndex() }
    head = newHead
    // From here on everything that was appended counts, so nothing may fail any more.
    do { try keepIndex(behind: name, newHead) } catch { repository.leaveIndex(after: error) }
    LocalCleaner(repository: repository).announceDone()
  }

  /// Brings the index to where the new head is, and removes what that made superfluous.
  private func keepIndex(behind name: HeadName, _ head: Head) throws {
    index.update(repository.deviceID) { $0.describe(by: head) }
    index.note(heads: [name])
    let removed = try LocalCleaner(repository: repository).removeReplaced(by: head)
    index.note(heads: removed)
    try keepIndex()
  }

  private func keepIndex() throws {
    let putsInOrder = maintainsIndex || rollsUpEverything
    try index.save(inOrder: putsInOrder)
    if putsInOrder, index.table.isBulk || index.table.needsMaintenance { try index.table.maintain() }
    repository.keepOpen(index)
  }

  /// Takes up the repository's identity again after it changed.
  func useIdentity() { writer = Self.writer(in: repository, base: head) }

  private static func writer(in repository: Repository, base: Head?) -> LogWriter {
    let writer = LogWriter(
      store: repository.store, keys: repository.keys, identity: repository.identity, base: base)
    if let progress = repository.environment.progress {
      writer.onRollUp = { done, all in progress(Progress(.rollingUp, done: Int64(done), of: Int64(all))) }
    }
    if let isKept = repository.environment.laws.keptInRollUp { writer.keepsInRollUp = isKept }
    return writer
  }

  /// Goes on under a new identity: the log so far stays as it is, another device's from now on.
  func takeNewIdentity() throws {
    let key = SigningKey.generate(from: repository.environment.random)
    try repository.adopt(key)
    head = nil
    branch = nil
    useIdentity()
  }
}
