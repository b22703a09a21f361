import CanonicalJSON
import ObjectStore
import RunicCore
import Testing
import TestSupport

private func meta(_ id: String, at time: String = "12:00:00", _ more: String = "") -> String {
  #"{"timestamp":"2026-09-05T\#(time).000Z","type":"session_meta","payload":{"id":"\#(id)","cwd":"/srv/code/secret"\#(more)}}"#
}

private func turn(_ model: String) -> String {
  #"{"timestamp":"2026-09-05T12:00:01Z","type":"turn_context","payload":{"model":"\#(model)","cwd":"/w"}}"#
}

/// Totals and what the last request used, each as input, cached, output and reasoning tokens.
private func count(_ time: String, _ total: [Int], _ last: [Int]?) -> String {
  let used = last.map(usage) ?? "null"
  return #"{"timestamp":"2026-09-05T\#(time)Z","type":"event_msg","payload":{"type":"token_count","info":"#
    + #"{"total_token_usage":\#(usage(total)),"last_token_usage":\#(used),"model_context_window":1},"rate_limits":null}}"#
}

private func usage(_ counts: [Int]) -> String {
  #"{"input_tokens":\#(counts[0]),"cached_input_tokens":\#(counts[1]),"output_tokens":\#(counts[2]),"#
    + #""reasoning_output_tokens":\#(counts[3]),"total_tokens":\#(counts[0] + counts[2])}"#
}

private let folder = ".codex/sessions/2026/09/05"
private let log = "\(folder)/rollout-2026-09-05T12-00-00-s1.jsonl"
private let fork = "\(folder)/rollout-2026-09-05T13-00-00-s2.jsonl"
private let prompt =
  #"{"timestamp":"2026-09-05T12:00:01Z","type":"response_item","payload":{"type":"message","content":"secret"}}"#

/// A parent with two requests, of 110 and 220 tokens.
private let parentLines = [
  meta("s1"), turn("gpt-5"), count("12:00:10", [100, 40, 10, 5], [100, 40, 10, 5]),
  count("12:00:20", [300, 140, 30, 9], [200, 100, 20, 4]),
]
private let parent = lines(parentLines[0], parentLines[1], parentLines[2], parentLines[3])
private let parentRequests = ["s1/100.40.10.5 gpt-5 60/10/40/0", "s1/300.140.30.9 gpt-5 100/20/100/0"]
private let forked = #","forked_from_id":"s1""#

private func settings(_ model: String, _ tier: String) -> String {
  #"{"timestamp":"2026-09-05T12:00:02Z","type":"event_msg","payload":{"type":"thread_settings_applied","#
    + #""thread_settings":{"model":"\#(model)","service_tier":\#(tier)}}}"#
}

/// How a file begins that goes on with a history of another file.
private let based =
  #","history_mode":"paginated","history_base":{"thread_id":"r1","end_ordinal_exclusive":9}"#
private let uuid = "019a0000-0000-7000-8000-000000000001"

@Suite struct ImportCodexTests {
  static let cases: [ImportCase] = [
    ImportCase(
      "cached tokens are taken out of the input, reasoning stays in the output", [log: parent], parentRequests
    ),
    ImportCase(
      "an event that is shown again adds nothing",
      [
        log: lines(
          parentLines[0], parentLines[1], parentLines[2], parentLines[2], parentLines[3], parentLines[2])
      ],
      parentRequests),
    ImportCase(
      "where the last request is not what was added, the difference of totals is",
      [
        log: lines(
          meta("s1"), turn("m"), count("12:00:10", [100, 0, 10, 0], [100, 0, 10, 0]),
          count("12:00:20", [900, 300, 90, 0], [50, 0, 5, 0]))
      ],
      ["s1/100.0.10.0 m 100/10/0/0", "s1/900.300.90.0 m 500/80/300/0"]),
    ImportCase(
      "events that do not name the last request add the difference",
      [
        log: lines(
          meta("s1"), turn("m"), count("12:00:10", [100, 0, 10, 0], nil),
          count("12:00:20", [150, 0, 20, 0], nil))
      ],
      ["s1/100.0.10.0 m 100/10/0/0", "s1/150.0.20.0 m 50/10/0/0"]),
    ImportCase(
      "a total that fell back adds nothing",
      [
        log: lines(
          meta("s1"), turn("m"), count("12:00:10", [100, 0, 10, 0], nil),
          count("12:00:20", [50, 0, 5, 0], nil))
      ],
      ["s1/100.0.10.0 m 100/10/0/0"]),
    ImportCase(
      "two interleaved counters never inflate the sum",
      [
        log: lines(
          meta("s1"), turn("m"), count("12:00:10", [1000, 0, 0, 0], [1000, 0, 0, 0]),
          count("12:00:11", [9000, 0, 0, 0], [200, 0, 0, 0]),
          count("12:00:12", [1100, 0, 0, 0], [100, 0, 0, 0]),
          count("12:00:13", [9300, 0, 0, 0], [300, 0, 0, 0]),
          count("12:00:14", [1150, 0, 0, 0], [50, 0, 0, 0]))
      ],
      [
        "s1/1000.0.0.0 m 1000/0/0/0", "s1/9000.0.0.0 m 200/0/0/0", "s1/1100.0.0.0 m 100/0/0/0",
        "s1/9300.0.0.0 m 300/0/0/0", "s1/1150.0.0.0 m 50/0/0/0",
      ]),
    ImportCase(
      "a fork's copy of its parent is not counted again, what came after it is",
      [
        log: parent,
        fork: lines(
          meta("s2", at: "13:00:00", forked), meta("s1", at: "13:00:00"), turn("gpt-5"),
          count("13:00:00", [100, 40, 10, 5], [100, 40, 10, 5]),
          count("13:00:00", [300, 140, 30, 9], [200, 100, 20, 4]),
          count("13:00:30", [350, 140, 40, 9], [50, 0, 10, 0])),
      ], parentRequests + ["s2/350.140.40.9 gpt-5 50/10/0/0"]),
    ImportCase(
      "a fork whose parent's log is gone is told by its second introduction and its one second",
      [
        fork: lines(
          meta("s2", at: "13:00:00", forked), meta("s1", at: "13:00:00"), turn("gpt-5"),
          count("13:00:00", [100, 40, 10, 5], [100, 40, 10, 5]),
          count("13:00:30", [150, 40, 20, 5], [50, 0, 10, 0]))
      ], ["s2/150.40.20.5 gpt-5 50/10/0/0"]),
    ImportCase(
      "a fork whose counters start from zero keeps all its own",
      [
        log: parent,
        fork: lines(
          meta("s2", at: "13:00:00", forked), turn("gpt-5"),
          count("13:00:01", [70, 0, 7, 0], [70, 0, 7, 0]),
          count("13:00:20", [100, 40, 10, 5], [30, 40, 3, 5])),
      ], parentRequests + ["s2/70.0.7.0 gpt-5 70/7/0/0", "s2/100.40.10.5 gpt-5 0/3/30/0"]),
    ImportCase(
      "a total that the parent had too, reached by itself later on, is the fork's own",
      [
        log: parent,
        fork: lines(
          meta("s2", at: "13:00:00", forked), turn("gpt-5"),
          count("13:00:20", [100, 40, 10, 5], [100, 40, 10, 5])),
      ], parentRequests + ["s2/100.40.10.5 gpt-5 60/10/40/0"]),
    ImportCase(
      "a fork whose parent's log is gone, and that copied no introduction, keeps what it did at once",
      [
        fork: lines(
          meta("s2", at: "13:00:00", forked), turn("m"), count("13:00:01", [50, 0, 10, 0], [50, 0, 10, 0]))
      ], ["s2/50.0.10.0 m 50/10/0/0"]),
    ImportCase(
      "a fork that goes on with its parent's totals without a copy adds its own requests alone",
      [
        fork: lines(
          meta("s2", at: "13:00:00", #","source":{"subagent":{"thread_spawn":{"parent_thread_id":"s1"}}}"#),
          turn("m"), count("13:00:30", [1_000_050, 0, 10, 0], [50, 0, 10, 0]),
          count("13:00:40", [1_000_060, 0, 12, 0], [10, 0, 2, 0]))
      ], ["s2/1000050.0.10.0 m 50/10/0/0", "s2/1000060.0.12.0 m 10/2/0/0"]),
    ImportCase(
      "a resumed session goes on in its first file",
      [
        log: parent
          + lines(
            meta("s1", at: "18:00:00"), turn("gpt-6"), count("18:00:10", [310, 140, 31, 9], [10, 0, 1, 0]))
      ],
      parentRequests + ["s1/310.140.31.9 gpt-6 10/1/0/0"]),
    ImportCase(
      "a session that goes on in a further file adds its own requests alone",
      [
        log: parent,
        "\(folder)/rollout-2026-09-06T09-00-00-s1_r2.jsonl": lines(
          meta("s1", at: "18:00:00", based), turn("gpt-5"),
          count("18:00:10", [300, 140, 30, 9], [200, 100, 20, 4]),
          count("18:00:20", [350, 140, 40, 9], [50, 0, 10, 0])),
        "\(folder)/rollout-2026-09-07T09-00-00-s1_r3.jsonl": lines(
          meta("s1", at: "19:00:00", based), turn("gpt-5"),
          count("19:00:10", [360, 140, 41, 9], [10, 0, 1, 0])),
      ],
      parentRequests + ["s1/350.140.40.9 gpt-5 50/10/0/0", "s1/360.140.41.9 gpt-5 10/1/0/0"]),
    ImportCase(
      "a further file is told by its name where it says nothing of another",
      [
        "\(folder)/rollout-2026-09-05T12-00-00-\(uuid)_r2.jsonl": lines(
          meta(uuid), turn("m"), count("12:00:10", [500, 0, 50, 0], [100, 0, 10, 0]))
      ], ["\(uuid)/500.0.50.0 m 100/10/0/0"]),
    ImportCase(
      "a file that goes on with no other begins at zero",
      [
        log: lines(
          meta("s1", #","history_mode":"paginated","history_base":null"#), turn("m"),
          count("12:00:10", [500, 0, 50, 0], [100, 0, 10, 0]))
      ], ["s1/500.0.50.0 m 500/50/0/0"]),
    ImportCase(
      "a fork's parent is found also where it goes on in further files",
      [
        "\(folder)/rollout-2026-09-05T12-00-00-\(uuid)_019a0000-0000-7000-8000-000000000002.jsonl": lines(
          meta(uuid, based), turn("gpt-5"), count("12:00:10", [100, 40, 10, 5], [100, 40, 10, 5])),
        fork: lines(
          meta("s2", at: "13:00:00", #","forked_from_id":"\#(uuid)""#), turn("gpt-5"),
          count("13:00:05", [100, 40, 10, 5], [100, 40, 10, 5]),
          count("13:00:30", [150, 40, 20, 5], [50, 0, 10, 0])),
      ], ["\(uuid)/100.40.10.5 gpt-5 60/10/40/0", "s2/150.40.20.5 gpt-5 50/10/0/0"]),
    ImportCase(
      "a counter that was set back goes on from there",
      [
        log: lines(
          meta("s1"), turn("m"), count("12:00:10", [1900, 0, 200, 0], [1900, 0, 200, 0]),
          count("12:00:20", [490, 0, 10, 0], [90, 0, 10, 0]),
          count("12:00:30", [640, 0, 20, 0], [150, 0, 10, 0]))
      ], ["s1/1900.0.200.0 m 1900/200/0/0", "s1/640.0.20.0 m 150/10/0/0"]),
    ImportCase(
      "a session that goes back to an earlier state goes on from there",
      [
        log: lines(
          parentLines[0], parentLines[1], parentLines[2], parentLines[3], parentLines[2],
          count("12:00:30", [150, 40, 15, 5], [50, 0, 5, 0]))
      ], parentRequests + ["s1/150.40.15.5 gpt-5 50/5/0/0"]),
    ImportCase(
      "tokens that were written to the cache are taken out of the input",
      [
        log: lines(
          meta("s1"), turn("m"),
          count("12:00:10", [1000, 200, 10, 0], [1000, 200, 10, 0]).replacing(
            #""cached_input_tokens":200"#, with: #""cached_input_tokens":200,"cache_write_input_tokens":300"#)
        )
      ], ["s1/1000.200.10.0 m 500/10/200/300"]),
    ImportCase(
      "no introduction and no turn: the session is in the file's name, the model unknown",
      [log: lines(count("12:00:10", [1, 0, 2, 0], [1, 0, 2, 0]))], ["s1/1.0.2.0 - 1/2/0/0"]),
    ImportCase(
      "null counters, other events and foreign lines add nothing",
      [
        log: lines(
          prompt, "{}", "[]", "x", #"{"type":"event_msg","payload":null,"timestamp":"2026-09-05T12:00:00Z"}"#,
          #"{"timestamp":"2026-09-05T12:00:00Z","type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":null}}"#
        )
      ], []),
    ImportCase(
      "the order of members does not matter",
      [
        log: lines(
          #"{"payload":{"info":{"last_token_usage":null,"total_token_usage":\#(usage([5, 0, 6, 0]))},"type":"token_count"},"type":"event_msg","timestamp":"2026-09-05T12:00:00Z"}"#
        )
      ], ["s1/5.0.6.0 - 5/6/0/0"]),
    ImportCase(
      "no depth of nesting in what a session says of its source ends the run",
      [
        log: lines(
          meta(
            "s1", at: "12:00:00",
            #","source":"# + String(repeating: #"{"subagent":"#, count: 100_000) + "1"
              + String(repeating: "}", count: 100_000)), count("12:00:10", [1, 0, 2, 0], nil))
      ], ["s1/1.0.2.0 - 1/2/0/0"]),
    ImportCase(
      "archived sessions are read",
      [".codex/archived_sessions/rollout-2026-09-05T12-00-00-s1.jsonl": parent], parentRequests),
    ImportCase(
      "archived sessions and a moved copy are one session",
      [".codex/archived_sessions/rollout-2026-09-05T12-00-00-s1.jsonl": parent, log: parent], parentRequests),
  ]

  @Test(arguments: cases) func recordsRequests(_ row: ImportCase) throws {
    let bench = try row.run()
    #expect(try bench.collect().requests.new == 0)
  }

  @Test func usesTheTimeOfTheEventItself() throws {
    let bench = try ImportBench([log: lines(meta("s1"), count("23:59:59.123", [1, 0, 2, 0], nil))])
    try bench.collect()
    #expect(try bench.value("occurredAt") == #""2026-09-05T23:59:59.123Z""#)
    #expect(try bench.value("tool") == #""codex""#)
    #expect(try bench.value("providerID") == #""openai""#)
    #expect(try bench.value("sessionID") == #""s1""#)
  }

  @Test func tellsTheModelAndTheTierThatWereChosenBetweenTurns() throws {
    let bench = try ImportBench([
      log: lines(
        meta("s1"), turn("m"), settings("m", #""default""#), count("12:00:10", [1, 0, 1, 0], [1, 0, 1, 0]),
        settings("n", #""priority""#), count("12:00:20", [3, 0, 1, 0], [2, 0, 0, 0]),
        settings("n", "null"), count("12:00:30", [6, 0, 1, 0], [3, 0, 0, 0]))
    ])
    try bench.collect()
    let told = try bench.payloads("request").map { request in
      "\(request["inputTokens"]?.intValue ?? -1) \(request["model"]?.textValue ?? "-")"
        + " \(request["serviceTier"]?.textValue ?? "-")"
    }
    #expect(told.sorted() == ["1 m -", "2 n priority", "3 n -"])
  }

  @Test func readsCompressedSessionsOnce() throws {
    let bench = try ImportBench([log + ".zst": "\u{28}", log: parent])
    bench.programs = FakePrograms(printed: [bench.absolute(log + ".zst"): parent])
    try bench.collect()
    #expect(try bench.requests() == parentRequests)
    let alone = try ImportBench([log + ".zst": "\u{28}"])
    alone.programs = FakePrograms(printed: [alone.absolute(log + ".zst"): parent])
    try alone.collect()
    #expect(try alone.requests() == parentRequests)
    let again = try alone.collect()
    #expect(again.unchangedFiles == 1)
  }

  @Test(arguments: [
    (FakePrograms(installed: []), ImportSkip.programMissing("zstd")),
    (FakePrograms(status: 1), ImportSkip.programFailed("zstd", status: 1)),
    (FakePrograms(hangs: true), ImportSkip.programTimedOut("zstd")),
  ]) func saysThatCompressedSessionsCannotBeRead(_ programs: FakePrograms, _ skip: ImportSkip) throws {
    let bench = try ImportBench([log + ".zst": "\u{28}", fork: lines(count("13:00:10", [1, 0, 2, 0], nil))])
    bench.programs = programs
    let outcome = try bench.collect()
    #expect(outcome.skipped.mapValues(\.count) == [skip: 1])
    #expect(try bench.requests() == ["s2/1.0.2.0 - 1/2/0/0"])
    // Once the program is there, the file is read.
    bench.programs = FakePrograms(printed: [bench.absolute(log + ".zst"): parent])
    #expect(try bench.collect().requests.new == 2)
  }

  @Test func takesQuotaReadingsWhenTheyChange() throws {
    func limits(_ time: String, _ primary: String, _ secondary: String) -> String {
      #"{"timestamp":"2026-09-05T\#(time)Z","type":"event_msg","payload":{"type":"token_count","info":null,"#
        + #""rate_limits":{"primary":\#(primary),"secondary":\#(secondary)}}}"#
    }
    // One that lies before the reading says nothing.
    let resets = Timestamp("2026-09-05T17:00:00Z")?.seconds ?? 0
    let week = #"{"used_percent":30,"window_minutes":10080,"resets_in_seconds":5.25}"#
    let bench = try ImportBench([
      log: lines(
        limits("12:00:00", #"{"used_percent":12.34,"window_minutes":300,"resets_at":1}"#, week),
        limits("12:00:05", #"{"used_percent":12.34,"window_minutes":300,"resets_at":1}"#, week),
        limits("12:00:09", #"{"used_percent":13.0,"window_minutes":300,"resets_at":\#(resets)}"#, "null"),
        limits("12:00:10", "null", "null"), limits("12:00:11", #"{"used_percent":-3}"#, "null"))
    ])
    let outcome = try bench.collect()
    #expect(outcome.readings.new == 2)
    let texts = try bench.payloads("usage").map {
      String(decoding: JSONValue.object($0).canonicalBytes, as: UTF8.self)
    }
    #expect(
      texts.sorted() == [
        #"{"primaryLimit":10000,"primaryResetsAt":"2026-09-05T17:00:00Z","primaryUsed":1300,"providerID":"codex","updatedAt":"2026-09-05T12:00:09Z"}"#,
        #"{"primaryLimit":10000,"primaryUsed":1234,"providerID":"codex","secondaryLimit":10000,"secondaryResetsAt":"2026-09-05T12:00:05Z","secondaryUsed":3000,"updatedAt":"2026-09-05T12:00:00Z"}"#,
      ])
    #expect(try bench.collect().readings.new == 0)
  }

  /// The limits of single models are told in events of their own.
  @Test func aLimitOfOneModelIsNoReadingOfTheAccount() throws {
    func limits(_ time: String, _ id: String, _ percent: Int) -> String {
      #"{"timestamp":"2026-09-05T\#(time)Z","type":"event_msg","payload":{"type":"token_count","info":null,"#
        + #""rate_limits":{"primary":{"used_percent":\#(percent)},"limit_id":\#(id)}}}"#
    }
    let bench = try ImportBench([
      log: lines(
        limits("12:00:00", "null", 95), limits("12:00:01", #""codex""#, 97),
        limits("12:00:02", #""codex_other""#, 2))
    ])
    try bench.collect()
    #expect(try bench.payloads("usage").compactMap { $0["primaryUsed"]?.intValue }.sorted() == [9500, 9700])
  }

  /// A window that stands where it stood is news all the same: of several sessions the newest reading is shown.
  @Test func takesTheLastReadingOfALogAlsoWhereNothingChanged() throws {
    func limits(_ time: String, _ percent: Int) -> String {
      #"{"timestamp":"2026-09-05T\#(time)Z","type":"event_msg","payload":{"type":"token_count","info":null,"#
        + #""rate_limits":{"primary":{"used_percent":\#(percent)}}}}"#
    }
    let bench = try ImportBench([
      log: lines(limits("12:00:00", 100), limits("18:00:00", 100), limits("22:50:00", 100)),
      fork: lines(limits("20:30:00", 12)),
    ])
    try bench.collect()
    let now = (Timestamp("2026-09-05T23:00:00Z")?.seconds ?? 0) * 1000
    let quotas = try bench.repository.read { try $0.quotas(now: now) }
    #expect(quotas.map(\.used) == [10_000])
    let times = try bench.payloads("usage").map { $0["updatedAt"]?.textValue ?? "" }
    #expect(times.sorted().map { $0.dropFirst(11).prefix(8) } == ["12:00:00", "20:30:00", "22:50:00"])
  }

  /// A log that is read after every turn does not give a reading for each.
  @Test func aLogThatGrowsGivesAReadingInTenMinutesWhereNothingChanged() throws {
    func limits(_ time: String, _ percent: Int) -> String {
      #"{"timestamp":"2026-09-05T\#(time)Z","type":"event_msg","payload":{"type":"token_count","info":null,"#
        + #""rate_limits":{"primary":{"used_percent":\#(percent)}}}}"# + "\n"
    }
    let bench = try ImportBench()
    var text = ""
    var found: [Int] = []
    for (time, percent) in [
      ("12:00:00", 50), ("12:02:00", 50), ("12:05:00", 50), ("12:10:00", 50), ("12:19:59", 50),
      ("12:20:00", 50),
      ("12:21:00", 51), ("12:30:00", 51), ("12:31:00", 51),
    ] {
      text += limits(time, percent)
      try bench.write(log, text)
      found.append(try bench.collect().readings.new)
    }
    #expect(found == [1, 0, 0, 1, 0, 1, 1, 0, 1])
  }

  @Test func aForksCopyOfReadingsIsNoNews() throws {
    func reading(_ time: String, _ percent: Int) -> String {
      #"{"timestamp":"2026-09-05T\#(time)Z","type":"event_msg","payload":{"type":"token_count","info":"#
        + #"{"total_token_usage":\#(usage([percent, 0, 1, 0]))},"rate_limits":{"primary":{"used_percent":\#(percent)}}}}"#
    }
    let bench = try ImportBench([
      log: lines(meta("s1"), reading("12:00:10", 10), reading("12:00:20", 20)),
      fork: lines(
        meta("s2", at: "13:00:00", forked), meta("s1", at: "13:00:00"), reading("13:00:00", 10),
        reading("13:00:00", 20), reading("13:00:30", 30)),
    ])
    try bench.collect()
    let times = try bench.payloads("usage").map { $0["updatedAt"]?.textValue ?? "" }
    #expect(times.sorted().map { $0.dropFirst(11).prefix(8) } == ["12:00:10", "12:00:20", "13:00:30"])
  }

  // MARK: - Forks whose parent cannot be asked

  /// A fork's lines: its introduction, copies of the parent's two events, and requests of its own.
  private static func forkLines(
    of parent: String = "s1", _ more: String = "", copiedAt copying: String = "13:00:00", _ own: String...
  ) -> String {
    lines(
      meta("s2", at: "13:00:00", #","forked_from_id":"\#(parent)""#) + more, turn("gpt-5"),
      count("13:00:00", [100, 40, 10, 5], [100, 40, 10, 5]),
      count(copying, [300, 140, 30, 9], [200, 100, 20, 4]),
      count("13:00:30", [350, 140, 40, 9], [50, 0, 10, 0])) + own.map { $0 + "\n" }.joined()
  }

  private static let laterEvent = count("13:00:40", [360, 140, 40, 9], [10, 0, 0, 0])
  private static let forkRequests = ["s2/350.140.40.9 gpt-5 50/10/0/0", "s2/360.140.40.9 gpt-5 10/0/0/0"]

  @Test(arguments: [("", "13:00:00"), ("", "13:00:03"), ("\n" + meta("s1", at: "13:00:00"), "13:00:03")])
  func aForksCopyIsToldByWhatIsRecordedWhereItsParentsLogIsGone(_ more: String, _ copying: String) throws {
    let bench = try ImportBench([log: parent, fork: Self.forkLines(more, copiedAt: copying)])
    try bench.collect()
    #expect(try bench.requests() == (parentRequests + Self.forkRequests.prefix(1)).sorted())
    try bench.fileSystem.remove(bench.absolute(log))
    try bench.write(fork, Self.forkLines(more, copiedAt: copying, Self.laterEvent))
    #expect(try bench.collect().requests == .init(new: 1, known: 1))
    #expect(try bench.requests() == (parentRequests + Self.forkRequests).sorted())
  }

  /// What another machine recorded of the parent is known too, and so is what the parent itself had copied.
  @Test func aForksCopyOfACopyIsToldByWhatIsRecorded() throws {
    let middle = "\(folder)/rollout-2026-09-05T12-30-00-s3.jsonl"
    let bench = try ImportBench([
      log: lines(parentLines[0], parentLines[1], parentLines[2]),
      middle: lines(
        meta("s3", at: "12:30:00", forked), turn("gpt-5"),
        count("12:30:00", [100, 40, 10, 5], [100, 40, 10, 5]),
        count("12:30:30", [300, 140, 30, 9], [200, 100, 20, 4])),
    ])
    try bench.collect()
    let recorded = try bench.requests()
    #expect(recorded == [parentRequests[0], "s3/300.140.30.9 gpt-5 100/20/100/0"])
    try bench.fileSystem.remove(bench.absolute(log))
    try bench.fileSystem.remove(bench.absolute(middle))
    try bench.write(fork, Self.forkLines(of: "s3"))
    #expect(try bench.collect().requests == .init(new: 1))
    #expect(try bench.requests() == (recorded + Self.forkRequests.prefix(1)).sorted())
  }

  @Test func aForkWaitsForAParentThatCannotBeRead() throws {
    let bench = try ImportBench([log: parent, fork: Self.forkLines()])
    try bench.collect()
    try bench.fileSystem.remove(bench.absolute(log))
    try bench.write(log + ".zst", "\u{28}")
    try bench.write(fork, Self.forkLines("", copiedAt: "13:00:00", Self.laterEvent))
    bench.programs = FakePrograms(installed: [])
    let outcome = try bench.collect()
    #expect(outcome.requests == .init())
    #expect(outcome.skipped.values.map(\.count) == [1, 1])
    bench.programs = FakePrograms(printed: [bench.absolute(log + ".zst"): parent])
    #expect(try bench.collect().requests == .init(new: 1, known: 3))
    #expect(try bench.requests() == (parentRequests + Self.forkRequests).sorted())
  }

  /// Nobody will ever read it: what is recorded of it must do.
  @Test func aForkOfADamagedParentIsCounted() throws {
    let bench = try ImportBench([log: parent, fork: Self.forkLines()])
    try bench.collect()
    try bench.fileSystem.remove(bench.absolute(log))
    try bench.write(log + ".zst", "\u{28}")
    try bench.write(fork, Self.forkLines("", copiedAt: "13:00:00", Self.laterEvent))
    bench.programs = FakePrograms(status: 1)
    let outcome = try bench.collect()
    #expect(outcome.requests == .init(new: 1, known: 1))
    #expect(outcome.skipped.mapValues(\.count) == [.programFailed("zstd", status: 1): 1])
    #expect(try bench.requests() == (parentRequests + Self.forkRequests).sorted())
    // It is read for good, also where it is named.
    #expect(try bench.collect().unchangedFiles == 1)
    #expect(try bench.collect { $0.files = [bench.absolute(fork)] }.requests == .init(known: 2))
  }

  /// A program that ends by a signal, or may not open the file, tells nothing of the log.
  @Test(arguments: [(137, nil), (1, 13)] as [(Int32, Int32?)])
  func aForkWaitsForAParentThatMayBeReadLater(_ status: Int32, _ refusal: Int32?) throws {
    let bench = try ImportBench([log + ".zst": "\u{28}", fork: Self.forkLines()])
    bench.programs = FakePrograms(status: status)
    let faulty = FaultyFileSystem(bench.fileSystem)
    // The fork is opened in between.
    if let refusal { faulty.setFault(.init(call: 3, code: refusal, only: [.open])) }
    let outcome = try bench.collect(through: faulty)
    #expect(outcome.requests == .init())
    let skip = try #require(outcome.skipped[.unreadableParent])
    #expect(skip.firstPath == bench.absolute(fork) && skip.firstParent == bench.absolute(log + ".zst"))
    bench.programs = FakePrograms(installed: [])
    do {
      try bench.collect { $0.files = [bench.absolute(fork)] }
      Issue.record("a fork that cannot be read was taken")
    } catch let error as UnreadableLog {
      #expect(error.skip == .unreadableParent && error.parent == bench.absolute(log + ".zst"))
    }
  }

  @Test func aForkThatCopiedNothingWaitsForNobody() throws {
    let bench = try ImportBench([
      log + ".zst": "\u{28}",
      fork: lines(
        meta("s2", at: "13:00:00", forked), turn("gpt-5"), count("13:00:20", [70, 0, 7, 0], [70, 0, 7, 0])),
    ])
    bench.programs = FakePrograms(installed: [])
    #expect(try bench.collect().requests == .init(new: 1))
  }

  // MARK: - Logs that grow

  /// What an event added may only show by what comes after it: however often a log is read while it grows, the sum
  /// is that of the log read once.
  @Test func aLogThatIsReadWhileItGrowsAddsUpToTheSame() throws {
    let events = [
      count("12:00:10", [1000, 0, 0, 0], [1000, 0, 0, 0]),
      count("12:00:20", [2000, 0, 0, 0], [1000, 0, 0, 0]),
      count("12:00:30", [5000, 0, 0, 0], [500, 0, 0, 0]),
      count("12:00:40", [3000, 0, 0, 0], [1000, 0, 0, 0]),
      count("12:00:50", [5500, 0, 0, 0], [500, 0, 0, 0]),
      count("12:01:00", [3100, 0, 0, 0], [100, 0, 0, 0]),
    ]
    let bench = try ImportBench()
    for length in events.indices {
      try bench.write(log, lines(meta("s1"), turn("m")) + events[...length].map { $0 + "\n" }.joined())
      try bench.collect()
    }
    let once = try ImportBench([log: lines(meta("s1"), turn("m")) + events.map { $0 + "\n" }.joined()])
    try once.collect()
    #expect(try once.total() == 4100)
    #expect(try bench.requests() == once.requests())
  }

  @Test func whatALogThatGrewHadBeforeIsNotStoredAgain() throws {
    let bench = try ImportBench([log: parent])
    try bench.collect()
    try bench.write(log, parent + lines(count("12:00:30", [310, 140, 31, 9], [10, 0, 1, 0])))
    #expect(try bench.collect().requests == .init(new: 1, known: 2))
  }

  @Test func anEventThatIsShownAgainKeepsItsFirstTime() throws {
    let event = { count($0, [100, 0, 10, 0], [100, 0, 10, 0]) }
    let bench = try ImportBench([log: lines(meta("s1"), event("12:00:10"), event("12:30:00"))])
    try bench.collect()
    #expect(try bench.value("occurredAt") == #""2026-09-05T12:00:10Z""#)
  }
}
