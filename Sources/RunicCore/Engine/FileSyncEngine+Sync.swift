import ObjectStore
import Synchronization

extension FileSyncEngine {
  /// Pulls, settles what the strategy settles, then pushes. Syncs wait for each other, each does its own.
  public func sync(options: SyncOptions) async -> Result<SyncResult, SyncError> {
    await sync(options, telling: nil)
  }

  /// The same, telling the observers of a manager too.
  func sync(
    _ options: SyncOptions, telling others: ObserverList?
  ) async -> Result<SyncResult, SyncError> {
    await result { try await self.inTurn { engine in try await engine.observedSync(options, others) } }
  }

  /// Lets one thing after another use the remote.
  func inTurn<Value: Sendable>(
    _ body: @escaping @Sendable (FileSyncEngine) async throws -> Value
  ) async throws -> Value {
    let previous = lastTurn
    // Not the caller's own task: one that is cancelled leaves no sync half done.
    let turn = Task {
      await previous?.value
      return try await body(self)
    }
    lastTurn = Task { _ = await turn.result }
    return try await turn.value
  }

  private func observedSync(_ options: SyncOptions, _ others: ObserverList?) async throws -> SyncResult {
    tell(.start, others)
    let begin = clock.ticks()
    do {
      var done = try await syncOnce(options) { step in
        tell(.progress(current: step, total: Self.steps), others)
      }
      done.duration = clock.seconds(since: begin)
      done.completedAt = Timestamp(milliseconds: clock.now())
      say("synced: \(done.pushedCount) went, \(done.fetchedCount) came")
      tell(.completion(done), others)
      return done
    } catch {
      let failure = SyncError(error)
      say("sync failed: \(failure)")
      tell(.failure(failure), others)
      throw failure
    }
  }

  private func tell(_ event: SyncEvent, _ others: ObserverList?) {
    events.send(event)
    observers.tell(event)
    others?.tell(event)
  }

  /// Pulled, settled, pushed.
  private static let steps = 3

  private func syncOnce(_ options: SyncOptions, _ step: (Int) -> Void) async throws -> SyncResult {
    var done = SyncResult()
    let round = AppRound(.sync)
    let outcome = try await run(round) {
      try await decide(options.conflictStrategy)
      let pulled = try await pullOnce(options, round)
      step(1)
      if options.conflictStrategy == .merge {
        (done.conflictsResolved, done.warnings) = try await runHandlers()
      }
      step(2)
      return try await pushOnce(options, round).after(pulled)
    }
    step(3)
    done.pushedCount = Int(clamping: outcome.pushedCount)
    done.fetchedCount = Int(clamping: outcome.fetchedCount)
    done.conflictsResolved += outcome.conflictsResolved
    done.deletedCount = round.deletedCount
    done.warnings = outcome.warnings.map(\.words) + done.warnings + round.warnings
    try await noteWhatWaits(options, in: &done)
    return done
  }

  private func noteWhatWaits(_ options: SyncOptions, in done: inout SyncResult) async throws {
    done.openConflicts = try await records.run { try $0.read { try $0.conflicts().count } }
    if options.conflictStrategy == .manual, done.openConflicts > 0 {
      let verb = done.openConflicts == 1 ? "is" : "are"
      done.warnings.append("\(counted(done.openConflicts, "conflict")) \(verb) open")
    }
    for keys in try await records.run({ try $0.undecidedKeys() }) {
      let id = String(decoding: keys.name.id, as: UTF8.self)
      done.warnings.append(
        "\(KindRegistry.recordType(keys.name.kind)) '\(id)' differs from what is there:"
          + " sync with .preferLocal or .preferRemote")
    }
  }

  // MARK: - Both ways

  func pullOnce(_ options: SyncOptions, _ round: AppRound) async throws -> SyncOutcome {
    let strategy = options.conflictStrategy.mergeStrategy
    return try await move(options, round) { repository, remote, name in
      try repository.pull(from: remote, named: name, strategy: strategy)
    }
  }

  func pushOnce(_ options: SyncOptions, _ round: AppRound) async throws -> SyncOutcome {
    try await move(options, round) { repository, remote, name in
      try repository.push(to: remote, named: name)
    }
  }

  /// Tells what a merge brought whichever way: a push that meets a clone of this device merges too.
  private func move(
    _ options: SyncOptions, _ round: AppRound,
    _ body: @escaping @Sendable (Repository, any Remote, String) throws -> SyncOutcome
  ) async throws -> SyncOutcome {
    guard let remoteName else { return SyncOutcome(remote: "") }
    let (openRemote, remoteChanges) = (openRemote, remoteChanges)
    return try await retrying(options, round) {
      try await self.transfers.run { repository in
        let remote = round.counting(try openRemote(repository, remoteName))
        return try repository.noting { changes in
          round.note(changes)
          remoteChanges.send(changes)
        } during: {
          try body(repository, remote, remoteName)
        }
      }
    }
  }

  private func retrying<Value: Sendable>(
    _ options: SyncOptions, _ round: AppRound, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    var failures = 0
    while true {
      do { return try await body() } catch {
        failures += 1
        guard options.retries, (error as? RemoteError)?.isPassing == true,
          let pause = schedule.pause(afterFailure: failures)
        else { throw error }
        say("\(SyncError(error)); again in \(pause) ms")
        round.noteRetry()
        try await clock.sleep(pause)
      }
    }
  }

  // MARK: - Handlers

  /// How long a merge handler may take, in milliseconds.
  private static let handlerLimit: Int64 = 30_000
  /// How often a case is handled anew because the record changed meanwhile.
  private static let handlerAttempts = 3

  /// Nobody holds a lock while a handler runs; one that throws or takes too long settles nothing.
  private func runHandlers() async throws -> (settled: Int, warnings: [String]) {
    let conflictResolver = conflictResolver
    var (settled, warnings): (Int, [String]) = (0, [])
    var failed: Set<RecordName> = []
    for _ in 0..<Self.handlerAttempts {
      let cases = try await records.run { try $0.mergeCases(for: conflictResolver) }
      var isDone = true
      for item in cases where !failed.contains(item.name) {
        guard let merged = await merged(item) else {
          conflictResolver.note(.merge, isFailed: true)
          failed.insert(item.name)
          warnings.append(
            "\(SyncError.conflictResolutionFailed("\(item.local.recordType) '\(item.local.recordID)'"))")
          continue
        }
        let payload = merged.payload
        if let count = try await records.run({ try $0.settle(item, as: payload) }) {
          conflictResolver.note(.merge, isResolved: true)
          settled += count
        } else {
          isDone = false
        }
      }
      if isDone { break }
    }
    return (settled, warnings)
  }

  /// What a handler makes of a case; nil where it throws, or has not answered in time: a later answer is dropped.
  private func merged(_ item: MergeCase) async -> (any SyncableRecord)? {
    let (resolver, clock) = (conflictResolver, clock)
    return await firstToEnd {
      guard let merged = try? await resolver.merged(local: item.local, remote: item.remote, base: item.base),
        (try? item.check(merged)) != nil
      else { return nil }
      return merged
    } or: {
      try? await clock.sleep(Self.handlerLimit)
      return nil
    }
  }

  /// Does not wait for the other, as a task group would: a handler need not heed that it is cancelled.
  private nonisolated func firstToEnd(
    _ work: @escaping @Sendable () async -> (any SyncableRecord)?,
    or limit: @escaping @Sendable () async -> (any SyncableRecord)?
  ) async -> (any SyncableRecord)? {
    let (stream, continuation) = AsyncStream<(any SyncableRecord)?>.makeStream()
    let tasks = [work, limit].map { body in Task { continuation.yield(await body()) } }
    defer { for task in tasks { task.cancel() } }
    for await first in stream { return first }
    return nil
  }

  // MARK: - By itself

  /// How long what waits is left alone after the remote stayed away, in milliseconds.
  package static let restAfterFailure: Int64 = 300_000

  /// Sees to it that a sync runs as soon as a priority asks for.
  func requestSync(_ priority: SyncPriority) { requestSync(after: priority.delay) }

  private func requestSync(after delay: Int64) {
    guard remoteName != nil else { return }
    let due = clock.now() + delay
    if let nextSync, nextSync.due <= due { return }
    nextSync?.timer.cancel()
    let clock = clock
    let timer = Task { [weak self] in
      do { try await clock.sleep(delay) } catch { return }
      await self?.syncDue()
    }
    nextSync = (due, timer)
  }

  private func syncDue() async {
    if Task.isCancelled { return }
    nextSync = nil
    if case .failure = await sync(options: SyncOptions()) {
      requestSync(after: Self.restAfterFailure)
    }
  }
}
