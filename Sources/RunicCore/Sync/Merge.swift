import ObjectStore

/// The part of a pull that holds the lock: files move into the store, their commits into the index, and what
/// the remote showed into trust.
struct Merge {
  let repository: Repository
  let remote: String
  let strategy: MergeStrategy
  let survey: RemoteSurvey
  let failures: Set<String>
  var outcome: SyncOutcome
  /// The heads whose files are in the store now.
  private(set) var adopted: Set<HeadName> = []

  init(
    repository: Repository, remote: String, strategy: MergeStrategy, survey: RemoteSurvey,
    failures: Set<String>, outcome: SyncOutcome
  ) {
    self.repository = repository
    self.remote = remote
    self.strategy = strategy
    self.survey = survey
    self.failures = failures
    self.outcome = outcome
  }

  private var store: Store { repository.store }

  // MARK: - Files

  /// Moves verified objects into the store.
  mutating func adopt(_ objects: [TreeName: String], in transaction: Transaction) throws {
    var folders: Set<TreeFolder> = []
    for (name, path) in objects {
      try adopt(path, as: name, in: transaction)
      folders.insert(name.folder)
      transaction.trust.damaged.remove(name.path)
    }
    for folder in folders { try store.syncFolder(folder) }
  }

  /// Moves one file. Where the step is done again because the index was damaged, it is there already.
  private func adopt(_ path: String, as name: TreeName, in transaction: Transaction) throws {
    do { try store.adopt(path, as: name) } catch  where error.isMissing {
      guard try store.contains(name) else { throw error }
    }
    transaction.trust.remotes[remote]?.damaged.remove(name.path)
  }

  /// Moves heads into the store and applies them; then drops what they supersede.
  mutating func apply(_ heads: [Head], files: [HeadName: String], in transaction: Transaction) throws {
    let index = transaction.index
    let names = Dictionary(survey.fresh.map { ($0.value.commit, $0.key) }) { max($0, $1) }
    try leaveIdentity(over: heads, in: transaction)
    var new: Set<HeadName> = []
    for name in heads.compactMap({ names[$0.commit] }) {
      guard let path = files[name] else { continue }
      // Another pull may have brought it meanwhile.
      if try !store.contains(.head(name)) { new.insert(name) }
      try adopt(path, as: .head(name), in: transaction)
      adopted.insert(name)
    }
    if !adopted.isEmpty { try store.syncFolder(.heads) }
    for head in heads {
      switch try index.apply(head, from: store, keys: repository.keys) {
      case .whole, .missing: break
      case .damaged(let entry, let reason):
        let object = TreeName.object(head.device, entry.digest)
        // What is whole need not be brought again.
        let isWhole = try repository.isWhole(object)
        if !isWhole { transaction.trust.damaged.insert(object.path) }
        outcome.warnings.append(
          .unreadable(
            device: head.device, name: head.name, object: object.path, broken: isWhole ? reason : nil))
      }
      // Only now: an index that is saved before all is in must count as behind.
      if let name = names[head.commit], new.contains(name) { index.note(heads: [name]) }
      if let tip = index.logs[head.device]?.newest { transaction.trust.verified(tip, of: head.device) }
    }
    try dropSuperseded(of: Set(heads.map(\.device)), in: transaction)
  }

  /// A valid head of this device's that it did not write: it is a clone, or a restored backup.
  ///
  /// Its identity is left before that head comes into the store: cut off in between, the device would take the other
  /// one's log for its own and write on from there.
  private mutating func leaveIdentity(over heads: [Head], in transaction: Transaction) throws {
    let before = repository.deviceID
    let shown = Set(survey.fresh.values.map(\.commit))
    // Where this device's own log cannot be read, an older head that is not in it may none the less be its own.
    let unread = try transaction.head.flatMap { try transaction.index.holds($0) ? nil : $0.commit.sequence }
    let isForked = try heads.contains { head in
      try head.device == before && shown.contains(head.commit) && head.commit.sequence > unread ?? 0
        && !transaction.index.holds(head)
    }
    guard isForked else { return }
    try transaction.takeNewIdentity()
    outcome.warnings.append(.newIdentity(formerly: before, now: repository.deviceID))
  }

  /// Keeps, of every other device, the objects of its newest whole head of each branch and all that arrived of
  /// newer ones.
  private mutating func dropSuperseded(of devices: Set<DeviceID>, in transaction: Transaction) throws {
    let index = transaction.index
    let names = Dictionary(grouping: try store.headNames(), by: \.device)
    for device in devices where device != repository.deviceID {
      let kept = try LocalHeads(names[device] ?? [], store: store, index: index, keys: repository.keys)
      // Nobody knows what a damaged head still needs, until a pull has brought it again.
      for name in kept.damaged { transaction.trust.damaged.insert(TreeName.head(name).path) }
      guard kept.damaged.isEmpty else { continue }
      var dropped: [HeadName: Int64] = [:]
      for name in kept.superseded {
        dropped[name] = try repository.localFile(.head(name)).length
        try store.remove(.head(name))
      }
      index.note(heads: kept.superseded)
      try index.remember(dropped)
      let needed = Set(kept.current.flatMap { $0.head.objects.map(\.digest) })
      for digest in try store.objectNames(of: device) where !needed.contains(digest) {
        try store.remove(.object(device, digest))
      }
    }
    // Heads that turned out to be known are read, and not kept.
    let known = try survey.fresh.filter { name, head in
      try !adopted.contains(name) && index.holds(head)
    }
    try index.remember(survey.lengths.filter { known[$0.key] != nil })
    try index.remember(
      strangers: survey.strangers, listed: survey.lengths, at: remote,
      others: Set(repository.configuration.remotes.map(\.name)).subtracting([remote]))
  }

  // MARK: - Trust

  /// Notes what the remote showed, and says what is wrong with it.
  mutating func note(in transaction: Transaction) throws {
    var known = transaction.trust[remote: remote]
    let rollbacks = SyncPlan.rolledBack(shown: known.shown, now: survey.newestSequences)
    for (device, name) in survey.shown where (known.shown[device]?.sequence ?? 0) < name.sequence {
      known.shown[device] = name
    }
    noteRollbacks(rollbacks, &known, in: transaction)
    // What was found damaged before is so still where nobody reads it anew: where it is here whole.
    let stillDamaged = try known.damaged.filter(repository.holds)
    known.damaged = try repository.memorable(stillDamaged.union(survey.damaged.map(\.path)))
    known.unread = survey.keptUnread
    transaction.trust[remote: remote] = known
    warn(of: survey.damaged.map(\.path))
  }

  /// Notes what a round has found: a second branch, objects that are not what their names say.
  mutating func noteFindings(in transaction: Transaction) throws {
    noteForks(in: transaction)
    guard !failures.isEmpty else { return }
    let known = transaction.trust[remote: remote].damaged
    transaction.trust[remote: remote].damaged = try repository.memorable(known.union(failures))
    warn(of: failures)
  }

  private mutating func warn(of damaged: some Sequence<String>) {
    let warnings = damaged.sorted().map(SyncWarning.damaged(file:))
    outcome.warnings += warnings.filter { !outcome.warnings.contains($0) }
  }

  /// How many pulls in a row name a rollback; the last of them counts it as damage.
  private static let namedRollbacks = 2

  private mutating func noteRollbacks(
    _ rollbacks: [DeviceID: (from: Int64, to: Int64)], _ known: inout RemoteTrust, in transaction: Transaction
  ) {
    known.rolledBack = known.rolledBack.filter { rollbacks[$0.key] != nil }
    for (device, rollback) in rollbacks.sorted(by: { $0.key < $1.key }) {
      let pulls = (known.rolledBack[device]?.pulls ?? 0) + 1
      known.rolledBack[device] = RemoteTrust.Rollback(
        from: rollback.from, to: rollback.to, pulls: min(pulls, Self.namedRollbacks + 1))
      guard pulls <= Self.namedRollbacks else { continue }
      let name = transaction.index.logs[device]?.name ?? device.hex
      outcome.warnings.append(
        .rolledBack(device: device, name: name, from: rollback.from, to: rollback.to, pulls: pulls))
      if pulls == Self.namedRollbacks { outcome.foundDamage = true }
    }
  }

  /// A fork is reported once; then it stands in `status`.
  private mutating func noteForks(in transaction: Transaction) {
    for (device, log) in transaction.index.logs.sorted(by: { $0.key < $1.key }) where log.isForked {
      guard transaction.trust.reportedForks.insert(device).inserted else { continue }
      outcome.warnings.append(.forked(device: device, name: log.name))
      outcome.foundDamage = true
    }
  }

  // MARK: - Conflicts

  /// Counts what came, and lets the strategy settle what it settles.
  mutating func settle(in transaction: Transaction) throws {
    outcome.fetchedCount += transaction.index.applied
    let touched = transaction.index.touched.sorted()
    outcome.changedRecords += touched + transaction.index.added.names.sorted()
    outcome.changedCount += touched.count + transaction.index.added.count
    outcome.conflictsResolved += try transaction.resolve(touched, under: strategy)
  }
}
