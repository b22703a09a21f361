import CanonicalJSON
import ObjectStore
import Synchronization

/// One round of an app with its remote: the same as the command line makes, with the user's hooks, tracked files and
/// history. An app's handlers are waited for in the middle, so its steps go to the thread for transfers one by one.
final class AppRound: Sendable {
  private struct State {
    var passage: SyncRound.Passage?
    var deletedCount = 0
    var warnings: [String] = []
  }

  private let operation: SyncRound.Operation
  private let state = Mutex(State())

  init(_ operation: SyncRound.Operation) { self.operation = operation }

  /// Records that others deleted.
  var deletedCount: Int { state.withLock { $0.deletedCount } }
  /// What hooks and tracked files gave reason to.
  var warnings: [String] { state.withLock { $0.warnings } }

  func note(_ changes: RemoteChanges) {
    let deleted = changes.changes.count { $0.isDeleted }
    state.withLock { $0.deletedCount += deleted }
  }

  func noteRetry() { passage?.retried() }
  func counting(_ remote: any Remote) -> any Remote { passage?.counting(remote) ?? remote }

  private var passage: SyncRound.Passage? { state.withLock { $0.passage } }
  private func warn(_ text: String) { state.withLock { $0.warnings.append(text) } }
}

// MARK: - Its steps

extension AppRound {
  /// - Throws: `RunicError.hookFailed` where `pre-sync` stops it.
  func begin(_ remote: String, in repository: Repository) throws {
    // What is tracked, and for how long a hook may run, another process may have changed.
    try repository.rereadConfiguration()
    let begun = try round(repository).begin(remote)
    state.withLock { $0.passage = begun }
  }

  /// Before a pull applies anything.
  func capture(in repository: Repository) throws {
    if let passage { try round(repository).capture(passage) }
  }

  func finish(_ outcome: SyncOutcome, in repository: Repository) throws {
    if let passage { try round(repository).finish(passage, outcome) }
  }

  func fail(_ error: any Error, in repository: Repository) {
    if let passage { round(repository).fail(passage, error) }
  }

  /// Nobody is told what a hook prints: it may hold a payload. An app that runs no programs runs no hooks.
  private func round(_ repository: Repository) -> SyncRound {
    let runner = repository.environment.remotes?.runner
    let runsNone = runner == nil || ProcessEnvironment.value("RUNIC_HOOK") != nil
    let hooks = HookRunner(
      repository, programs: runner ?? SystemProgramRunner(), isInHook: runsNone, onMessage: { _, _ in })
    return SyncRound(
      repository, operation, hooks: hooks, failureText: { error, _ in SyncError(error).json }, onTrack: note,
      onHookFailure: { [self] in warn($0.words) })
  }

  private func note(_ report: TrackReport) {
    if report.problem != nil {
      warn("'\(report.file.path)' was left alone: 'runic track FILE' says why")
    } else if !report.waiting.isEmpty {
      warn(SyncWarning.waitingKeys(path: report.file.path, count: report.waiting.count).words)
    }
  }
}

extension FileSyncEngine {
  /// Does something with the remote as one round; without a remote there is nothing around it.
  func run(
    _ round: AppRound, _ body: () async throws -> SyncOutcome
  ) async throws -> SyncOutcome {
    guard let remoteName else { return try await body() }
    try await transfers.run { try round.begin(remoteName, in: $0) }
    do {
      try await transfers.run { try round.capture(in: $0) }
      let outcome = try await body()
      try await transfers.run { try round.finish(outcome, in: $0) }
      return outcome
    } catch {
      try? await transfers.run { round.fail(error, in: $0) }
      throw error
    }
  }
}
