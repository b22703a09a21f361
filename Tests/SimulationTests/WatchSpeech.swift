import ObjectStore
import TestSupport

@testable import RunicCore

/// What a watcher says, and the laws of that: nothing twice in a row, and no failure that nothing explains.
final class WatchSpeech {
  private let clock: ManualClock
  /// How often a file was changed by its editor.
  private let changes: (String) -> Int
  private let note: (String) -> Void
  /// The first law that was broken.
  private(set) var broken: BrokenLaw?
  /// Whether the disk may be full or the process dead.
  var isInTrouble = false
  /// What was said since this was last emptied, but that it slept.
  var lines: [String] = []
  private(set) var hasSlept = false
  private(set) var hasReturned = false
  private var hasStarted = false
  private(set) var away: Set<String> = []
  /// Remotes whose last sync failed, and from when on the next may fail.
  private(set) var failing: [String: Int64] = [:]
  private var synced: [String: String] = [:]
  private var problems: [String: (said: String, changes: Int)] = [:]
  private var heardAt: Int64

  init(clock: ManualClock, changes: @escaping (String) -> Int, note: @escaping (String) -> Void) {
    self.clock = clock
    self.changes = changes
    self.note = note
    heardAt = clock.milliseconds
  }

  /// Whether nothing stands in the way of a remote.
  func isFine(_ remote: String) -> Bool { failing[remote] == nil && !away.contains(remote) }

  func hear(_ event: WatchEvent) {
    noteTime()
    let line = "\(WatchSpeech.words(event))"
    note(" says \(line)")
    if case .woke = event { hasSlept = true } else { lines.append(line) }
    switch event {
    case .started:
      demand(!hasStarted, "it started twice")
      hasStarted = true
    case .woke: failing = failing.mapValues { _ in .min }
    case .reread: problems = [:]
    case .away(let remote): demand(away.insert(remote).inserted, "\(remote) is away, as was said")
    case .back(let remote):
      demand(away.remove(remote) != nil, "\(remote) is back, and was never away")
      failing[remote] = nil
      hasReturned = true
    case .remoteChanged(let remote, let devices):
      demand(!devices.isEmpty, "\(remote) changed and shows nothing")
      failing[remote] = nil
    case .synced(let outcome): hear(outcome)
    case .failed(let remote, let error, let retry): hear(remote, error, retry)
    case .tracked(let report): hear(report)
    case .recorded, .collected, .stopped: break
    }
  }

  /// The clock was set back: what is waited for is as far off as it was.
  func noteTime() {
    let now = clock.milliseconds
    if now < heardAt { failing = failing.mapValues { $0 == .min ? $0 : $0 &+ (now &- heardAt) } }
    heardAt = now
  }

  private func hear(_ outcome: SyncOutcome) {
    failing[outcome.remote] = nil
    let found = "\(outcome.warnings) \(outcome.pending) \(outcome.conflicts)"
    let hasMoved = outcome.pushedCount + outcome.fetchedCount > 0
    demand(hasMoved || synced[outcome.remote] != found, "\(outcome.remote) has nothing new")
    synced[outcome.remote] = found
  }

  private func hear(_ remote: String?, _ error: any Error, _ retry: Int64?) {
    if isInTrouble {
      if let remote { failing[remote] = .min }
      return
    }
    demand(Self.isExplained(error), "\(remote ?? "it") failed: \(error)")
    guard let remote, let retry else { return }
    demand(retry >= WatchSchedule.firstPause / 2, "\(remote) is tried again after \(retry)")
    demand(failing[remote] ?? .min <= heardAt, "\(remote) was tried again too early")
    failing[remote] = heardAt &+ retry
  }

  /// A remote that is out of reach, a line that ended, a hook that said no: nothing else happens here.
  private static func isExplained(_ error: any Error) -> Bool {
    if let error = error as? RemoteError { return [.unreachable, .lostConnection].contains(error.reason) }
    if case .hookFailed? = error as? RunicError { return true }
    return false
  }

  private func hear(_ report: TrackReport) {
    let path = report.file.path
    guard let problem = report.problem else {
      problems[path] = nil
      return demand(!report.captured.isEmpty || !report.written.isEmpty, "\(path) is told of for nothing")
    }
    if case .system = problem { return demand(isInTrouble, "\(path): \(problem)") }
    let now = (said: "\(problem)", changes: changes(path))
    if let before = problems[path] {
      demand(before != now, "\(path): \(problem), as was said")
    }
    problems[path] = now
  }

  private func demand(_ holds: Bool, _ law: @autoclosure () -> String) {
    if !holds, broken == nil { broken = BrokenLaw("a watcher says: \(law())") }
  }

  private static func words(_ event: WatchEvent) -> String {
    switch event {
    case .tracked(let report):
      "\(report.file.path) taken \(report.captured.map(\.string)) written \(report.written.map(\.string))"
        + (report.problem.map { " \($0)" } ?? "")
    case .synced(let outcome): "synced \(outcome.remote) \(outcome.pushedCount) \(outcome.fetchedCount)"
    case .failed(let remote, let error, _): "failed \(remote ?? "here") \(error)"
    case .collected: "collected"
    default: "\(event)"
    }
  }
}
