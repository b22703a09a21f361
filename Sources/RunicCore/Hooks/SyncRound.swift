import CanonicalJSON
import ObjectStore

/// One sync with one remote, and all that belongs around it: hooks, tracked files, history. Pulls, pushes, syncs
/// and `watch` go this way; nobody holds a lock while a hook runs.
public struct SyncRound {
  public enum Operation: String, Sendable { case pull, push, sync, watch }

  private let repository: Repository
  private let operation: Operation
  private let hooks: HookRunner
  private let failureText: (any Error) -> JSONValue
  /// Is handed what became of each tracked file of which there is something to say.
  private let onTrack: (TrackReport) -> Void
  /// Is handed why a hook failed that stops nothing.
  private let onHookFailure: (HookFailure) -> Void
  /// Milliseconds from which on a round in which nothing moved is worth a note. A settled state writes nothing.
  private static let longIdle: Int64 = 1000

  /// - Parameter failureText: an error as `on-failure` gets it.
  public init(
    _ repository: Repository, _ operation: Operation, hooks: HookRunner,
    failureText: @escaping (any Error) -> JSONValue, onTrack: @escaping (TrackReport) -> Void,
    onHookFailure: @escaping (HookFailure) -> Void
  ) {
    self.repository = repository
    self.operation = operation
    self.hooks = hooks
    self.failureText = failureText
    self.onTrack = onTrack
    self.onHookFailure = onHookFailure
  }

  /// Runs `body` on a remote, between the hooks.
  ///
  /// - Throws: `RunicError.hookFailed` where `pre-sync` stops it, and what `body` throws.
  public func run(
    _ name: String, _ body: (any Remote) throws -> SyncOutcome
  ) throws -> SyncOutcome {
    let setting = try repository.configuration.remote(name)
    do throws(HookFailure) {
      try hooks.run(.preSync, remote: name, operation: operation.rawValue)
    } catch {
      throw RunicError.hookFailed(error)
    }
    let count = TransferCount()
    let begin = repository.environment.clock.now()
    do {
      try repository.captureTracked().filter { !$0.isQuiet }.forEach(onTrack)
      let remote = try repository.remote(setting, onRetry: { count.retried() })
      let outcome = try body(CountingRemote(base: remote, count: count))
      try repository.writeTracked().filter { !$0.written.isEmpty || $0.problem != nil }.forEach(onTrack)
      note(name, since: begin, count, outcome, failure: nil)
      afterMerge(outcome)
      return outcome
    } catch {
      note(name, since: begin, count, nil, failure: error)
      afterFailure(error, name)
      throw error
    }
  }

  private func note(
    _ name: String, since begin: Int64, _ count: TransferCount, _ outcome: SyncOutcome?,
    failure: (any Error)?
  ) {
    let now = repository.environment.clock.now()
    let sum = count.sum
    let isIdle = sum.sent.files == 0 && sum.received.files == 0 && sum.retries == 0 && failure == nil
    if isIdle, now &- begin < Self.longIdle { return }
    var sync = SyncHistory.Sync(
      time: now, remote: name, operation: operation.rawValue, duration: Double(now &- begin) / 1000)
    (sync.sent, sync.received, sync.retries) = (sum.sent, sum.received, sum.retries)
    sync.sent.changes = outcome?.pushedCount ?? 0
    sync.received.changes = outcome?.fetchedCount ?? 0
    sync.conflicts = outcome?.conflicts ?? 0
    sync.settled = outcome?.conflictsResolved ?? 0
    sync.failure = failure.map { failureText($0)["code"]?.textValue ?? "failed" }
    repository.note(sync)
  }

  private func afterMerge(_ outcome: SyncOutcome) {
    guard !outcome.changedRecords.isEmpty, hooks.exists(.postMerge) else { return }
    guard
      let input = try? MergedRecords.json(outcome.changedRecords, remote: outcome.remote, in: repository)
    else { return }
    runFreely(.postMerge, outcome.remote, input)
  }

  private func afterFailure(_ error: any Error, _ remote: String) {
    runFreely(
      .onFailure, remote,
      [
        "error": failureText(error), "operation": .string(JSONString(operation.rawValue)),
        "remote": .string(JSONString(remote)),
      ])
  }

  private func runFreely(_ hook: Hook, _ remote: String, _ input: JSONValue) {
    do throws(HookFailure) {
      try hooks.run(hook, remote: remote, operation: operation.rawValue, input: input)
    } catch {
      onHookFailure(error)
    }
  }
}

// MARK: - What a round does

extension Repository {
  /// A pull, then a push, as one outcome.
  public func sync(
    with remote: any Remote, named name: String, strategy: MergeStrategy? = nil, own: Bool = false
  ) throws -> SyncOutcome {
    let pulled = try pull(from: remote, named: name, strategy: strategy)
    var outcome = try push(to: remote, named: name, options: PushOptions(own: own))
    outcome.fetchedCount += pulled.fetchedCount
    outcome.conflictsResolved += pulled.conflictsResolved
    outcome.pending = pulled.pending
    outcome.warnings = pulled.warnings + outcome.warnings
    outcome.foundDamage = outcome.foundDamage || pulled.foundDamage
    outcome.changedRecords = pulled.changedRecords + outcome.changedRecords
    outcome.duration += pulled.duration
    return outcome
  }
}
