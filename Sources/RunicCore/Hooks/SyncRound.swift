import CanonicalJSON
import ObjectStore
import Synchronization

/// One sync with one remote, and all that belongs around it: hooks, tracked files, history. Pulls, pushes, syncs
/// and `watch` go this way; nobody holds a lock while a hook runs.
public struct SyncRound {
  public enum Operation: String, Sendable { case pull, push, sync, watch }

  private let repository: Repository
  private let operation: Operation
  private let hooks: HookRunner
  private let failureText: (_ error: any Error, _ remote: String) -> JSONValue
  /// Is handed what became of each tracked file of which there is something to say.
  private let onTrack: (TrackReport) -> Void
  /// Is handed why a hook failed that stops nothing.
  private let onHookFailure: (HookFailure) -> Void
  /// Seconds from which on a round in which nothing moved is worth a note. A settled state writes nothing.
  private static let longIdle = 1.0

  /// - Parameter failureText: an error with a remote as `on-failure` gets it.
  public init(
    _ repository: Repository, _ operation: Operation, hooks: HookRunner,
    failureText: @escaping (_ error: any Error, _ remote: String) -> JSONValue,
    onTrack: @escaping (TrackReport) -> Void,
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
    let passage = try begin(name)
    do {
      try capture(passage)
      let setting = try repository.configuration.remote(name)
      let remote = try repository.remote(setting, onRetry: { passage.retried() })
      let outcome = try body(passage.counting(remote))
      try finish(passage, outcome)
      return outcome
    } catch {
      fail(passage, error)
      throw error
    }
  }

  // MARK: - Its steps, for whoever waits for something else between them

  /// A round that is under way.
  final class Passage: Sendable {
    fileprivate let name: String
    /// Ticks of the clock.
    fileprivate let begin: Int64
    fileprivate let count = TransferCount()
    /// The files that were said to be left alone.
    fileprivate let toldOf = Mutex<Set<String>>([])

    fileprivate init(name: String, begin: Int64) { (self.name, self.begin) = (name, begin) }

    func retried() { count.retried() }
    func counting(_ remote: any Remote) -> any Remote { CountingRemote(base: remote, count: count) }
  }

  /// - Throws: `RunicError.unknownRemote`, `.hookFailed` where `pre-sync` stops it. The round is over then.
  func begin(_ name: String) throws -> Passage {
    _ = try repository.configuration.remote(name)
    do throws(HookFailure) {
      try hooks.run(.preSync, remote: name, operation: operation.rawValue)
    } catch {
      throw RunicError.hookFailed(error)
    }
    return Passage(name: name, begin: repository.environment.clock.ticks())
  }

  func capture(_ passage: Passage) throws {
    let reports = try repository.captureTracked().filter { !$0.isQuiet }
    let left = reports.filter { $0.problem != nil }.map(\.file.path)
    passage.toldOf.withLock { $0.formUnion(left) }
    reports.forEach(onTrack)
  }

  func finish(_ passage: Passage, _ outcome: SyncOutcome) throws {
    // The merge has happened, whatever becomes of the files.
    defer { afterMerge(outcome) }
    let told = passage.toldOf.withLock { $0 }
    for report in try repository.writeTracked() {
      let isNews = report.problem != nil && !told.contains(report.file.path)
      if !report.written.isEmpty || isNews { onTrack(report) }
    }
    note(passage, outcome, failure: nil)
  }

  func fail(_ passage: Passage, _ error: any Error) {
    note(passage, nil, failure: error)
    afterFailure(error, passage.name)
  }

  private func note(_ passage: Passage, _ outcome: SyncOutcome?, failure: (any Error)?) {
    let clock = repository.environment.clock
    let (duration, sum) = (clock.seconds(since: passage.begin), passage.count.sum)
    let isIdle = sum.sent.files == 0 && sum.received.files == 0 && sum.retries == 0 && failure == nil
    if isIdle, duration < Self.longIdle { return }
    var sync = SyncHistory.Sync(
      time: clock.now(), remote: passage.name, operation: operation.rawValue, duration: duration)
    (sync.sent, sync.received, sync.retries) = (sum.sent, sum.received, sum.retries)
    sync.sent.changes = outcome?.pushedCount ?? 0
    sync.received.changes = outcome?.fetchedCount ?? 0
    sync.conflicts = outcome?.conflicts ?? 0
    sync.settled = outcome?.conflictsResolved ?? 0
    sync.failure = failure.map { failureText($0, passage.name)["code"]?.textValue ?? "failed" }
    repository.note(sync)
  }

  private func afterMerge(_ outcome: SyncOutcome) {
    guard !outcome.changedRecords.isEmpty, hooks.exists(.postMerge) else { return }
    do {
      runFreely(.postMerge, outcome.remote, try MergedRecords.json(outcome, in: repository))
    } catch {
      onHookFailure(
        hooks.notRun(.postMerge, message: failureText(error, outcome.remote)["message"]?.textValue ?? ""))
    }
  }

  private func afterFailure(_ error: any Error, _ remote: String) {
    runFreely(
      .onFailure, remote,
      [
        "error": failureText(error, remote), "operation": .string(JSONString(operation.rawValue)),
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

extension SyncOutcome {
  /// A push and the pull before it, as one.
  func after(_ pulled: SyncOutcome) -> SyncOutcome {
    var both = self
    both.fetchedCount += pulled.fetchedCount
    both.conflictsResolved += pulled.conflictsResolved
    both.pending = pulled.pending
    both.warnings = pulled.warnings + both.warnings
    both.foundDamage = both.foundDamage || pulled.foundDamage
    both.changedRecords = pulled.changedRecords + both.changedRecords
    both.changedCount += pulled.changedCount
    both.duration += pulled.duration
    return both
  }
}
