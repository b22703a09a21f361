import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Nothing that was said is ever in the store: every file of it is opened and searched for what the logs hold.
@Suite struct ImportSecrecyTests {
  /// In each log, wherever a tool writes text of people, models, files and folders.
  private static let words = ["SAID", "ANSWERED", "THOUGHT", "RAN", "PRINTED", "PATCHED"]
  private static let folder = "/srv/code/WORKEDHERE"

  private static let claude = lines(
    #"{"type":"summary","summary":"SAID","leafUuid":"u"}"#,
    #"{"type":"user","cwd":"\#(folder)","gitBranch":"SAID","sessionId":"s","message":{"role":"user","content":"SAID"},"toolUseResult":{"stdout":"PRINTED","structuredPatch":[{"lines":["PATCHED"]}],"usage":{"input_tokens":1}},"timestamp":"2026-09-05T12:00:00Z"}"#,
    #"{"type":"assistant","cwd":"\#(folder)","sessionId":"s","requestId":"r","timestamp":"2026-09-05T12:00:01Z","message":{"id":"m","role":"assistant","model":"claude-opus-4-8","content":[{"type":"thinking","thinking":"THOUGHT","signature":"SAID"},{"type":"text","text":"ANSWERED \"usage\":{"},{"type":"tool_use","name":"Bash","input":{"command":"RAN"}}],"usage":{"input_tokens":1,"output_tokens":2}}}"#
  )

  private static let codex = lines(
    #"{"timestamp":"2026-09-05T12:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"\#(folder)","instructions":"SAID","git":{"branch":"SAID"}}}"#,
    #"{"timestamp":"2026-09-05T12:00:00Z","type":"turn_context","payload":{"model":"gpt-5","cwd":"\#(folder)","user_instructions":"SAID"}}"#,
    #"{"timestamp":"2026-09-05T12:00:01Z","type":"response_item","payload":{"type":"function_call","arguments":"RAN"}}"#,
    #"{"timestamp":"2026-09-05T12:00:01Z","type":"event_msg","payload":{"type":"agent_reasoning","text":"THOUGHT"}}"#,
    #"{"timestamp":"2026-09-05T12:00:02Z","type":"event_msg","payload":{"type":"token_count","note":"ANSWERED","info":{"total_token_usage":{"input_tokens":3,"output_tokens":4}},"rate_limits":{"primary":{"used_percent":5.5,"window_minutes":300}}}}"#
  )

  private static let gemini = lines(
    #"{"sessionId":"g","projectHash":"0123","summary":"SAID"}"#,
    #"{"id":"a","type":"gemini","timestamp":"2026-09-05T12:00:00Z","model":"gemini-3","content":"ANSWERED","thoughts":[{"description":"THOUGHT"}],"toolCalls":[{"args":{"command":"RAN"},"result":"PRINTED"}],"tokens":{"input":5,"output":6,"total":11}}"#
  )

  private static let openCode =
    #"{"role":"assistant","providerID":"xai","modelID":"grok","path":{"cwd":"\#(folder)"},"summary":{"diffs":["PATCHED"]},"error":{"message":"SAID"},"time":{"created":1788609600000},"tokens":{"input":7,"output":8}}"#

  private static let ccusage =
    #"{"daily":[{"date":"2026-09-01","inputTokens":9,"outputTokens":10,"project":"\#(folder)","note":"SAID"}]}"#

  private func bench() throws -> ImportBench {
    let bench = try ImportBench([
      ".claude/projects/-srv-code-WORKEDHERE/s.jsonl": Self.claude,
      ".codex/sessions/2026/09/05/rollout-2026-09-05T12-00-00-s.jsonl": Self.codex,
      ".gemini/tmp/0123/chats/session-1.jsonl": Self.gemini,
      ".local/share/opencode/opencode.db": "SQLite format 3",
    ])
    var programs = FakePrograms()
    programs.printed[bench.absolute(".local/share/opencode/opencode.db")] = lines(Self.openCode)
    bench.programs = programs
    return bench
  }

  private func collect(_ bench: ImportBench, withProjects: Bool) throws {
    let all = try bench.collect { $0.withProjects = withProjects }
    #expect(all.requests == .init(new: 4))
    #expect(all.readings == .init(new: 1))
    #expect(all.skipped.isEmpty)
    let coarse = try bench.collect {
      ($0.withProjects, $0.standardInput) = (withProjects, Array(Self.ccusage.utf8))
    }
    #expect(coarse.requests == .init(new: 1))
  }

  /// What every file of the store holds, decrypted; a head's and an object's.
  private func opened(_ bench: ImportBench) throws -> String {
    let repository = bench.repository
    var names = try repository.store.headNames().map(TreeName.head)
    for device in try repository.store.devices() {
      names += try repository.store.objectNames(of: device).map { TreeName.object(device, $0) }
    }
    #expect(names.count > 1)
    return try names.map { name in
      String(decoding: try repository.content(ofFile: try #require(name.digest).hex), as: UTF8.self)
    }.joined()
  }

  @Test func nothingOfAPromptOrAnswerIsInTheDecryptedStore() throws {
    let bench = try bench()
    try collect(bench, withProjects: false)
    let store = try opened(bench)
    // It is searched where the numbers are.
    for there in ["claude-opus-4-8", "gpt-5", "gemini-3", "grok", "ccusage/daily"] {
      #expect(store.contains(there))
    }
    for word in Self.words + ["WORKEDHERE", "0123\""] { #expect(!store.contains(word), "\(word)") }
    // What is derived from it, and what waits on this device alone, holds no more.
    let root = bench.repository.layout.root
    for (path, bytes) in try bench.fileSystem.tree(root) where path != "imports" {
      let text = String(decoding: bytes, as: UTF8.self)
      for word in Self.words + ["WORKEDHERE"] { #expect(!text.contains(word), "\(path): \(word)") }
    }
  }

  @Test func aProjectIsThereOnlyWhereItWasAskedFor() throws {
    let bench = try bench()
    try collect(bench, withProjects: true)
    let store = try opened(bench)
    #expect(store.contains(#""project":"\#(Self.folder)""#))
    for word in Self.words { #expect(!store.contains(word), "\(word)") }
  }
}
