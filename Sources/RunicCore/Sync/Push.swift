import ObjectStore

/// One push: objects, then the check that they arrived, then heads. It brings the remote everything whole that
/// this device holds and the remote lacks, and never a head that one there descends from.
struct Push: ~Copyable {
  private let repository: Repository
  private let remote: any Remote
  private let name: String
  private let options: PushOptions
  private var folder: TransferFolder?
  private var outcome: SyncOutcome

  init(_ repository: Repository, to remote: any Remote, named name: String, options: PushOptions) {
    self.repository = repository
    self.remote = remote
    self.name = name
    self.options = options
    outcome = SyncOutcome(remote: name)
  }

  consuming func run() throws -> SyncOutcome {
    let begin = repository.environment.clock.ticks()
    // It may be pulled from: its device alone writes there.
    if try remote.isInUse() { throw RemoteError(.inUse, place: remote.address) }
    let repairs = options.repair && !options.dryRun
    if repairs {
      let isMended = try Repair.mendMarker(of: remote, repository: repository) { try transferPath() }
      outcome.mendedCount = isMended ? 1 : 0
      folder = nil
    }
    var survey = try survey()
    if try meetsStranger(survey) {
      // A head of this device's that it did not write: a pull finds out what that means.
      let pulled = try Pull(
        repository, from: remote, named: name, strategy: repository.configuration.strategy
      ).run()
      outcome.warnings += pulled.warnings
      outcome.foundDamage = pulled.foundDamage
      outcome.fetchedCount = pulled.fetchedCount
      outcome.changedRecords = pulled.changedRecords
      outcome.changedCount = pulled.changedCount
      survey = try self.survey()
    }
    if !options.dryRun { try rollUpIfDue(survey) }
    if repairs {
      let repair = Repair(repository, remote: remote, name: name, folder: try transferPath(), survey: survey)
      let (mended, warnings) = try repair.run()
      outcome.mendedCount = (outcome.mendedCount ?? 0) + mended
      outcome.warnings += warnings
    }
    try sendUndisturbed(survey)
    outcome.conflicts = try repository.read { try $0.conflicts().count }
    if !options.dryRun { repository.noteSync(with: name, "push") }
    outcome.duration = repository.environment.clock.seconds(since: begin)
    return outcome
  }

  /// A push needs what the heads say, not their files, and must be able to fetch them again.
  private mutating func survey() throws -> RemoteSurvey {
    defer { folder = nil }
    return try repository.read { snapshot in
      try RemoteSurvey.take(remote, repository: repository, snapshot: snapshot) { try transferPath() }
    }
  }

  private mutating func transferPath() throws -> String {
    try TransferFolder.path(of: &folder, in: repository)
  }

  private func meetsStranger(_ survey: RemoteSurvey) throws -> Bool {
    let own = survey.fresh.values.filter { $0.device == repository.deviceID }
    if own.isEmpty { return false }
    return try repository.read { snapshot in
      try own.contains { try !snapshot.index.holds($0) }
    }
  }

  /// Does the roll-up that `record` put off, if there is a commit to bring anyway.
  private func rollUpIfDue(_ survey: RemoteSurvey) throws {
    guard let newest = try repository.store.headNames().last(where: { $0.device == repository.deviceID }),
      survey.listed[newest] == nil
    else { return }
    let head: Head
    do { head = try repository.store.head(newest, keys: repository.keys) } catch  where error.isMissingFile {
      // Another process of this device has written on, and what is due is for the push after this one.
      return
    }
    guard RollUp.isDue(sizes: head.objects.map(\.inflated)) else { return }
    try repository.write { transaction in
      transaction.rollsUpEverything = true
      try transaction.appendEmptyCommit()
    }
  }

  // MARK: - Sending

  /// How often a push begins again because another process of this device replaced what it was about to send.
  private static let attempts = 16

  /// Something that was to be sent has been replaced meanwhile.
  private struct Disturbed: Error {}

  private mutating func sendUndisturbed(_ first: RemoteSurvey) throws {
    var survey = first
    for attempt in 1... {
      let heads = try repository.store.headNames()
      do { return try send(survey, isLast: attempt >= Self.attempts, heads) } catch {
        guard attempt < Self.attempts, error is Disturbed || error.isMissingFile,
          try error.isTakenForLeftover || repository.store.headNames() != heads
        else { throw error }
      }
      survey = try self.survey()
    }
  }

  private mutating func send(_ survey: RemoteSurvey, isLast: Bool, _ heads: [HeadName]) throws {
    let plan = try repository.read { try PushPlan(survey, options: options, remote: name, snapshot: $0) }
    var shipment = try Shipment(plan, repository: repository, remote: remote, name: name, options: options)
    outcome.pushedCount = shipment.changes
    outcome.files = shipment.fileNames
    let damaged = shipment.damagedHere
    if !damaged.isEmpty, !isLast, try repository.store.headNames() != heads { throw Disturbed() }
    outcome.warnings += damaged.map(\.path).sorted().map(SyncWarning.damaged(file:))
    if options.dryRun { return }
    if !damaged.isEmpty { try repository.write { $0.trust.damaged.formUnion(damaged.map(\.path)) } }
    if shipment.isEmpty {
      // Another device brought it, or this one under another name of the remote.
      do { if shipment.showsNews { try shipment.conclude() } } catch let error as SystemError
        where error.forbidsWriting
      {
        // Only what `status` says of the remote stays as it was.
      }
      return
    }
    try shipment.announce()
    try shipment.deliver(verifying: options.verify ? try transferPath() : nil)
    outcome.files = shipment.fileNames
    if shipment.mendedCount > 0 { outcome.mendedCount = (outcome.mendedCount ?? 0) + shipment.mendedCount }
    try shipment.conclude()
  }
}

extension Error {
  /// Whether another push of this device has taken a file in the making at the remote for a dead one's.
  fileprivate var isTakenForLeftover: Bool {
    guard let cause = (self as? RemoteError)?.cause else { return false }
    return cause.call == "rename" && cause.isMissing
  }

  /// A file that was to be read is not there.
  fileprivate var isMissingFile: Bool {
    if let error = self as? RemoteError { return error.cause?.isMissing == true }
    return (self as? SystemError)?.isMissing == true
  }
}
