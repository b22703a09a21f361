import ObjectStore

/// One pull: heads, then objects, then verify, then apply. Transfers go to a private folder without a lock; the
/// lock is taken to apply.
struct Pull: ~Copyable {
  private let repository: Repository
  private let remote: any Remote
  private let name: String
  private let strategy: MergeStrategy
  private var folder: TransferFolder?
  private var outcome: SyncOutcome
  private var failures: Set<String> = []
  /// Objects that were asked for, and where those lie that came and are not in the store yet.
  private var asked: Set<TreeName> = []
  private var arrived: [TreeName: String] = [:]

  init(_ repository: Repository, from remote: any Remote, named name: String, strategy: MergeStrategy) {
    self.repository = repository
    self.remote = remote
    self.name = name
    self.strategy = strategy
    outcome = SyncOutcome(remote: name)
  }

  consuming func run() throws -> SyncOutcome {
    let begin = repository.environment.clock.ticks()
    let survey = try survey()
    try heal()
    try bringIn(survey)
    try settleOpen()
    try repository.updateSlots(from: remote)
    try repository.read { snapshot in
      outcome.pending = try snapshot.pendingLogs()
      outcome.conflicts = try snapshot.conflicts().count
    }
    repository.noteSync(with: name, "pull")
    outcome.duration = repository.environment.clock.seconds(since: begin)
    return outcome
  }

  private mutating func survey() throws -> RemoteSurvey {
    try repository.read { snapshot in
      try RemoteSurvey.take(remote, repository: repository, snapshot: snapshot) { try transferPath() }
    }
  }

  private mutating func transferPath() throws -> String {
    try TransferFolder.path(of: &folder, in: repository)
  }

  // MARK: - Objects

  /// Fetches and applies in rounds: after the newest head of each device is in, those left over are its
  /// ancestors, or branches of their own with objects of their own.
  private mutating func bringIn(_ survey: RemoteSurvey) throws {
    var (waiting, round) = try repository.read { snapshot in
      let waiting = Array(survey.fresh.values) + (try snapshot.pendingHeads())
      return (waiting, try snapshot.headsToApply(waiting))
    }
    if round.isEmpty, !needsWriting(survey) { return }
    var files = survey.files
    var isFirst = true
    repeat {
      try fetchObjects(of: isFirst ? round : waiting)
      let objects = try takeArrived(of: round)
      try apply(round, objects, survey: survey, files: &files, isFirst: isFirst)
      isFirst = false
      waiting.removeAll { head in round.contains { $0 == head } }
      if waiting.isEmpty { return }
      round = try repository.read { try $0.headsToApply(waiting) }
    } while !round.isEmpty
  }

  /// Whether something is to be written though no head is to be applied.
  private func needsWriting(_ survey: RemoteSurvey) -> Bool {
    guard let trust = try? repository.readTrust() else { return true }
    if trust[remote: name].unread != survey.keptUnread { return true }
    if !survey.fresh.isEmpty || !survey.strangers.isEmpty || !survey.damaged.isEmpty { return true }
    let known = trust[remote: name]
    let rollbacks = SyncPlan.rolledBack(shown: known.shown, now: survey.newestSequences)
    if !rollbacks.isEmpty || !known.rolledBack.isEmpty { return true }
    return survey.shown.contains { (known.shown[$0.key]?.sequence ?? 0) < $0.value.sequence }
  }

  /// Fetches the objects of some heads that are not in yet, each once: the newest heads' first, then those of all
  /// others together, so that a pull is two transfers of objects at most.
  private mutating func fetchObjects(of heads: [Head]) throws {
    let missing = try repository.read { snapshot in
      try heads.filter { try !snapshot.index.holds($0) }
    }
    let wanted = try lacking(missing).filter { asked.insert($0).inserted }
    guard !wanted.isEmpty else { return }
    for file in try remote.fetch(wanted, into: try transferPath()) {
      if try repository.wholeBytes(of: file) != nil {
        arrived[file.name] = file.path
      } else {
        failures.insert(file.name.path)
        // It may be asked for again, under the same name in the same folder.
        repository.environment.fileSystem.removeLeftover(file.path)
      }
    }
  }

  /// The objects of some heads that are to go into the store with them.
  private mutating func takeArrived(of heads: [Head]) throws -> [TreeName: String] {
    var result: [TreeName: String] = [:]
    for name in try lacking(heads) { result[name] = arrived.removeValue(forKey: name) }
    return result
  }

  /// The objects of some heads that are not here, or were found damaged here.
  private func lacking(_ heads: [Head]) throws -> [TreeName] {
    let damagedHere = try repository.readTrust().damaged
    var wanted: [TreeName] = []
    // Files arrive under the last part of their names: of two that share it, one waits for the next pull.
    var taken: Set<String> = []
    for head in heads {
      let here = try repository.store.objectNames(of: head.device)
      for entry in head.objects {
        let name = TreeName.object(head.device, entry.digest)
        guard !here.contains(entry.digest) || damagedHere.contains(name.path) else { continue }
        if taken.insert(name.name).inserted { wanted.append(name) }
      }
    }
    return wanted
  }

  /// Brings files again that were found damaged or missing here. Comes before all that writes: without its own newest
  /// head a device can write nothing. But not before the index was read, which finds damage where it is made anew.
  private mutating func heal() throws {
    let damaged = Set(try repository.readTrust().damaged.compactMap(TreeName.init(path:)))
    guard !damaged.isEmpty else { return }
    // One of its own: the heads that the remote showed lie in the other, under their names.
    let folder = try TransferFolder(in: repository)
    _ = try repository.bringBack(damaged, from: remote, into: folder.path)
    _ = consume folder
    try repository.dropReplacedDamage()
  }

  // MARK: - Applying

  /// A strategy is for all that is open, not only for what this pull brought: it may have been chosen since.
  private mutating func settleOpen() throws {
    // Under most strategies a device settles nothing anywhere, and a pull of nothing looks no further.
    guard strategy == .preferLocal || strategy == .preferRemote else { return }
    let open = try repository.read { try $0.conflictsToSettle(under: strategy) }
    guard !open.isEmpty else { return }
    outcome.conflictsResolved += try repository.write { try $0.resolve(open, under: strategy) }
  }

  private mutating func apply(
    _ heads: [Head], _ objects: [TreeName: String], survey: RemoteSurvey, files: inout [HeadName: String],
    isFirst: Bool
  ) throws {
    var merged = Merge(
      repository: repository, remote: name, strategy: strategy, survey: survey, failures: failures,
      outcome: outcome)
    let headFiles = files
    try repository.write { transaction in
      transaction.maintainsIndex = true
      try merged.adopt(objects, in: transaction)
      try merged.apply(heads, files: headFiles, in: transaction)
      if isFirst { try merged.note(in: transaction) }
      try merged.noteFindings(in: transaction)
      try merged.settle(in: transaction)
    }
    for head in survey.fresh.keys where merged.adopted.contains(head) { files[head] = nil }
    outcome = merged.outcome
  }
}

extension Snapshot {
  fileprivate func headsToApply(_ heads: [Head]) throws -> [Head] {
    try SyncPlan.headsToApply(heads, isApplied: index.holds)
  }

  /// The records in which this device settles something under a strategy.
  fileprivate func conflictsToSettle(under strategy: MergeStrategy) throws -> [RecordName] {
    try conflictingRecords().filter { name in
      guard name.family == .keys, let state = try index.keyed(name) else { return false }
      return !state.resolutions(
        under: strategy, isOwn: repository.device.isOwn, kind: name.kind, id: name.id
      ).isEmpty
    }
  }
}
