import CanonicalJSON
import ObjectStore
import RunicCore
import Testing
import TestSupport

/// A line of Claude Code's log: the usual one, with what a case changes.
struct ClaudeFixture {
  var type = "assistant"
  var id: String? = "m1"
  var request: String? = "r1"
  var session = "s1"
  var time = "2026-09-05T12:00:00.000Z"
  var model = "claude-opus-4-1"
  var usage =
    #"{"input_tokens":10,"output_tokens":20,"cache_read_input_tokens":30,"cache_creation_input_tokens":40}"#
  var more = ""

  var line: String {
    let id = id.map { #""id":"\#($0)","# } ?? ""
    let request = request.map { #""requestId":"\#($0)","# } ?? ""
    return
      #"{"parentUuid":null,"cwd":"/srv/code/secret","sessionId":"\#(session)","version":"1.x","message":{\#(id)"#
      + #""role":"assistant","model":"\#(model)","content":[{"type":"text","text":"a \"usage\" {answer"}],"#
      + #""usage":\#(usage)},\#(request)\#(more)"type":"\#(type)","uuid":"u","timestamp":"\#(time)"}"#
  }

  static func usage(_ input: Int, _ output: Int, _ more: String = "") -> String {
    #"{"input_tokens":\#(input),"output_tokens":\#(output)\#(more)}"#
  }
}

private func line(_ change: (inout ClaudeFixture) -> Void = { _ in }) -> String {
  var fixture = ClaudeFixture()
  change(&fixture)
  return fixture.line
}

private let log = ".claude/projects/-work-x/s1.jsonl"
private let one = "m1 claude-opus-4-1 10/20/30/40"

@Suite struct ImportClaudeTests {
  static let cases: [ImportCase] = [
    ImportCase("a line is a request, its four classes as they are", [log: lines(line())], [one]),
    ImportCase(
      "streaming lines: the greatest total stands, whichever comes last",
      [
        log: lines(
          line { $0.usage = ClaudeFixture.usage(10, 1) }, line(),
          line { $0.usage = ClaudeFixture.usage(10, 3) })
      ],
      [one]),
    ImportCase(
      "a replay under a new request id is the same request",
      [log: lines(line(), line { $0.request = "r2" })], [one]),
    ImportCase(
      "a sidechain's replay never beats the line that it repeats",
      [
        log: lines(
          line(),
          line {
            ($0.request, $0.usage, $0.more) = ("r2", ClaudeFixture.usage(900, 900), #""isSidechain":true,"#)
          })
      ],
      [one]),
    ImportCase(
      "sub-agents bill at every depth, also in flat files of old versions",
      [
        log: lines(line()),
        ".claude/projects/-work-x/s1/subagents/agent-1.jsonl": lines(
          line { ($0.id, $0.more) = ("m2", #""isSidechain":true,"agentId":"1","#) }),
        ".claude/projects/-work-x/s1/subagents/workflows/w/agent-2.jsonl": lines(line { $0.id = "m3" }),
        ".claude/projects/-work-x/agent-3.jsonl": lines(line { $0.id = "m4" }),
      ], ["m1", "m2", "m3", "m4"].map { "\($0) claude-opus-4-1 10/20/30/40" }),
    ImportCase(
      "a progress line echoes a sub-agent's message and is no request",
      [
        log: lines(
          #"{"type":"progress","sessionId":"s1","timestamp":"2026-09-05T12:00:00Z","data":{"message":\#(line())}}"#
        )
      ],
      []),
    ImportCase(
      "the usage of a tool's result is no request",
      [log: lines(line { ($0.type, $0.more) = ("user", #""toolUseResult":{"usage":{"input_tokens":5}},"#) })],
      []),
    ImportCase(
      "a session that was resumed or compacted into another file is counted once",
      [log: lines(line()), ".claude/projects/-work-x/s2.jsonl": lines(line(), line { $0.id = "m2" })],
      [one, "m2 claude-opus-4-1 10/20/30/40"]),
    ImportCase(
      "without a request id, a message id is told by session and time too",
      [
        log: lines(
          line { $0.request = nil }, line { $0.request = nil },
          line { ($0.request, $0.session) = (nil, "s2") },
          line { ($0.request, $0.time) = (nil, "2026-09-05T12:00:01Z") })
      ],
      [
        "m1/s1/2026-09-05T12:00:00.000Z claude-opus-4-1 10/20/30/40",
        "m1/s2/2026-09-05T12:00:00.000Z claude-opus-4-1 10/20/30/40",
        "m1/s1/2026-09-05T12:00:01Z claude-opus-4-1 10/20/30/40",
      ]),
    ImportCase(
      "an advisor's iterations are requests of their own, a message's repeat the line",
      [
        log: lines(
          line {
            $0.usage = ClaudeFixture.usage(
              10, 20,
              #","iterations":[{"type":"message","input_tokens":10,"output_tokens":20},{"type":"advisor_message","model":"claude-x","input_tokens":5,"output_tokens":6}]"#
            )
          })
      ], ["m1 claude-opus-4-1 10/20/0/0", "m1/advisor-0 claude-x 5/6/0/0"]),
    ImportCase(
      "what the service used to sum up the context is beside the line's numbers",
      [
        log: lines(
          line {
            $0.usage = ClaudeFixture.usage(
              10, 20,
              #","iterations":[{"type":"compaction","input_tokens":180,"output_tokens":3},{"type":"message","input_tokens":10,"output_tokens":20}]"#
            )
          })
      ], ["m1 claude-opus-4-1 10/20/0/0", "m1/compaction-0 claude-opus-4-1 180/3/0/0"]),
    ImportCase(
      "no depth of nesting ends the run",
      [
        log: lines(
          line {
            $0.id = "m2"
            $0.usage = ClaudeFixture.usage(
              1, 2,
              #","iterations":["# + String(repeating: #"{"iterations":["#, count: 20_000)
                + String(repeating: "]}", count: 20_000) + "]")
          }, line())
      ], ["m2 claude-opus-4-1 1/2/0/0", one]),
    ImportCase(
      "an iteration of an advisor's iteration is none",
      [
        log: lines(
          line {
            $0.usage = ClaudeFixture.usage(
              1, 2,
              #","iterations":[{"type":"advisor_message","model":"x","input_tokens":5,"output_tokens":6,"iterations":[{"type":"advisor_message","model":"y","input_tokens":7,"output_tokens":8}]}]"#
            )
          })
      ], ["m1 claude-opus-4-1 1/2/0/0", "m1/advisor-0 x 5/6/0/0"]),
    ImportCase(
      "a byte order mark before the first line is no part of it",
      [log: "\u{FEFF}" + lines(line(), "\u{FEFF}" + line { $0.id = "m2" })], [one]),
    ImportCase(
      "a missing total of cache writes is the sum of its parts",
      [
        log: lines(
          line {
            $0.usage = ClaudeFixture.usage(
              1, 2, #","cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4}"#)
          })
      ],
      ["m1 claude-opus-4-1 1/2/0/7"]),
    ImportCase(
      "null is nothing anywhere, spaces and odd fields do no harm",
      [
        log:
          #"{ "type" : "assistant", "version": null, "costUSD": null, "x": [1, {"y": null}], "timestamp" : "2026-09-05T12:00:00.123456789012Z","#
          + #" "requestId": "r1", "message": {"id": "m1", "model": "m", "stop_reason": null, "usage": {"input_tokens": 7, "output_tokens": null, "cache_creation": null, "service_tier": null, "iterations": null}}}"#
          + "\r\n"
      ], ["m1 m 7/0/0/0"]),
    ImportCase(
      "what the program says itself and errors of the service bill nothing, unless they have tokens",
      [
        log: lines(
          line { ($0.model, $0.usage) = ("<synthetic>", ClaudeFixture.usage(0, 0)) },
          line {
            ($0.id, $0.usage, $0.more) = ("m2", ClaudeFixture.usage(0, 0), #""isApiErrorMessage":true,"#)
          },
          line { ($0.id, $0.more) = ("m3", #""isApiErrorMessage":true,"#) })
      ], ["m3 claude-opus-4-1 10/20/30/40"]),
    ImportCase(
      "foreign lines are left out, lines after them are not",
      [
        log: lines(
          "", "null", "[]", "\"usage\"", #"{"usage":1}"#, #"{"type":"assistant","message":{"usage":7}}"#,
          line())
      ],
      [one]),
    ImportCase(
      "counts are 64 bits wide and negative ones are none",
      [log: lines(line { $0.usage = ClaudeFixture.usage(9_007_199_254_740_993, -5) })],
      ["m1 claude-opus-4-1 9007199254740993/0/0/0"]),
    ImportCase(
      "a model that nobody knows is kept as it is",
      [log: lines(line { $0.model = "my-\\u00fcber/model" })], ["m1 my-über/model 10/20/30/40"]),
    ImportCase(
      "both folders of today's versions are read",
      [log: lines(line()), ".config/claude/projects/-x/s.jsonl": lines(line { $0.id = "m2" })],
      [one, "m2 claude-opus-4-1 10/20/30/40"]),
  ]

  @Test(arguments: cases) func recordsRequests(_ row: ImportCase) throws {
    let bench = try row.run()
    #expect(try bench.collect().requests.new == 0)
  }

  @Test(arguments: [
    ("/c/one,/c/two/projects", ["m1", "m2"]), (" /c/one/ ", ["m1"]), ("/c/none", []),
  ]) func readsTheFoldersThatAreNamed(_ list: String, _ ids: [String]) throws {
    let bench = try ImportBench([
      "/c/one/projects/p/a.jsonl": lines(line()), "/c/two/projects/p/a.jsonl": lines(line { $0.id = "m2" }),
      // Beside the folder of logs lies what is none.
      "/c/one/todos/t.jsonl": lines(line { $0.id = "m4" }), log: lines(line { $0.id = "m3" }),
    ])
    bench.variables["CLAUDE_CONFIG_DIR"] = list
    try bench.collect()
    #expect(try bench.requests() == ids.map { "\($0) claude-opus-4-1 10/20/30/40" })
  }

  @Test(arguments: [("/c/set", ["m1", "m3"]), ("", ["m2", "m3"])])
  func readsTheFolderOfConfigurations(_ folder: String, _ ids: [String]) throws {
    let bench = try ImportBench([
      "/c/set/claude/projects/p/a.jsonl": lines(line()),
      ".config/claude/projects/p/a.jsonl": lines(line { $0.id = "m2" }), log: lines(line { $0.id = "m3" }),
    ])
    bench.variables["XDG_CONFIG_HOME"] = folder
    try bench.collect()
    #expect(try bench.requests() == ids.map { "\($0) claude-opus-4-1 10/20/30/40" })
  }

  @Test(arguments: [
    // The rest of the total is of five minutes.
    (
      #","cache_creation_input_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":30}"#,
      "100", "30"
    ),
    (#","cache_creation_input_tokens":100"#, "100", "-"),
    // A part is never more than the whole.
    (#","cache_creation_input_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":30}"#, "5", "5"),
  ]) func tellsCacheWritesOfAnHour(_ usage: String, _ whole: String, _ hour: String) throws {
    let bench = try ImportBench([log: lines(line { $0.usage = ClaudeFixture.usage(1, 1, usage) })])
    try bench.collect()
    #expect(try bench.value("cacheWriteTokens") == whole)
    #expect(try bench.value("cacheWrite1hTokens") == hour)
  }

  @Test(arguments: [
    (#""costUSD":0.25,"#, "0.25"), (#""costUSD":0,"#, "-"), ("", "-"), (#""costUSD":"1","#, "-"),
  ]) func keepsALoggedCostButNotZero(_ more: String, _ cost: String) throws {
    let bench = try ImportBench([log: lines(line { $0.more = more })])
    try bench.collect()
    #expect(try bench.value("costUSD") == cost)
  }

  /// A logged cost is that of the line's own request.
  @Test func anAdvisorsIterationHasNoLoggedCost() throws {
    let iterations =
      #","iterations":[{"type":"advisor_message","model":"x","input_tokens":5,"output_tokens":6}]"#
    let bench = try ImportBench([
      log: lines(
        line {
          $0.more = #""costUSD":0.25,"#
          $0.usage = ClaudeFixture.usage(1, 1, iterations)
        })
    ])
    try bench.collect()
    #expect(try bench.value("costUSD") == "- 0.25")
  }

  @Test func namesATierThatIsNotStandard() throws {
    let tiers = #","service_tier":"batch","speed":"fast""#
    let bench = try ImportBench([log: lines(line { $0.usage = ClaudeFixture.usage(1, 1, tiers) })])
    try bench.collect()
    #expect(try bench.value("serviceTier") == #""batch""#)
    #expect(try bench.value("speed") == #""fast""#)
    let standard = #","service_tier":"standard","speed":"standard""#
    let other = try ImportBench([log: lines(line { $0.usage = ClaudeFixture.usage(1, 1, standard) })])
    try other.collect()
    #expect(try other.value("serviceTier") == "-")
    #expect(try other.value("speed") == "-")
  }

  @Test func storesTheParentsSessionOfASubAgent() throws {
    let bench = try ImportBench([
      ".claude/projects/x/s1/subagents/agent-9.jsonl": lines(line { $0.more = #""isSidechain":true,"# })
    ])
    try bench.collect()
    #expect(try bench.value("sessionID") == #""s1""#)
    #expect(try bench.value("tool") == #""claude-code""#)
    #expect(try bench.value("providerID") == #""anthropic""#)
  }

  @Test func countsLinesThatItCannotRead() throws {
    let bench = try ImportBench([
      log: lines(line { $0.time = "yesterday" }, String(line().dropLast(3)), line { $0.id = "m2" })
        + line().dropLast(20)
    ])
    let outcome = try bench.collect()
    #expect(try bench.requests() == ["m2 claude-opus-4-1 10/20/30/40"])
    #expect(outcome.skipped.mapValues(\.count) == [.noTime: 1, .brokenLine: 1, .unfinishedLine: 1])
  }

  /// A count that is none is not taken for 0, which would be billed as nothing.
  @Test(arguments: ["10000000000000000000", "1.5", #""12""#, "true", "[]", "1e99"])
  func namesALineWhoseTokensItCannotRead(_ count: String) throws {
    let bench = try ImportBench([
      log: lines(
        line { $0.usage = #"{"input_tokens":\#(count),"output_tokens":7}"# },
        line { ($0.id, $0.usage) = ("m2", #"{"input_tokens":10,"output_tokens":1e2}"#) })
    ])
    let outcome = try bench.collect()
    #expect(outcome.skipped.values.map(\.count) == [1])
    #expect(try bench.requests() == ["m2 claude-opus-4-1 10/100/0/0"])
  }

  /// Also of the lines that hold no request anyway: a log that is damaged is named as one.
  @Test func countsLinesThatAreNoJSON() throws {
    let broken = [
      "not json", "garbage", #"{"type":"user","message":{"content":"cut"#, "\"open", "[1", "\u{0}\u{0}",
    ]
    let fine = ["", "  \r", "null", " 12.5e3 ", "\"text\"", "[]", #" {"type":"summary"} "#]
    let bench = try ImportBench([
      log: lines(line { $0.id = "m1" }) + (broken + fine).map { $0 + "\n" }.joined()
    ])
    let outcome = try bench.collect()
    #expect(outcome.skipped.mapValues(\.count) == [.brokenLine: broken.count])
    #expect(try bench.requests() == [one])
  }
}
