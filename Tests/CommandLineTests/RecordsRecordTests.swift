import CanonicalJSON
import Testing

@testable import runic

@Suite struct RecordsRecordTests {
  // MARK: - usage

  @Test func aReadingIsFilledInAndListedAsItIs() throws {
    let fixture = try RecordsFixture()
    let line = "record usage --provider claude --used 512 --limit 1000 --cost 1.50 --account a@b.example"
    #expect(fixture.run(line).status == .done)
    let row = try #require(fixture.run("list usage --json").rows.first)
    let payload = try #require(row["payload"])
    #expect(payload["providerID"] == "claude")
    #expect(payload["primaryUsed"] == 512)
    #expect(payload["costUSD"] == 1.5)
    #expect(payload["deviceName"] == "laptop")
    #expect(payload["platform"]?.textValue?.isEmpty == false)
    #expect(payload["updatedAt"] == row["time"])
    #expect(row["kind"] == "usage")
    #expect(row["deviceName"] == "laptop")
    let names = ["device", "deviceName", "fingerprint", "id", "kind", "payload", "stamp", "time"]
    #expect(row.objectValue?.map(\.key.string) == names)
  }

  @Test func twoReadingsAreTwoRecordsAndOneAgainIsNone() throws {
    let fixture = try RecordsFixture()
    fixture.run("record usage --provider claude --used 1")
    fixture.run("record usage --provider claude --used 1")
    #expect(fixture.run("list usage --json").rows.count == 2)
    let again = "record usage --provider claude --used 1 --at 2026-09-01T12:00:00.123456789+02:00"
    fixture.run(again)
    let files = try fixture.storedFiles()
    #expect(fixture.run(again + " --json").object["recordedCount"] == 0)
    #expect(try fixture.storedFiles() == files)
    let first = try #require(fixture.run("list usage --json").rows.first)
    #expect(first["payload"]?["updatedAt"] == "2026-09-01T10:00:00.123456789Z")
  }

  @Test(arguments: [
    ("record usage --from claude --used 3", 2, "either"), ("record usage --from nothing", 1, "nothing"),
    ("record usage --provider claude", 2, "primaryUsed"),
    ("record usage --used 5", 2, "providerID"),
    ("record usage --provider c --used 1.5", 2, "integer"),
    ("record usage --provider c --used 9223372036854775808", 2, "integer"),
    ("record usage --provider c --used 1 --cost much", 2, "number"),
    ("record usage --provider c --used 1 --at soon", 2, "time"),
    ("record usage --provider c --used 1 --at 0000-06-01", 2, "time"),
    ("record usage --provider c --used 1 --at 200000w", 2, "time"),
    ("record usage --provider c --used 1 --at 9999-12-31T23:59:59-10:00", 2, "time"),
    ("record usage --provider c --used 1 --at 2026-09-01T12:00:00.1234567890Z", 2, "time"),
    ("record request --provider c --at 0000-06-01 requestID=r inputTokens=1", 2, "time"),
    ("record usage --provider c -", 2, "either"),
    ("record usage --provider= --used 1", 2, "'providerID' is empty"),
    ("record request --provider= a=1", 2, "'providerID' is empty"),
    ("record usage --provider c --used=-1", 2, "--used takes a number from 0 on"),
    (
      "record usage --provider c --used 1 --secondary-used=-1", 2, "--secondary-used takes a number from 0 on"
    ),
    ("record usage --provider c --used 1 --cost=-0.5", 2, "--cost takes a number from 0 on"),
    ("record usage --provider c --used 1 --limit 0", 2, "leave --limit out"),
    ("record alert --provider c --channel system,bogus", 2, "'bogus' is no channel"),
    ("record usage --skip-bad --provider c --used 1", 2, "lines"),
    ("record alert --provider c --warning 1.2", 2, "between 0 and 1"),
    ("record alert --warning 0.5", 2, "--provider"),
    ("record alert --provider c --warning 0.95 --critical 0.9", 2, "above the critical"),
    ("record alert --provider c --warning 0.95", 2, "above the critical"),
    ("record alert --provider c --enabled --disabled", 2, "exclude"),
    ("record preferences", 2, "KEY=VALUE"), ("record preferences theme", 2, "KEY=VALUE"),
    ("record preferences refreshInterval=0", 2, "1"), ("record preferences a=1 a=2", 2, "twice"),
    ("record preferences a=1 --unset a", 2, "both"), ("record preferences =1", 2, "KEY=VALUE"),
    ("record preferences a=1 --if 12", 2, "fingerprint"), ("record nothing a=1", 2, "unknown kind"),
    ("record prefrences a=1", 2, "did you mean"), ("record device a=1", 2, "unknown kind"),
    ("record kind x a=1", 2, "unknown kind"), ("record UsageSnapshot id1 primaryUsed=1", 2, "payload"),
    ("list usgae", 2, "usage"), ("get alert nobody", 1, "nobody"), ("delete alert nobody", 1, "nobody"),
    ("show alert nobody", 1, "nobody"), ("promote alert nobody", 1, "nobody"),
    ("retract usage 1234", 1, "1234"), ("revert alert x --to 1h", 1, "there is no alert"),
    ("delete usage 1234", 2, "history"), ("retract alert x", 2, "history"),
    ("resolve alert x --ours", 1, "conflict"), ("resolve alert x", 2, "one of"),
    ("get preferences --at zzzz", 1, "zzzz"), ("kind add x", 2, "one of"),
    ("kind add X --history", 2, "lower case"),
    ("kind add usage --per-key", 1, "exists"), ("log -n 0", 2, "--count"),
    ("import /nowhere/x", 1, "nowhere"),
  ])
  func whatIsWrongIsSaidWithItsStatus(_ line: String, _ status: Int32, _ words: String) throws {
    let fixture = try RecordsFixture()
    let files = try fixture.storedFiles()
    let run = fixture.run(line)
    #expect(run.status.rawValue == status, "\(line): \(run.err)")
    #expect(run.err.contains(words), "\(line): \(run.err)")
    #expect(run.out == "")
    #expect(try fixture.storedFiles() == files)
  }

  // MARK: - Values

  @Test(arguments: [
    ("count=600", #"{"count":600}"#), ("on=true", #"{"on":true}"#), ("l=[\"a\",1]", #"{"l":["a",1]}"#),
    ("s=\"600\"", #"{"s":"600"}"#), ("t=plain", #"{"t":"plain"}"#), ("e=", #"{"e":""}"#),
    ("x=a=b", #"{"x":"a=b"}"#), ("n=null", #"{"n":null}"#), ("f=1.0", #"{"f":1}"#),
    ("enabledProviders=claude,codex", #"{"enabledProviders":["claude","codex"]}"#),
    ("enabledProviders=[\"claude\"]", #"{"enabledProviders":["claude"]}"#),
    ("theme=600", #"{"theme":"600"}"#), ("autoRefreshEnabled=false", #"{"autoRefreshEnabled":false}"#),
    ("big=9007199254740993", #"{"big":9007199254740993}"#), ("o={\"b\":1,\"a\":2}", #"{"o":{"a":2,"b":1}}"#),
  ])
  func aValueIsReadAsItsFieldOrAsJSON(_ argument: String, _ payload: String) throws {
    let fixture = try RecordsFixture()
    fixture.run(["record", "preferences", argument])
    let row = fixture.run("get preferences --json").object
    #expect(row["payload"].map { String(decoding: $0.canonicalBytes, as: UTF8.self) } == payload)
    #expect(row["id"] == "user-preferences")
  }

  @Test func aBareValueIsPrintedWithoutQuotes() throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences theme=dark list=[1,2]")
    #expect(fixture.run("get preferences user-preferences theme").out == "dark\n")
    #expect(fixture.run("get preferences user-preferences list").out == "[1,2]\n")
    #expect(fixture.run("get preferences user-preferences theme --json").out == "\"dark\"\n")
    #expect(fixture.run("get preferences user-preferences nothing").status == .failed)
  }

  // MARK: - Patches

  @Test func aPatchSetsWhatItNamesAndRemovesOnlyWhatUnsetNames() throws {
    let fixture = try RecordsFixture()
    func payload() -> JSONValue? { fixture.run("get preferences --json").object["payload"] }
    fixture.run("record preferences a=1 b=2")
    fixture.run("record preferences b=3 c=4")
    #expect(payload() == ["a": 1, "b": 3, "c": 4])
    fixture.run("record preferences --unset a --unset nothing")
    #expect(payload() == ["b": 3, "c": 4])
    fixture.run("record preferences -", input: #"{"d":5}"# + "\n")
    #expect(payload() == ["b": 3, "c": 4, "d": 5])
    fixture.run("record preferences - --replace", input: #"{"d":5}"#)
    #expect(payload() == ["d": 5])
  }

  @Test func whatIsShownAlreadyStoresNothing() throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences a=1")
    fixture.run("record alert --provider claude --channel command,stdout --channel system --disabled")
    fixture.run("kind add note --per-key")
    let files = try fixture.storedFiles()
    for line in [
      "record preferences a=1.0", "record alert --provider claude --channel command,stdout,system",
      "record preferences --unset b", "kind add note --per-key",
    ] {
      #expect(fixture.run(line).status == .done)
      #expect(try fixture.storedFiles() == files, "\(line)")
    }
    let alert = fixture.run("get alert claude --json").object["payload"]
    #expect(alert?["notificationChannels"] == ["command", "stdout", "system"])
    #expect(alert?["enabled"] == false)
    #expect(alert?["providerID"] == "claude")
  }

  @Test func aFingerprintGuardsAnEdit() throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences a=1")
    let seen = try #require(fixture.run("get preferences --json").object["fingerprint"]?.textValue)
    #expect(fixture.run("record preferences a=2 --if \(seen)").status == .done)
    for line in ["record preferences a=3 --if \(seen)", "delete preferences user-preferences --if \(seen)"] {
      #expect(fixture.run(line).status == .failed)
    }
    #expect(fixture.run("record preferences - --if \(seen)", input: #"{"a":4}"#).status == .failed)
    #expect(fixture.run("get preferences user-preferences a").out == "2\n")
  }

  @Test func anIDThatItsFieldContradictsIsRefused() throws {
    let fixture = try RecordsFixture()
    fixture.run("kind add note --per-key --key name")
    fixture.run("kind add visit --history --key place")
    for line in [
      "record note one name=two x=1", "record note --id one name=two", "record visit one place=two",
    ] {
      let run = fixture.run(line)
      #expect(run.status == .usage, "\(line)")
      #expect(run.err.contains("the id is 'one'"), "\(line): \(run.err)")
    }
    #expect(fixture.run("list note --json").out + fixture.run("list visit --json").out == "")
    for line in [
      "record note one name=one x=1", "record visit 7 place=7 x=1", #"record visit 8 place="8" x=1"#,
    ] {
      #expect(fixture.run(line).status == .done, "\(line)")
    }
    let places = fixture.run("list visit --json").rows.map { $0["payload"]?["place"] }
    #expect(places == [7, "8"])
  }

  // MARK: - Lines

  @Test func linesOfAHistoryAreRecordedOnce() throws {
    let fixture = try RecordsFixture()
    let lines = (0..<50).map {
      #"{"primaryUsed":\#($0),"providerID":"claude","updatedAt":"2026-09-01T00:00:00Z"}"#
    }
    let text = lines.joined(separator: "\n")
    #expect(
      fixture.run("record usage - --json", input: text + "\n\n" + lines[0]).object["recordedCount"] == 50)
    let files = try fixture.storedFiles()
    let again = fixture.run("record usage - --json", input: text).object
    #expect(again["recordedCount"] == 0)
    #expect(again["unchangedCount"] == 50)
    #expect(try fixture.storedFiles() == files)
    #expect(fixture.run("list usage --json").rows.count == 50)
  }

  @Test(arguments: [
    ("usage", #"{"providerID":"c","primaryUsed":}"#, "byte 32"),
    ("usage", #"{"providerID":"c"}"#, "primaryUsed"), ("usage", "[1]", "byte 0"),
    ("usage", #"{"providerID":"c","primaryUsed":1,"updatedAt":"soon"}"#, "updatedAt"),
    ("usage", #"{"a":1,"a":2}"#, "duplicate key"),
    ("preferences", #"{"refreshInterval":"x"}"#, "refreshInterval"),
    ("alert", #"{"warningThreshold":0.5}"#, "providerID"),
    ("alert", #"{"providerID":"c","warningThreshold":0.95}"#, "above the critical"),
  ])
  func aBadLineRefusesTheWholeBatch(_ kind: String, _ bad: String, _ words: String) throws {
    let fixture = try RecordsFixture()
    let good: [String: [String]] = [
      "usage": [
        #"{"primaryUsed":1,"providerID":"c"}"#, #"{"primaryUsed":2,"providerID":"c"}"#,
      ], "preferences": [#"{"x":1}"#, #"{"y":1}"#],
      "alert": [#"{"providerID":"a"}"#, #"{"providerID":"b"}"#],
    ]
    let lines = try #require(good[kind])
    let input = [lines[0], bad, lines[1]].joined(separator: "\n")
    let files = try fixture.storedFiles()
    let run = fixture.run("record \(kind) -", input: input)
    #expect(run.status == .failed)
    #expect(run.err.contains("line 2"), "\(run.err)")
    #expect(run.err.contains(words), "\(run.err)")
    #expect(try fixture.storedFiles() == files)
    let rest = fixture.run("record \(kind) - --skip-bad --json", input: input)
    #expect(rest.status == .done)
    #expect(rest.object["recordedCount"] == 2)
    #expect(rest.object["skippedCount"] == 1)
    #expect(rest.object["skipped"]?.arrayValue?.first?["line"] == 2)
    #expect(fixture.run("log --json").rows.count <= 2)
  }

  @Test func skippingEveryLineStoresNothing() throws {
    let fixture = try RecordsFixture()
    let files = try fixture.storedFiles()
    #expect(fixture.run("record preferences - --skip-bad", input: "{\n[]\n{\"theme\":1}").status == .done)
    #expect(try fixture.storedFiles() == files)
  }

  @Test func linesOfAKeyedKindNameTheirRecords() throws {
    let fixture = try RecordsFixture()
    fixture.run("kind add host --per-key --key name")
    fixture.run("kind add note --per-key")
    fixture.run("kind add whole --last-writer-wins")
    #expect(
      fixture.run("record host -", input: #"{"name":"web","cpu":4}"# + "\n" + #"{"name":"db","cpu":8}"#)
        .status
        == .done)
    fixture.run("record host -", input: #"{"id":"web","payload":{"ram":16}}"#)
    #expect(fixture.run("get host web --json").object["payload"] == ["cpu": 4, "name": "web", "ram": 16])
    #expect(fixture.run("record note -", input: #"{"text":"x"}"#).status == .failed)
    fixture.run("record note -", input: #"{"id":"n1","payload":{"text":"x"}}"#)
    fixture.run("record note n1 -", input: #"{"more":1}"#)
    #expect(fixture.run("get note n1 --json").object["payload"] == ["more": 1, "text": "x"])
    fixture.run("record whole w a=1 b=2")
    fixture.run("record whole w b=3")
    #expect(fixture.run("get whole w --json").object["payload"] == ["a": 1, "b": 3])
    fixture.run("record host name=mail cpu=2")
    #expect(fixture.run("get host mail cpu").out == "2\n")
    #expect(fixture.run("record host web name=db").status == .usage)
  }

  @Test func aLineThatIsTooLongIsBad() throws {
    let fixture = try RecordsFixture()
    let long = #"{"id":"a","payload":{"x":"\#(String(repeating: "x", count: 1 << 20))"}}"#
    fixture.run("kind add note --per-key")
    let run = fixture.run(
      "record note - --skip-bad --json", input: long + "\n" + #"{"id":"b","payload":{"x":1}}"# + "\n" + long)
    #expect(run.object["recordedCount"] == 1)
    #expect(run.object["skippedCount"] == 2)
    #expect(run.object["skipped"]?.arrayValue?.map { $0["line"] } == [1, 3])
  }

  // MARK: - Requests

  @Test func ofTwoRecordingsOfARequestTheOneWithMoreTokensStands() throws {
    let fixture = try RecordsFixture()
    let line = "record request --provider anthropic --model m --at 2026-09-01 requestID=r1 inputTokens="
    let said = ["5", "9", "7", "9"].map { fixture.run(line + $0).out }
    let standing = "stands as it was, with as many tokens or more: nothing was recorded"
    let outdone = "request 'anthropic/r1' \(standing)\n"
    let recorded = "recorded request 'anthropic/r1'\n"
    #expect(said == [recorded, recorded, outdone, "request 'anthropic/r1' says that already\n"])
    #expect(fixture.run(line + "9 a=1").out == outdone)
    #expect(fixture.run(line + "7 --json").object["unchangedCount"] == 1)
    let row = fixture.run("list request --json").object
    #expect(row["id"] == "anthropic/r1")
    #expect(row["payload"]?["inputTokens"] == 9)
    #expect(row["payload"]?["occurredAt"] == "2026-09-01T00:00:00Z")
    #expect(fixture.run(line + "-1").status == .usage)
  }

  /// A flag that does nothing looks as if it did.
  @Test(arguments: [
    "record alert - --warning 0.5", "record alert - --enabled", "record request - --model m",
    "record request - --at 2026-01-01", "record preferences - --unset theme",
    "record note - --id n --unset a",
  ])
  func whatALineSaysIsNoFlag(_ line: String) throws {
    let fixture = try RecordsFixture()
    fixture.run("kind add note --per-key")
    let refused = fixture.run(line, input: #"{"providerID":"p","theme":"dark"}"# + "\n")
    #expect(refused.status == .usage)
    #expect(refused.err.contains("does not go with -"))
    #expect(fixture.run("list preferences --json").rows.isEmpty)
  }

  @Test func aProviderBesideLinesIsTheIdOfAll() throws {
    let fixture = try RecordsFixture()
    #expect(fixture.run("record alert - --provider p", input: "{\"warningThreshold\":0.3}\n").status == .done)
    #expect(fixture.run("get alert p warningThreshold").out == "0.3\n")
  }

  @Test func trackTakesNoFlagWithoutAFile() throws {
    let fixture = try RecordsFixture()
    #expect(fixture.run("track").status == .done)
    #expect(fixture.run("track --take-file").status == .usage)
  }

  /// What `get` shows, with what is local, is what a script knows.
  @Test func aConditionIsOfWhatIsShown() throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences theme=dark")
    fixture.run("record preferences theme=blue --local")
    let shown = fixture.run("get preferences user-preferences --json").object["fingerprint"]?.textValue ?? ""
    #expect(fixture.run("record preferences size=1 --if \(shown)").status == .done)
    #expect(fixture.run("record preferences size=2 --if \(shown)").status == .failed)
    #expect(fixture.run("get preferences user-preferences size").out == "1\n")
  }
}
