import CanonicalJSON
import ObjectStore
import RunicCore

/// Runs syncs with their hooks and tracked files, and says what those have to say.
struct SyncSession {
  let round: SyncRound

  init(_ repository: Repository, _ operation: SyncRound.Operation, _ output: Output) {
    self.init(repository, operation, output, onTrack: Self.once { TrackWords.tell($0, output) })
  }

  /// Files are looked at before and after: what is wrong with one is told once.
  static func once(_ tell: @escaping (TrackReport) -> Void) -> (TrackReport) -> Void {
    var told: Set<String> = []
    return { report in
      let problem = report.problem.map { "\(report.file.path) \(TrackWords.words($0))" }
      if problem.map({ told.insert($0).inserted }) ?? true { tell(report) }
    }
  }

  init(
    _ repository: Repository, _ operation: SyncRound.Operation, _ output: Output,
    onTrack: @escaping (TrackReport) -> Void
  ) {
    let isInHook = System.variable("RUNIC_HOOK") != nil
    let hooks = HookRunner(repository, programs: InterruptibleRunner(), isInHook: isInHook) { hook, line in
      output.note("\(hook.rawValue): \(line)")
    }
    round = SyncRound(
      repository, operation, hooks: hooks,
      failureText: { commandFailure(for: $0).naming(remote: $1).json["error"] ?? .null }, onTrack: onTrack,
      onHookFailure: { output.warning(hookFailure($0).message) })
  }

  func run(_ name: String, _ body: (any Remote) throws -> SyncOutcome) throws -> SyncOutcome {
    try round.run(name, body)
  }
}
