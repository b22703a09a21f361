import CanonicalJSON
import ObjectStore
import RunicCore
import Testing
import TestSupport

// Gemini CLI, OpenCode and the output of ccusage.

private let chats = ".gemini/tmp/0123/chats"

private func gemini(_ id: String, _ tokens: String, type: String = "gemini") -> String {
  #"{"id":"\#(id)","timestamp":"2026-09-05T12:00:00.5Z","type":"\#(type)","content":"secret","model":"gemini-3","tokens":\#(tokens)}"#
}

private let tokens = #"{"input":100,"output":20,"cached":30,"thoughts":4,"tool":5,"total":129}"#

@Suite struct ImportGeminiTests {
  static let cases: [ImportCase] = [
    ImportCase(
      "where the total says so, input holds what was cached; tools add to input, thoughts to output",
      ["\(chats)/session-1.jsonl": lines(#"{"sessionId":"s","projectHash":"0123"}"#, gemini("a", tokens))],
      ["a gemini-3 75/24/30/0"]),
    ImportCase(
      "where the total says otherwise, cached tokens are beside the input",
      [
        "\(chats)/session-1.jsonl": lines(
          gemini("a", #"{"input":100,"output":20,"cached":30,"thoughts":4,"tool":5,"total":159}"#))
      ],
      ["a gemini-3 105/24/30/0"]),
    ImportCase(
      "a message that is written again is replaced, also by a smaller one",
      [
        "\(chats)/session-1.jsonl": lines(
          gemini("a", tokens), gemini("b", tokens), gemini("a", #"{"input":1,"output":2,"total":3}"#))
      ],
      ["a gemini-3 1/2/0/0", "b gemini-3 75/24/30/0"]),
    ImportCase(
      "what is rewound was spent all the same",
      ["\(chats)/session-1.jsonl": lines(gemini("a", tokens), #"{"$rewindTo":"a"}"#)],
      ["a gemini-3 75/24/30/0"]),
    ImportCase(
      "a document of an older version holds its messages",
      [
        "\(chats)/session-1.json":
          #"{"sessionId":"s","messages":[\#(gemini("u", "null", type: "user")), \#(gemini("a", tokens))]}"#
      ],
      ["a gemini-3 75/24/30/0"]),
    ImportCase(
      "of a document, a message whose tokens cannot be read does not take the others along, nor does a byte order mark",
      [
        "\(chats)/session-1.json":
          "\u{FEFF}"
          + #"{"messages":[\#(gemini("a", #"{"input":"12"}"#)), \#(gemini("b", tokens))],"sessionId":"s"}"#
      ],
      ["b gemini-3 75/24/30/0"]),
    ImportCase(
      "sub-agents lie one folder deeper",
      ["\(chats)/s/agent.jsonl": lines(gemini("a", tokens))], ["a gemini-3 75/24/30/0"]),
    ImportCase(
      "what people say, null tokens and foreign lines are no requests",
      [
        "\(chats)/session-1.jsonl": lines(
          gemini("u", tokens, type: "user"), gemini("n", "null"), #"{"$set":{"x":1}}"#, "[]")
      ], []),
  ]

  @Test(arguments: cases) func recordsRequests(_ row: ImportCase) throws {
    let bench = try row.run()
    #expect(try bench.collect().requests.new == 0)
  }

  /// The last of an id stands whether its forms are read at once or one by one.
  @Test func aMessageThatIsWrittenAgainBetweenTwoImportsIsReplacedToo() throws {
    let session = "\(chats)/session-1.jsonl"
    let (first, last) = (
      gemini("a", #"{"input":150,"total":150}"#), gemini("a", #"{"input":130,"total":130}"#)
    )
    let bench = try ImportBench([session: lines(first, gemini("b", tokens))])
    try bench.collect()
    try bench.write(session, lines(first, gemini("b", tokens), last))
    #expect(try bench.collect().requests == .init(updated: 1, known: 1))
    #expect(try bench.requests() == ["a gemini-3 130/0/0/0", "b gemini-3 75/24/30/0"])
    try bench.write(session, lines(first, gemini("b", tokens), last, last))
    #expect(try bench.collect().requests == .init(known: 2))
  }

  @Test func namesTheSession() throws {
    let bench = try ImportBench([
      "\(chats)/session-1.jsonl": lines(#"{"sessionId":"s"}"#, gemini("a", tokens))
    ])
    try bench.collect()
    #expect(try bench.value("sessionID") == #""s""#)
    #expect(try bench.value("reasoningTokens") == "4")
    #expect(try bench.value("tool") == #""gemini-cli""#)
    #expect(try bench.value("providerID") == #""gemini""#)
  }

  @Test func readsTheHomeThatIsNamed() throws {
    let bench = try ImportBench(["/g/.gemini/tmp/1/chats/session-1.jsonl": lines(gemini("a", tokens))])
    bench.variables["GEMINI_CLI_HOME"] = "/g"
    #expect(try bench.collect().requests.new == 1)
  }
}

private func openCode(
  role: String = "assistant", created: Int64 = 1_788_609_600_123, completed: String = "1", cost: String = "0",
  tokens: String = #"{"input":10,"output":20,"reasoning":5,"cache":{"read":30,"write":40}}"#
) -> String {
  #"{"role":"\#(role)","providerID":"anthropic","modelID":"claude-x","sessionID":"s","cost":\#(cost),"#
    + #""time":{"created":\#(created),"completed":\#(completed)},"path":{"cwd":"/srv/code/secret"},"tokens":\#(tokens)}"#
}

private let messages = ".local/share/opencode/storage/message"
private let first = "1788609600123/claude-x/10/25/5/30/40 claude-x 10/25/30/40"

@Suite struct ImportOpenCodeTests {
  static let cases: [ImportCase] = [
    ImportCase(
      "a message is a request, reasoning added to its output", ["\(messages)/s/m1.json": openCode()], [first]),
    ImportCase(
      "a fork's copies under new ids are the same requests",
      ["\(messages)/s/m1.json": openCode(), "\(messages)/s2/m9.json": openCode()], [first]),
    ImportCase(
      "another time is another request",
      ["\(messages)/s/m1.json": openCode(), "\(messages)/s/m2.json": openCode(created: 1_788_609_600_124)],
      [first, "1788609600124/claude-x/10/25/5/30/40 claude-x 10/25/30/40"]),
    ImportCase(
      "what people say, and answers without tokens, are no requests",
      [
        "\(messages)/s/m1.json": openCode(role: "user"),
        "\(messages)/s/m2.json": openCode(tokens: #"{"input":0}"#),
        "\(messages)/s/m3.json": openCode(tokens: "null"),
      ],
      []),
  ]

  @Test(arguments: cases) func recordsRequests(_ row: ImportCase) throws {
    let bench = try row.run()
    #expect(try bench.collect().requests.new == 0)
  }

  /// Its tokens are part of what tells it: taken too early, it would be counted again when it is done.
  @Test(arguments: ["null", "1790000000900"]) func anAnswerThatIsBeingGivenIsTakenWhenItIsDone(
    _ completed: String
  ) throws {
    let bench = try ImportBench()
    func write(_ output: Int, _ completed: String) throws {
      try bench.write(
        "\(messages)/s/m1.json",
        openCode(
          created: 1_790_000_000_000, completed: completed, tokens: #"{"input":100,"output":\#(output)}"#))
    }
    bench.bench.clock.milliseconds = 1_790_000_000_500
    try write(10, "null")
    for files in [[], [bench.absolute("\(messages)/s/m1.json")]] {
      let outcome = try bench.collect { $0.files = files }
      #expect(outcome.requests == .init())
      #expect(outcome.skipped.mapValues(\.count) == [.unfinishedAnswer: 1])
    }
    bench.bench.clock.milliseconds += 1000
    try write(200, completed)
    // One that is never done, for the program ended, is taken later.
    if completed == "null" { bench.bench.clock.milliseconds += 86_400_000 }
    #expect(try bench.collect().requests == .init(new: 1))
    #expect(try bench.requests() == ["1790000000000/claude-x/100/200/0/0/0 claude-x 100/200/0/0"])
  }

  @Test func readsTheDatabaseAndWhatWasThereBefore() throws {
    let bench = try ImportBench([
      ".local/share/opencode/opencode.db": "SQLite format 3", "\(messages)/s/m1.json": openCode(),
    ])
    let path = bench.absolute(".local/share/opencode/opencode.db")
    var programs = FakePrograms()
    bench.programs = programs
    programs.printed[path] = lines(openCode(), openCode(created: 1_788_609_700_000), "!")
    bench.programs = programs
    let outcome = try bench.collect()
    #expect(
      try bench.requests()
        == ["1788609700000/claude-x/10/25/5/30/40 claude-x 10/25/30/40", first].sorted())
    #expect(outcome.skipped.mapValues(\.count) == [.brokenLine: 1])
    #expect(try bench.value("providerID") == #""anthropic""#)
    #expect(try bench.value("costUSD") == "-")
    // What was written to the log beside the database is a change of it.
    #expect(try bench.collect().readFiles == 0)
    try bench.write(".local/share/opencode/opencode.db-wal", "x")
    #expect(try bench.collect().readFiles == 1)
  }

  @Test func saysThatTheDatabaseCannotBeRead() throws {
    let bench = try ImportBench([".local/share/opencode/opencode.db": "SQLite format 3"])
    bench.programs = FakePrograms(installed: [])
    #expect(try bench.collect().skipped.mapValues(\.count) == [.programMissing("sqlite3"): 1])
  }

  @Test(arguments: [("0.5", "0.5"), ("0", "-"), ("null", "-")])
  func keepsALoggedCostButNotZero(_ logged: String, _ cost: String) throws {
    let bench = try ImportBench(["\(messages)/s/m1.json": openCode(cost: logged)])
    try bench.collect()
    #expect(try bench.value("costUSD") == cost)
  }
}

private func row(_ more: String) -> String { #"{"date":"2026-09-05",\#(more)}"# }

private let daily =
  #""inputTokens":1,"outputTokens":2,"cacheCreationTokens":3,"cacheReadTokens":4,"totalTokens":10"#

@Suite struct ImportCCUsageTests {
  @Test(arguments: [
    // A row, whole or by model; which field holds the cost depends on the table.
    (
      #"{"daily":[\#(row(daily + #","totalCost":0.5"#))]}"#, ["ccusage/daily/2026-09-05//1/2/4/3 - 1/2/4/3"],
      "0.5"
    ),
    (
      #"{"weekly":[{"week":"2026-08-31",\#(daily),"cost":0.25}]}"#,
      ["ccusage/weekly/2026-08-31//1/2/4/3 - 1/2/4/3"], "0.25"
    ),
    (#"{"monthly":[{"month":"2026-09",\#(daily)}]}"#, ["ccusage/monthly/2026-09//1/2/4/3 - 1/2/4/3"], "-"),
    (
      #"{"sessions":[{"sessionId":"s","lastActivity":"2026-09-05",\#(daily)}]}"#,
      ["ccusage/sessions/s//1/2/4/3 - 1/2/4/3"], "-"
    ),
    (
      #"{"session":[{"sessionId":"s","lastActivity":"2026-09-05",\#(daily)}]}"#,
      ["ccusage/session/s//1/2/4/3 - 1/2/4/3"], "-"
    ),
    (
      #"{"blocks":[{"startTime":"2026-09-05T10:00:00Z","isGap":false,"costUSD":1.5,"tokenCounts":{"inputTokens":1,"outputTokens":2,"cacheCreationInputTokens":3,"cacheReadInputTokens":4}},{"startTime":"2026-09-05T15:00:00Z","isGap":true,"tokenCounts":{"inputTokens":0,"outputTokens":0}}]}"#,
      ["ccusage/blocks/2026-09-05T10:00:00Z//1/2/4/3 - 1/2/4/3"], "1.5"
    ),
    (
      #"{"daily":[\#(row(daily + #","modelBreakdowns":[{"modelName":"x","inputTokens":1,"outputTokens":2,"cacheReadTokens":4,"cacheCreationTokens":3,"cost":2}]"#))]}"#,
      ["ccusage/daily/2026-09-05/x/1/2/4/3 x 1/2/4/3"], "2"
    ),
    // The finest table is taken, for the coarser ones say the same again.
    (
      #"{"monthly":[{"month":"2026-09",\#(daily)}],"daily":[\#(row(daily))]}"#,
      ["ccusage/daily/2026-09-05//1/2/4/3 - 1/2/4/3"], "-"
    ),
  ]) func storesRows(_ text: String, _ requests: [String], _ cost: String) throws {
    let bench = try ImportBench(["out.json": text])
    for _ in 0..<2 { try bench.collect { $0.files = [bench.absolute("out.json")] } }
    #expect(try bench.requests() == requests)
    #expect(try bench.value("costUSD") == cost)
    let table = requests[0].split(separator: "/")[1]
    #expect(try bench.value("provenance") == "\"ccusage/\(table)\"")
  }

  @Test(arguments: [
    #""in":1,"outputTokens":2"#, #""inputTokens":1,"outputTokens":2,"extraTokens":3"#,
    #""inputTokens":null,"outputTokens":2"#,
    #""promptTokens":1,"completionTokens":2"#,
  ]) func refusesRowsWhoseTokensItCannotTell(_ fields: String) throws {
    let bench = try ImportBench(["out.json": #"{"daily":[\#(row(fields)),\#(row(daily))],"totals":{}}"#])
    let outcome = try bench.collect { $0.files = [bench.absolute("out.json")] }
    #expect(outcome.skipped.mapValues(\.count) == [.unknownTokenFields: 1])
    #expect(try bench.requests().count == 1)
  }

  @Test func namesADayByItsNoon() throws {
    let bench = try ImportBench(["out.json": #"{"daily":[\#(row(daily))]}"#])
    try bench.collect { $0.files = [bench.absolute("out.json")] }
    #expect(try bench.value("occurredAt") == #""2026-09-05T12:00:00Z""#)
    #expect(try bench.value("period") == #""2026-09-05""#)
  }
}
