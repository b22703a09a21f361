import CanonicalJSON
import RunicCore

/// One event of `watch`: a line for people, an object for programs.
struct WatchWords {
  let event: WatchEvent
  /// Milliseconds since 1970.
  let time: Int64

  var line: String { "\(Timestamp.text(milliseconds: time / 1000 * 1000)) \(text)" }

  /// Whether it is told under `--quiet` too.
  var isBad: Bool {
    switch event {
    case .failed, .away: true
    case .tracked(let report): report.problem != nil
    case .synced(let outcome): !outcome.warnings.isEmpty
    default: false
    }
  }

  private var text: String {
    switch event {
    case .started(let remotes, let files):
      "watching \(remotes.isEmpty ? "no remote" : remotes.joined(separator: ", "))"
        + (files.isEmpty ? "" : " and \(counted(files.count, "tracked file"))")
    case .reread: "read the configuration again"
    case .woke(let pause): "awake again after \(counted(pause / 1000, "second"))"
    case .recorded: "something was recorded here"
    case .tracked(let report): tracked(report)
    case .collected(let outcome): CollectWords.summary(outcome, isDryRun: false)
    case .remoteChanged(let remote, let devices):
      "\(remote): changed by \(devices.joined(separator: ", "))"
    case .synced(let outcome): synced(outcome)
    case .away(let remote): "\(remote): cannot be reached; it is looked for again and again"
    case .back(let remote): "\(remote): can be reached again"
    case .failed(let remote, let error, let retry): failed(remote, error, retry)
    case .stopped: "stopped"
    }
  }

  private func tracked(_ report: TrackReport) -> String {
    let problem = report.problem.map { "'\(report.file.path)': \(TrackWords.words($0))" }
    return [TrackWords.words(report), problem].compactMap(\.self).joined(separator: "; ")
  }

  private func synced(_ outcome: SyncOutcome) -> String {
    var parts = [SyncCommands.fetched(outcome), SyncCommands.pushed(outcome)]
    if outcome.conflicts > 0 { parts.append("\(counted(outcome.conflicts, "conflict")) open") }
    parts += SyncReport.words(of: outcome.warnings) + SyncReport.lines(ofRest: outcome)
    return "\(outcome.remote): \(parts.joined(separator: ", "))"
  }

  private func failed(_ remote: String?, _ error: any Error, _ retry: Int64?) -> String {
    let again = retry.map { "; trying again in \(counted(($0 + 500) / 1000, "second"))" } ?? ""
    return "\(remote.map { "\($0): " } ?? "")\(commandFailure(for: error).message)\(again)"
  }

  // MARK: - For programs

  var json: JSONValue {
    var object: JSONObject = ["event": .text(name), "time": .time(time)]
    for (key, value) in details { object[key] = value }
    return .object(object)
  }

  private var name: String {
    switch event {
    case .started: "started"
    case .reread: "reread"
    case .woke: "woke"
    case .recorded: "recorded"
    case .tracked: "tracked"
    case .collected: "collected"
    case .remoteChanged: "remote-changed"
    case .synced: "synced"
    case .away: "away"
    case .back: "back"
    case .failed: "failed"
    case .stopped: "stopped"
    }
  }

  private var details: JSONObject {
    switch event {
    case .started(let remotes, let files): return ["files": .texts(files), "remotes": .texts(remotes)]
    case .woke(let pause): return ["seconds": .integer(pause / 1000)]
    case .tracked(let report): return TrackWords.json(report).objectValue ?? [:]
    case .collected(let outcome): return CollectWords.json(outcome, isDryRun: false).objectValue ?? [:]
    case .remoteChanged(let remote, let devices):
      return ["devices": .texts(devices), "remote": .text(remote)]
    case .synced(let outcome): return SyncReport.json(outcome).objectValue ?? [:]
    case .away(let remote), .back(let remote): return ["remote": .text(remote)]
    case .failed(let remote, let error, let retry):
      let failure = commandFailure(for: error)
      var json = (remote.map(failure.naming) ?? failure).json.objectValue ?? [:]
      json["remote"] = .text(remote)
      json["retry"] = retry.map { .integer(($0 + 500) / 1000) } ?? .null
      return json
    case .reread, .recorded, .stopped: return [:]
    }
  }
}
