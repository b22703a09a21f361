/// Codex CLI (import formats, "Codex CLI"): rollouts of one session each, plain or compressed.
final class CodexImporter: LogImporter {
  let name = "codex"
  let providers = ["codex", "openai"]
  let revision: Int64 = 1

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
    let inherited = rollout.parent.flatMap { totals(ofSession: $0, for: input) }
    let copied = rollout.copies(inherited: inherited)
    for request in rollout.requests(after: copied) { try input.add(request) }
    for reading in rollout.readings(after: copied) { try input.add(reading) }
  }

  /// The totals that a parent's own log shows; nil where it is gone, or cannot be read now.
  private func totals(ofSession session: String, for input: LogInput) -> Set<CodexTotals>? {
    guard let log = input.siblings.first(where: { $0 != input.log && $0.name.contains(session) })
    else { return nil }
    var rollout = CodexRollout(fileName: log.name)
    do {
      try input.forEachLine(ofSibling: log) { try rollout.read(&$0) }
    } catch {
      return nil
    }
    return rollout.totals
  }
}
