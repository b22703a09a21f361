import CanonicalJSON
import ObjectStore
import RunicCore

extension CollectOutcome {
  /// What was left out, the most frequent first.
  var skippedByCount: [(skip: ImportSkip, count: ImportSkipCount)] {
    skipped.map { (skip: $0.key, count: $0.value) }.sorted {
      ($1.count.count, CollectWords.code($0.skip)) < ($0.count.count, CollectWords.code($1.skip))
    }
  }
}

/// What a collection found and left out, in words and as JSON.
enum CollectWords {
  /// The last line: `12 new requests, 3 updated, 40 known; read 5 of 300 logs; skipped 2 lines (no JSON)`.
  static func summary(_ outcome: CollectOutcome, isDryRun: Bool) -> String {
    let requests = outcome.requests
    var text = "\(isDryRun ? "would record " : "")\(counted(requests.new, "new request"))"
    if outcome.readings.new > 0 { text += " and \(counted(outcome.readings.new, "quota reading"))" }
    if requests.updated > 0 { text += ", \(requests.updated) updated" }
    text += ", \(requests.known + outcome.readings.known) known"
    text += "; read \(outcome.readFiles) of \(counted(outcome.readFiles + outcome.unchangedFiles, "log"))"
    let skipped = outcome.skippedByCount.map { Self.text($0.skip, $0.count) }
    return skipped.isEmpty ? text : text + "; skipped " + skipped.joined(separator: ", ")
  }

  static func text(_ skip: ImportSkip, _ count: ImportSkipCount) -> String {
    let unit = skip == .unfinishedAnswer ? "answer" : skip.concernsFile ? "file" : "line"
    return "\(counted(count.count, unit)) (\(reason(skip, count: count.count)))"
  }

  /// Why something was left out, as it follows what it is about.
  static func reason(_ skip: ImportSkip, count: Int) -> String {
    switch skip {
    case .brokenLine: "no JSON"
    case .unfinishedLine: "cut off, or still being written"
    case .overlongLine: "too long"
    case .noTime: "without a time"
    case .unknownTokenFields: "token fields of unknown names"
    case .unreadableTokens: "token counts that are none"
    case .unfinishedAnswer: "still being given"
    case .vanished: count == 1 ? "gone before it was read" : "gone before they were read"
    case .unreadable(let code): System.message(code)
    case .symbolicLink: count == 1 ? "a symbolic link" : "symbolic links"
    case .notAFile: "not a file"
    case .brokenDocument: "no JSON"
    case .oversized: "too large"
    case .unknownFormat: "of no known format"
    case .unreadableParent: "the session before cannot be read"
    case .programMissing(let program): "'\(program)' is not installed"
    case .programFailed(let program, let status): "'\(program)' ended with status \(status)"
    case .programTimedOut(let program): "'\(program)' \(ProgramError.timedOut.words)"
    }
  }

  /// Which log one goes on from, after the name of that one; empty where that does not matter.
  static func parent(_ path: String?) -> String { path.map { ", which goes on from '\($0)'" } ?? "" }

  static func hint(_ skip: ImportSkip) -> String? {
    switch skip {
    case .programMissing(let program): "install \(program) and run it again"
    case .unreadableParent: "make the session before readable (a .zst needs zstd) and run it again"
    case .unfinishedAnswer:
      "run it again when it is done; after six hours it is taken as it is"
    default: nil
    }
  }

  /// What helps with a file that the user named.
  static func hintOfNamed(_ skip: ImportSkip) -> String? {
    switch skip {
    case .symbolicLink: "name the file that it leads to"
    case .notAFile: "name a log, or the tool"
    case .unknownFormat, .brokenDocument:
      "a log of Claude Code, Codex CLI, Gemini CLI or OpenCode is taken, or what 'ccusage --json' printed"
    default: hint(skip)
    }
  }

  /// A word for programs.
  static func code(_ skip: ImportSkip) -> String {
    switch skip {
    case .brokenLine: "broken-line"
    case .unfinishedLine: "unfinished-line"
    case .overlongLine: "overlong-line"
    case .noTime: "no-time"
    case .unknownTokenFields: "unknown-token-fields"
    case .unreadableTokens: "unreadable-tokens"
    case .unfinishedAnswer: "unfinished-answer"
    case .vanished: "vanished"
    case .unreadable: "unreadable"
    case .symbolicLink: "symbolic-link"
    case .notAFile: "not-a-file"
    case .brokenDocument: "broken-document"
    case .oversized: "oversized"
    case .unknownFormat: "unknown-format"
    case .unreadableParent: "unreadable-parent"
    case .programMissing: "program-missing"
    case .programFailed: "program-failed"
    case .programTimedOut: "program-timed-out"
    }
  }

  static func json(_ outcome: CollectOutcome, isDryRun: Bool) -> JSONValue {
    func tally(_ tally: CollectOutcome.Tally) -> JSONValue {
      ["known": .count(tally.known), "new": .count(tally.new), "updated": .count(tally.updated)]
    }
    let all = [outcome.requests, outcome.readings]
    return [
      "bytesRead": .integer(outcome.bytes), "dryRun": .bool(isDryRun),
      "filesRead": .count(outcome.readFiles), "filesUnchanged": .count(outcome.unchangedFiles),
      "readings": tally(outcome.readings),
      "recordedCount": .count(isDryRun ? 0 : all.reduce(0) { $0 + $1.new + $1.updated }),
      "requests": tally(outcome.requests),
      "skipped": .array(
        outcome.skippedByCount.map {
          [
            "code": .text(code($0.skip)), "count": .count($0.count.count),
            "path": .text($0.count.firstPath), "reason": .text(reason($0.skip, count: $0.count.count)),
          ]
        }), "skippedCount": .count(outcome.skipped.values.reduce(0) { $0 + $1.count }),
      "unchangedCount": .count(all.reduce(0) { $0 + $1.known }),
    ]
  }
}
