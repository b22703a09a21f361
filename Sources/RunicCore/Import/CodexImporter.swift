import ObjectStore

/// Codex CLI (`docs/import.md`, "Codex CLI"): rollouts of one session each, plain or compressed.
final class CodexImporter: LogImporter {
  let name = "codex"
  let providers = ["codex", "openai"]
  let revision: Int64 = 3

  func logs(in search: LogSearch) -> [LogFile] {
    guard let root = search.folder("CODEX_HOME", orHome: ".codex") else { return [] }
    return ["sessions", "archived_sessions"].flatMap { folder in
      search.files(below: "\(root)/\(folder)") {
        $0.hasPrefix("rollout-") && ($0.hasSuffix(".jsonl") || $0.hasSuffix(".jsonl.zst"))
      }.map { LogFile($0, $0.hasSuffix(".zst") ? .zstandard : .plain) }
    }
  }

  func recognizes(_ file: NamedLog) -> Bool {
    file.isZstandard || file.mentions("\"session_meta\"", "\"turn_context\"", "\"token_count\"")
  }

  func read(_ input: LogInput) throws {
    var rollout = CodexRollout(fileName: input.log.name)
    try input.forEachLine { try rollout.read(&$0) }
    for _ in 0..<rollout.timeless { input.skip(.noTime) }
    let copied = rollout.copies(try inherited(by: rollout, input))
    for request in rollout.requests(after: copied) { try input.add(request) }
    for reading in rollout.readings(after: copied, taken: input.lastReading) { try input.add(reading) }
  }

  /// What is known of the sessions whose history a fork may have copied.
  ///
  /// - Throws: `ImportSkip.unreadableParent` where the parent's log is there and cannot be read now. What of it
  ///   is copied could be counted twice then, and for ever. One that is damaged is as good as gone.
  private func inherited(by fork: CodexRollout, _ input: LogInput) throws -> CodexInheritance {
    guard let parent = fork.parent, !fork.earlyTotals.isEmpty else { return .nothing }
    let logs = input.siblings.logs(withKey: parent) { String(CodexRollout.session(inName: $0.name)) }
      .filter { $0 != input.log }
    var awaited: LogFile?
    for log in logs {
      switch try read(log, for: input) {
      case .whole(let totals): return .log(totals)
      case .damaged: continue
      case .kept: awaited = awaited ?? log
      }
    }
    if let awaited { throw ImportSkipError(skip: .unreadableParent, parent: awaited.path) }
    return .records(try recordedTotals(of: fork, input))
  }

  /// What became of reading a parent's log.
  private enum ParentLog {
    /// The totals that it shows.
    case whole(Set<CodexTotals>)
    /// No later run will read it either.
    case damaged
    /// Something that can pass keeps it from being read.
    case kept
  }

  private func read(_ log: LogFile, for input: LogInput) throws -> ParentLog {
    var rollout = CodexRollout(fileName: log.name)
    do {
      try input.forEachLine(ofSibling: log) { try rollout.read(&$0) }
    } catch let error as ImportSkipError {
      return error.skip.canPass ? .kept : .damaged
    } catch is SystemError {
      return .kept
    }
    return .whole(rollout.totals)
  }

  /// The totals at a fork's beginning with which a request of a session before it is recorded.
  private func recordedTotals(of fork: CodexRollout, _ input: LogInput) throws -> Set<CodexTotals> {
    let wanted = fork.earlyTotals.flatMap { total in
      fork.ancestors.map { (total: total, id: CodexRollout.requestID($0, total)) }
    }
    let recorded = try input.recorded(wanted.map(\.id), of: CodexRollout.provider)
    return Set(wanted.filter { recorded.contains($0.id) }.map(\.total))
  }
}
