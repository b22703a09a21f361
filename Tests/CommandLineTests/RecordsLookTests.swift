import CanonicalJSON
import RunicCore
import Testing

@testable import runic

/// Lists, the past, local records, retractions, kinds.
@Suite struct RecordsLookTests {
  // MARK: - list

  private func readings() throws -> RecordsFixture {
    let fixture = try RecordsFixture()
    for (provider, day) in [("claude", 3), ("codex", 1), ("claude", 2)] {
      fixture.run("record usage --provider \(provider) --used \(day) --at 2026-09-0\(day)T12:00:00Z")
    }
    return fixture
  }

  @Test(arguments: [
    ("list usage", [1, 2, 3]), ("list usage --since 2026-09-02", [2, 3]),
    ("list usage --until 2026-09-02", [1, 2]), ("list UsageSnapshot --provider claude", [2, 3]),
    ("list usage --since 2026-09-02 --until 2026-09-02", [2]),
    ("list usage --until 2026-09-02T12:00:00Z", [1]), ("list usage --since 2026-09-02T12:00:00.001Z", [3]),
    ("list usage --provider anthropic", [2, 3]), ("list usage --provider openai", [1]),
    ("list usage --provider claude --provider codex --until 2026-09-02", [1, 2]),
    ("list usage --device laptop", [1, 2, 3]), ("list usage --device desktop", []),
    ("list usage --since 1d", []), ("list request", []),
  ])
  func aListIsInOrderAndLeavesOutWhatItShould(_ line: String, _ used: [Int64]) throws {
    let rows = try readings().run("\(line) --json").rows
    #expect(rows.compactMap { $0["payload"]?["primaryUsed"]?.intValue } == used)
  }

  @Test func aRangeBackwardsIsAnErrorAsInAReport() throws {
    for command in ["list usage", "report"] {
      #expect(try readings().run("\(command) --since 2026-09-05 --until 2026-09-01").status == .usage)
    }
  }

  @Test func aDayOfAListIsOneOfTheZone() throws {
    let fixture = try readings()
    // In Auckland the third of September begins on the second at noon.
    let line = ["list", "usage", "--since", "2026-09-03", "--json"]
    let run = fixture.run(line, variables: ["TZ": "Pacific/Auckland"])
    #expect(run.rows.compactMap { $0["payload"]?["primaryUsed"]?.intValue } == [2, 3])
  }

  /// Noon in Auckland is midnight in UTC.
  @Test func aDayOfGetAndRevertIsOneOfTheZone() throws {
    let fixture = try RecordsFixture()
    let day = String((Timestamp(milliseconds: fixture.now)?.text ?? "").prefix(10))
    let midnight = (Timestamp("\(day)T00:00:00Z")?.milliseconds ?? 0) + 2 * 86_400_000
    let after = String((Timestamp(milliseconds: midnight)?.text ?? "").prefix(10))
    fixture.wait(midnight - 20 * 3_600_000 - fixture.now)
    fixture.run("record preferences theme=dark")
    fixture.wait(16 * 3_600_000)
    fixture.run("record preferences theme=light")
    for (zone, theme) in [("<+12>-12", "dark"), ("UTC", "light")] {
      let get = ["get", "preferences", "user-preferences", "theme", "--at", after]
      #expect(fixture.run(get, variables: ["TZ": zone]).out == theme + "\n", "\(zone)")
    }
    let revert = ["revert", "preferences", "user-preferences", "theme", "--to", after]
    #expect(fixture.run(revert, variables: ["TZ": "<+12>-12"]).status == .done)
    #expect(fixture.run("get preferences user-preferences theme").out == "dark\n")
  }

  @Test func aDayOfARecordIsOneOfTheZone() throws {
    let fixture = try RecordsFixture()
    let usage = ["record", "usage", "--provider", "claude", "--used", "1", "--at", "2026-09-05"]
    fixture.run(usage, variables: ["TZ": "<+12>-12"])
    #expect(fixture.run("list usage --json").object["payload"]?["updatedAt"] == "2026-09-04T12:00:00Z")
    let request = [
      "record", "request", "--provider", "p", "--model", "m", "--at", "2026-09-05", "requestID=1",
    ]
    fixture.run(request, variables: ["TZ": "<+12>-12"])
    #expect(fixture.run("list request --json").object["payload"]?["occurredAt"] == "2026-09-04T12:00:00Z")
  }

  @Test(arguments: [
    "report", "statusline", "list usage --since 2026-09-03",
    "get preferences user-preferences --at 2026-09-03",
    "record usage --since 2026-09-03", "record usage --provider p --used 1 --at 2026-09-03",
  ])
  func aWrongZoneEndsWithTheSameStatusEverywhere(_ line: String) throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences theme=dark")
    let run = fixture.run(line.split(separator: " ").map(String.init), variables: ["TZ": "Mars/Base"])
    #expect(run.status == .usage && run.err.contains("Mars/Base") && run.err.contains("TZ=UTC"), "\(run.err)")
  }

  @Test func aTableShowsIDsThatCanBeTyped() throws {
    let fixture = try readings()
    let lines = fixture.run("list usage").out.split(separator: "\n")
    #expect(lines.first?.hasPrefix("ID") == true)
    let id = try #require(lines.dropFirst().first?.split(separator: " ").first)
    #expect(fixture.run("get usage \(id) primaryUsed").out == "1\n")
    #expect(fixture.run("get usage \(id.prefix(3))").status == .failed)
    #expect(
      fixture.run(
        "list usage --device \(fixture.run("list usage --json").rows[0]["device"]?.textValue?.prefix(6) ?? "")"
      ).out.isEmpty == false)
  }

  @Test func aPrefixOfTwoIDsIsRefused() throws {
    let fixture = try RecordsFixture()
    fixture.run("kind add note --per-key")
    for id in ["abcd1", "abcd2", "facebook"] { fixture.run(["record", "note", id, "x=1"]) }
    let run = fixture.run("get note abcd")
    #expect(run.status == .failed)
    #expect(run.err.contains("abcd1") && run.err.contains("abcd2"))
    #expect(fixture.run("delete note face").status == .failed, "only ids of digits have prefixes")
    #expect(fixture.run("get note abcd1").status == .done)
  }

  // MARK: - The past

  @Test func theStateOfAMomentIsThatOfItsCommits() throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences a=1")
    let first = fixture.run("log --json").rows[0]
    let moment = fixture.now
    fixture.wait()
    fixture.run("record preferences a=2 b=1")
    fixture.run("delete preferences user-preferences")
    #expect(fixture.run("get preferences").status == .failed)
    let commit = try #require(first["commit"]?.textValue)
    for at in [commit, String(commit.prefix(8)), Timestamp.text(milliseconds: moment)] {
      let past = fixture.run("get preferences user-preferences --json --at \(at)").object
      #expect(past["payload"] == ["a": 1], "\(at)")
      #expect(past["time"] == first["time"])
    }
    for line in ["get preferences --at 2020-01-01", "revert preferences user-preferences --to 2020-01-01"] {
      let run = fixture.run(line)
      #expect(
        run.status == .failed && run.err.contains("was not there at '2020-01-01'"), "\(line): \(run.err)")
    }
    #expect(fixture.run("get preferences nowhere --at 2020-01-01").err.contains("there is no preferences"))
    #expect(fixture.run("revert preferences user-preferences --to \(commit)").status == .done)
    #expect(fixture.run("get preferences --json").object["payload"] == ["a": 1])
    fixture.run("record preferences a=5 c=6")
    fixture.run("revert preferences user-preferences a --to \(commit)")
    #expect(fixture.run("get preferences --json").object["payload"] == ["a": 1, "c": 6])
    fixture.run("revert preferences user-preferences c --to \(commit)")
    let files = try fixture.storedFiles()
    fixture.run("revert preferences user-preferences --to \(commit)")
    #expect(try fixture.storedFiles() == files)
    #expect(fixture.run("revert usage 1234 --to \(commit)").status == .usage)
  }

  @Test func aHistoryHasAPastToo() throws {
    let fixture = try RecordsFixture()
    fixture.run("record request --provider p --at 2026-09-01 requestID=r inputTokens=1")
    let moment = fixture.now
    fixture.wait()
    fixture.run("record request --provider p --at 2026-09-01 requestID=r inputTokens=2")
    #expect(fixture.run("get request p/r inputTokens").out == "2\n")
    #expect(
      fixture.run("get request p/r inputTokens --at \(Timestamp.text(milliseconds: moment))").out == "1\n")
    let writes = fixture.run("show request p/r --json").rows
    #expect(writes.map { $0["shown"] } == [true, false])
    #expect(writes.map { $0["value"]?["inputTokens"] } == [2, 1])
  }

  @Test func everyWriteIsShownWithItsDevice() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record alert --provider c --warning 0.5")
    try fixture.sync()
    fixture.run("record alert --provider c --warning 0.6", on: "desktop")
    try fixture.sync()
    fixture.run("delete alert c")
    let rows = fixture.run("show alert c --json").rows
    #expect(rows.map { $0["action"] } == ["delete", "set", "set", "set"])
    #expect(rows.map { $0["deviceName"] } == ["laptop", "desktop", "laptop", "laptop"])
    #expect(rows.map { $0["shown"] } == [true, false, false, false])
    #expect(rows[1]["key"] == "warningThreshold")
    #expect(rows[1]["value"] == 0.6)
  }

  @Test func theLogHasEveryCommitOnceLatestFirst() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    for number in 0..<40 { fixture.run("record preferences a=\(number)") }
    try fixture.sync()
    for number in 0..<5 {
      fixture.run("record preferences b=\(number)", on: "desktop")
      fixture.run("record alert --provider p\(number)")
    }
    try fixture.sync()
    let rows = fixture.run("log --json").rows
    #expect(rows.filter { $0["changeCount"] != 0 }.count == 50)
    #expect(Set(rows.compactMap { $0["commit"]?.textValue }).count == rows.count)
    let stamps = rows.compactMap { $0["stamp"]?.textValue }
    #expect(stamps == stamps.sorted(by: >))
    #expect(fixture.run("log --json -n 3").rows == Array(rows.prefix(3)))
    #expect(fixture.run("log alert --json").rows.count == 5)
    #expect(fixture.run("log alert p1 --json").rows.count == 1)
    #expect(fixture.run("log preferences user-preferences --json").rows.count == 45)
    let graph = fixture.run("log --graph").out.split(separator: "\n").dropFirst()
    #expect(graph.count == rows.count)
    #expect(graph.allSatisfy { $0.hasPrefix("* | ") || $0.hasPrefix("| * ") })
  }

  // MARK: - Local records

  @Test func aLocalRecordIsSyncedOnlyOncePromoted() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record preferences theme=light size=1")
    try fixture.sync()
    let files = try fixture.storedFiles()
    fixture.run("record preferences theme=dark --unset size --local")
    #expect(try fixture.storedFiles() == files)
    let row = fixture.run("list preferences --json").object
    #expect(row["payload"] == ["theme": "dark"])
    #expect(row["local"] == true)
    fixture.run("record preferences other=1", on: "desktop")
    try fixture.sync()
    #expect(fixture.run("get preferences --json").object["payload"] == ["other": 1, "theme": "dark"])
    #expect(fixture.run("get preferences user-preferences theme", on: "desktop").out == "light\n")
    #expect(!fixture.run("export").out.contains("dark"))
    #expect(fixture.run("promote preferences").status == .done)
    let again = fixture.run("promote preferences --json")
    #expect(again.status == .failed)
    #expect(again.object["error"]?["code"] == "not-local")
    #expect(fixture.run("promote preferences nowhere --json").object["error"]?["code"] == "unknown")
    try fixture.sync()
    let promoted = fixture.run("get preferences --json", on: "desktop").object
    #expect(promoted["payload"] == ["other": 1, "theme": "dark"])
    #expect(promoted["local"] == nil)
  }

  @Test func whatIsLocalIsShownAndIsInNoCommit() throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences theme=dark --local")
    let log = fixture.run("log preferences user-preferences")
    #expect(log.status == .done && log.out.isEmpty && log.err.contains("runic promote"), "\(log.err)")
    #expect(fixture.run("log preferences user-preferences --json").out.isEmpty)
    let only = fixture.run("show preferences user-preferences --json").object
    #expect(
      only["local"] == true && only["commit"] == .null && only["shown"] == true && only["value"] == "dark")
    #expect(fixture.run("show preferences user-preferences").out.contains("(local)"))
    fixture.run("promote preferences")
    fixture.run("record preferences size=1")
    fixture.run("record preferences theme=light --unset size --local")
    let rows = fixture.run("show preferences user-preferences --json").rows
    #expect(rows.map { $0["action"] } == ["set", "unset", "set", "set"])
    #expect(rows.map { $0["shown"] } == [true, true, false, false])
    #expect(rows.map { $0["local"] } == [true, true, nil, nil])
    #expect(fixture.run("log preferences user-preferences --json").rows.count == 2)
    #expect(fixture.run("log preferences nowhere").status == .failed)
  }

  @Test func aLocalReadingIsPromotedAsItWasRecorded() throws {
    let fixture = try RecordsFixture()
    let files = try fixture.storedFiles()
    fixture.run("record usage --provider c --used 1 --local")
    fixture.run("record usage --provider c --used 2 --local")
    #expect(try fixture.storedFiles() == files)
    let rows = fixture.run("list usage --json").rows
    #expect(rows.count == 2)
    let id = try #require(rows[0]["id"]?.textValue)
    fixture.run("promote usage \(id.prefix(10))")
    let after = fixture.run("list usage --json").rows
    #expect(after.map { $0["id"] } == rows.map { $0["id"] })
    #expect(after.map { $0["local"] } == [nil, true])
    fixture.run("delete usage \(rows[1]["id"]?.textValue ?? "")")
    #expect(fixture.run("list usage --json").rows.count == 1)
  }

  @Test func aFingerprintGuardsALocalEditToo() throws {
    let fixture = try RecordsFixture()
    fixture.run("record preferences a=1 --local")
    let seen = try #require(fixture.run("get preferences --json").object["fingerprint"]?.textValue)
    #expect(fixture.run("record preferences a=2 --local --if \(seen)").status == .done)
    #expect(fixture.run("record preferences a=3 --local --if \(seen)").status == .failed)
    #expect(fixture.run("delete preferences user-preferences").status == .done)
    #expect(fixture.run("get preferences").status == .failed)
  }

  // MARK: - Retractions

  @Test func aRetractedRecordStaysInTheHistory() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record usage --provider c --used 1")
    let id = fixture.onlyID("usage")
    #expect(
      fixture.run(["retract", "usage", String(id.prefix(6)), "--reason", "wrong account"]).status == .done)
    let files = try fixture.storedFiles()
    fixture.run("retract usage \(id)")
    #expect(try fixture.storedFiles() == files)
    try fixture.sync()
    for device in ["laptop", "desktop"] {
      #expect(fixture.run("list usage --json", on: device).rows.isEmpty)
      #expect(fixture.run("list usage --all --json", on: device).object["retracted"] == true)
      #expect(fixture.run("get usage \(id)", on: device).status == .done)
    }
    fixture.run("retract usage \(id) --undo", on: "desktop")
    try fixture.sync()
    #expect(fixture.run("list usage --json").object["id"]?.textValue == id)
    #expect(fixture.run("list usage --all --json").object["retracted"] == nil)
  }

  // MARK: - Kinds

  @Test func aDeclaredKindIsSyncedAndItsDefaultsAreNot() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    let run = fixture.run(
      ["kind", "add", "panel", "--per-key", "--defaults", "-"], input: #"{"size":10,"theme":"light"}"#)
    #expect(run.status == .done)
    fixture.run("record panel p1 theme=dark")
    try fixture.sync()
    #expect(fixture.run("get panel p1 --json").object["payload"] == ["size": 10, "theme": "dark"])
    #expect(fixture.run("list panel --json").object["payload"] == ["size": 10, "theme": "dark"])
    #expect(fixture.run("get panel p1 size").out == "10\n")
    #expect(fixture.run("get panel p1 --json", on: "desktop").object["payload"] == ["theme": "dark"])
    let files = try fixture.storedFiles()
    fixture.run("record panel p1 size=10")
    #expect(try fixture.storedFiles() == files)
    fixture.run("record panel p1 size=11")
    fixture.run("record panel p1 size=10")
    try fixture.sync()
    #expect(fixture.run("get panel p1 size", on: "desktop").out == "10\n")
    let kinds = fixture.run("kind list --json", on: "desktop").rows
    #expect(kinds.map { $0["name"] } == ["alert", "panel", "preferences", "request", "usage"])
    #expect(kinds[1]["rule"] == "per-key")
    #expect(kinds[1]["builtIn"] == false)
  }

  @Test(arguments: ["[]", "{", #"{"a":1,"a":2}"#])
  func badDefaultsDeclareNothing(_ text: String) throws {
    let fixture = try RecordsFixture()
    let run = fixture.run(["kind", "add", "x", "--history", "--defaults", "-"], input: text)
    #expect(run.status == .failed)
    #expect(fixture.run("kind list --json").rows.count == 4)
  }

  // MARK: - Conflicts

  @Test func aConflictIsListedWithDeviceNamesAndSettledEverywhere() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record preferences theme=light other=1")
    try fixture.sync()
    fixture.run("record preferences theme=dark")
    fixture.run("record preferences theme=blue", on: "desktop")
    try fixture.sync()
    for device in ["laptop", "desktop"] {
      let conflict = fixture.run("conflicts --json", on: device).object
      #expect(
        conflict.objectValue?.map(\.key.string) == ["id", "key", "kind", "others", "shown", "shownDeleted"])
      #expect(conflict["key"] == "theme")
      #expect(conflict["shown"] == "blue" && conflict["shownDeleted"] == false)
      let other = try #require(conflict["others"]?.arrayValue?.first)
      #expect(other.objectValue?.map(\.key.string) == ["deleted", "device", "deviceName", "time", "value"])
      #expect(other["value"] == "dark")
      #expect(other["deviceName"] == "laptop")
      #expect(other["deleted"] == false)
    }
    #expect(fixture.run("resolve preferences user-preferences other --ours").status == .failed)
    #expect(fixture.run("resolve preferences user-preferences --device nobody").status == .failed)
    #expect(
      fixture.run("resolve preferences user-preferences theme --device laptop", on: "desktop").status == .done
    )
    try fixture.sync()
    for device in ["laptop", "desktop"] {
      #expect(fixture.run("conflicts --json", on: device).rows.isEmpty)
      #expect(fixture.run("get preferences user-preferences theme", on: device).out == "dark\n")
    }
  }

  @Test(arguments: [
    ("--ours", "dark"), ("--theirs", "blue"), ("--value green", "green"), ("--value 7", "7"),
  ])
  func aConflictIsSettledAsAsked(_ flags: String, _ value: String) throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record preferences theme=dark")
    fixture.run("record preferences theme=blue", on: "desktop")
    try fixture.sync()
    #expect(fixture.run("resolve preferences user-preferences theme \(flags)").status == .done)
    try fixture.sync()
    #expect(fixture.run("get preferences user-preferences theme", on: "desktop").out == value + "\n")
    #expect(fixture.run("conflicts --json", on: "desktop").rows.isEmpty)
  }

  /// Null is a value, and unset is none.
  @Test func aConflictTellsNullFromUnset() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record preferences a=1 b=1")
    try fixture.sync()
    fixture.run("record preferences a=2 b=2", on: "desktop")
    fixture.wait()
    fixture.run("record preferences a=null --unset b")
    try fixture.sync()
    let rows = fixture.run("conflicts --json").rows
    #expect(rows.map { $0["key"] } == ["a", "b"] && rows.allSatisfy { $0["shown"] == .null })
    #expect(rows.map { $0["shownDeleted"] } == [false, true])
  }

  @Test(arguments: [("--keep", true), ("--delete", false)])
  func aDeleteAgainstAnEditIsSettledAsAsked(_ flag: String, _ stays: Bool) throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record alert --provider c")
    try fixture.sync()
    fixture.run("delete alert c")
    fixture.run("record alert --provider c --warning 0.5", on: "desktop")
    try fixture.sync()
    let conflict = fixture.run("conflicts --json").object
    #expect(conflict["key"] == .null)
    #expect(conflict["others"]?.arrayValue?.first?["deleted"] == true)
    #expect(fixture.run("resolve alert c \(flag)").status == .done)
    try fixture.sync()
    for device in ["laptop", "desktop"] {
      #expect(fixture.run("conflicts --json", on: device).rows.isEmpty)
      #expect((fixture.run("get alert c", on: device).status == .done) == stays)
    }
  }

  @Test func whatIsLeftOfARecordsConflictsIsSaid() throws {
    let fixture = try RecordsFixture(["laptop", "desktop", "server"])
    fixture.run("kind add note --per-key")
    try fixture.sync()
    fixture.run("record note n k=1 l=1")
    fixture.run("record note n k=2", on: "desktop")
    fixture.run("record note n l=3", on: "server")
    try fixture.sync()
    let part = fixture.run("resolve note n --device desktop --json")
    #expect(part.object["settled"] == 1 && part.object["left"] == 1)
    #expect(fixture.run("conflicts --json").rows.map { $0["key"] } == ["l"])
    #expect(fixture.run("resolve note n --ours").out == "settled note 'n'\n")
  }

  /// The record has keys that nobody quarrels about.
  @Test func keepAndDeleteSettleNoConflictOfKeys() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record preferences theme=dark size=3")
    fixture.run("record preferences theme=blue", on: "desktop")
    try fixture.sync()
    for flag in ["--keep", "--delete"] {
      #expect(fixture.run("resolve preferences user-preferences theme \(flag)").status == .usage)
      let refused = fixture.run("resolve preferences user-preferences \(flag)")
      #expect(refused.status == .failed)
      #expect(refused.err.contains("no conflict that this settles"))
    }
    #expect(fixture.run("get preferences user-preferences size").out == "3\n")
    #expect(fixture.run("conflicts --json").rows.count == 1)
  }

  @Test func aRuleThatAMergeBreaksIsShownWithAWarning() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record alert --provider c --warning 0.5 --critical 0.8")
    try fixture.sync()
    fixture.run("record alert --provider c --warning 0.75")
    fixture.run("record alert --provider c --critical 0.6", on: "desktop")
    try fixture.sync()
    for line in ["get alert c", "list alert"] {
      let run = fixture.run(line)
      #expect(run.status == .done)
      #expect(run.err.contains("warningThreshold is above criticalThreshold"))
    }
    #expect(fixture.run("record alert --provider c --channel stdout").status == .done)
  }
}
