import CanonicalJSON
import TestSupport
import Testing

@testable import RunicCore
@testable import runic

@Suite struct RecordsExportTests {
  /// Everything that a device lists and knows, but for commits.
  private func everything(_ fixture: RecordsFixture, on device: String) -> [String] {
    let kinds = fixture.run("kind list --json", on: device).rows.compactMap { $0["name"]?.textValue }
    return kinds.map { fixture.run("list \($0) --all --json", on: device).out }
      + [fixture.run("conflicts --json", on: device).out, fixture.run("kind list --json", on: device).out]
  }

  private func check(_ fixture: RecordsFixture, from source: String, into target: String) throws {
    try fixture.addStranger(target)
    let text = fixture.run("export", on: source).out
    let first = fixture.run("import - --json", on: target, input: text)
    #expect(first.status == .done, "\(first.err)")
    #expect(everything(fixture, on: target) == everything(fixture, on: source))
    let files = try fixture.storedFiles(target)
    #expect(fixture.run("import - --json", on: target, input: text).object["storedCount"] == 0)
    #expect(try fixture.storedFiles(target) == files)
  }

  @Test func whatIsImportedListsTheSameBytes() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("kind add note --last-writer-wins")
    fixture.run("record note n1 a=1 b=null")
    fixture.run("record usage --provider c --used 1")
    fixture.run("record request --provider p --at 2026-09-01 requestID=r inputTokens=5")
    fixture.run("record usage --provider c --used 2", on: "desktop")
    fixture.run("record preferences theme=dark gone=1")
    fixture.run("record preferences theme=blue", on: "desktop")
    fixture.run("record preferences --unset gone")
    try fixture.sync()
    fixture.run("record note n1 a=2")
    fixture.run("record note n1 a=3", on: "desktop")
    fixture.run("retract usage \(fixture.run("list usage --json").rows[0]["id"]?.textValue ?? "")")
    try fixture.sync()
    #expect(fixture.run("conflicts --json").rows.count == 2)
    try check(fixture, from: "laptop", into: "copy")
  }

  @Test func deletesAndGenerationsComeAlong() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    // Deleted; deleted and begun again; an edit that a later delete hides; a delete that an edit outlived.
    for id in ["gone", "again", "hidden", "outlived"] { fixture.run("record alert --provider \(id)") }
    try fixture.sync()
    fixture.run("delete alert gone")
    fixture.run("delete alert again")
    fixture.run("record alert --provider again --warning 0.5")
    fixture.run("record alert --provider hidden --warning 0.5", on: "desktop")
    fixture.wait()
    fixture.run("delete alert hidden")
    fixture.run("delete alert outlived")
    fixture.wait()
    fixture.run("record alert --provider outlived --warning 0.4", on: "desktop")
    try fixture.sync()
    #expect(fixture.run("conflicts --json").rows.count == 2)
    #expect(fixture.run("list alert --json").rows.count == 2)
    try check(fixture, from: "desktop", into: "copy")
    // What the copy knows of generations shows in what it does next.
    fixture.run("record alert --provider gone --critical 0.8", on: "copy")
    #expect(fixture.run("get alert gone warningThreshold", on: "copy").out == "0.75\n")
    for device in ["laptop", "copy"] {
      #expect(fixture.run("resolve alert hidden --keep", on: device).status == .done)
      #expect(fixture.run("resolve alert outlived --delete", on: device).status == .done)
      #expect(fixture.run("conflicts --json", on: device).rows.isEmpty)
    }
    #expect(fixture.run("get alert hidden warningThreshold", on: "copy").out == "0.5\n")
  }

  @Test func settledConflictsStaySettled() throws {
    let fixture = try RecordsFixture(["laptop", "desktop"])
    fixture.run("record alert --provider c")
    fixture.run("record preferences theme=dark")
    try fixture.sync()
    fixture.run("delete alert c")
    fixture.run("record alert --provider c --warning 0.5", on: "desktop")
    fixture.run("record preferences theme=blue", on: "desktop")
    fixture.run("record preferences theme=red")
    try fixture.sync()
    fixture.run("resolve alert c --keep")
    // The older value wins, so the generation's latest write is one that nothing shows.
    fixture.run("resolve preferences user-preferences theme --device desktop")
    try fixture.sync()
    #expect(fixture.run("conflicts --json").rows.isEmpty)
    try check(fixture, from: "laptop", into: "copy")
  }

  @Test func aGenerationLivesByItsLatestWriteAlsoWhereThatWasReplaced() throws {
    let fixture = try RecordsFixture(["laptop", "desktop", "server"])
    fixture.run("record preferences theme=light")
    try fixture.sync()
    fixture.run("record preferences theme=blue", on: "desktop")
    fixture.wait()
    fixture.run("delete preferences user-preferences", on: "server")
    fixture.wait()
    fixture.run("record preferences theme=red")
    try fixture.sync(["laptop", "desktop"])
    fixture.run("resolve preferences user-preferences theme --device desktop")
    try fixture.sync()
    // Blue is older than the delete; that red was written after it keeps the record.
    #expect(fixture.run("get preferences user-preferences theme", on: "server").out == "blue\n")
    #expect(fixture.run("conflicts --json", on: "server").rows.count == 1)
    try check(fixture, from: "server", into: "copy")
  }

  /// No device of ours writes such a change: it begins a generation of which nothing is shown.
  @Test func aGenerationThatOnlySettlesComesAlong() throws {
    let fixture = try RecordsFixture(["laptop"])
    let name = RecordName(family: .keys, kind: "preferences", id: Array("p".utf8))
    fixture.run("record preferences --id p theme=dark")
    fixture.run("record preferences --id p theme=light")
    _ = try fixture.open("laptop").write { transaction in
      try transaction.append(to: name) { state, _ in
        .set(
          RegisterWrite(
            kind: name.kind, id: name.id, generation: 3, writes: [:],
            settles: state.heads.flatMap { $0.heads.map(\.commit) }))
      }
    }
    #expect(fixture.run("get preferences p").status == .failed)
    try check(fixture, from: "laptop", into: "copy")
    for device in ["laptop", "copy"] {
      #expect(fixture.run("get preferences p", on: device).status == .failed)
      fixture.run("record preferences --id p size=1", on: device)
      #expect(fixture.run("get preferences p", on: device).out.contains("size"))
      #expect(!fixture.run("get preferences p", on: device).out.contains("light"))
    }
  }

  @Test func aKindThatIsDeclaredByAnotherRuleIsRefused() throws {
    let fixture = try RecordsFixture()
    for (device, rule) in [("laptop", "per-key"), ("island", "last-writer-wins"), ("empty", nil)] {
      if device != "laptop" { try fixture.addStranger(device) }
      guard let rule else { continue }
      fixture.run("kind add ed --\(rule)", on: device)
      fixture.run("record ed one by=\(device)", on: device)
    }
    let text = fixture.run("export", on: "island").out
    let files = try fixture.storedFiles()
    let run = fixture.run("import -", input: text)
    #expect(run.status == .failed)
    #expect(run.err.contains("declared twice") && run.err.contains("another name"), "\(run.err)")
    #expect(try fixture.storedFiles() == files)
    for _ in 0..<2 { #expect(fixture.run("import -", on: "empty", input: text).status == .done) }
  }

  @Test func anImportReplacesNothing() throws {
    let fixture = try RecordsFixture()
    try fixture.addStranger("other")
    fixture.run("record preferences theme=dark mine=1", on: "other")
    fixture.wait()
    fixture.run("record preferences theme=light")
    let text = fixture.run("export", on: "other").out
    #expect(fixture.run("import - --json", input: text).object["storedCount"] == 1)
    #expect(fixture.run("get preferences --json").object["payload"] == ["mine": 1, "theme": "light"])
    let conflict = fixture.run("conflicts --json").object
    #expect(conflict["others"]?.arrayValue?.first?["value"] == "dark")
    #expect(conflict["others"]?.arrayValue?.first?["deviceName"] == "other")
    // Also after later edits, what was imported is not imported again.
    fixture.run("record preferences theme=green mine=2")
    let files = try fixture.storedFiles()
    #expect(fixture.run("import - --json", input: text).object["storedCount"] == 0)
    #expect(fixture.run("import - --json", input: fixture.run("export").out).object["storedCount"] == 0)
    #expect(try fixture.storedFiles() == files)
    #expect(fixture.run("conflicts --json").rows.isEmpty)
    fixture.run("delete preferences user-preferences")
    #expect(fixture.run("import - --json", input: text).object["storedCount"] == 0)
    #expect(fixture.run("get preferences").status == .failed)
  }

  /// Nothing at all is what a failed `export |` leaves.
  @Test(arguments: [
    "", "{}", #"{"runic":"export","version":2}"#, "nonsense", "HEADER\n{}", "HEADER\n{\"add\":[]}",
    "HEADER\n{\"id\":\"x\",\"kind\":\"Y\",\"writes\":[]}",
    #"HEADER\#n{"id":"x","kind":"note","writes":[{"commit":"00","device":"00","generation":1,"set":{"a":1},"stamp":"0","time":1}]}"#,
    #"HEADER\#n{"id":"x","kind":"key-slot","writes":[]}"#,
  ])
  func aBadLineRefusesTheWholeImport(_ text: String) throws {
    let fixture = try RecordsFixture()
    let header = fixture.run("export").out.split(separator: "\n").first.map(String.init) ?? ""
    let files = try fixture.storedFiles()
    let input = text.split(separator: "\n").map { $0 == "HEADER" ? header : String($0) }.joined(
      separator: "\n")
    let run = fixture.run("import -", input: input)
    #expect(run.status == .failed, "\(run.err)")
    #expect(run.err.contains("line") || run.err.contains("newer"), "\(run.err)")
    #expect(try fixture.storedFiles() == files)
  }

  /// Random edits on three devices that see each other now and then; a copy must know what the source knows.
  @Test(arguments: UInt64(1)...12)
  func aRandomRepositoryIsImportedAsItIs(_ seed: UInt64) throws {
    let devices = ["laptop", "desktop", "server"]
    let fixture = try RecordsFixture(devices, seed: seed)
    var random = SeededRandom(seed: seed)
    fixture.run("kind add whole --last-writer-wins")
    fixture.run("kind add note --per-key")
    try fixture.sync()
    for _ in 0..<60 {
      let device = devices[Int.random(in: 0..<3, using: &random)]
      let id = Int.random(in: 0..<3, using: &random)
      let (key, value) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<9, using: &random))
      fixture.wait(Int64.random(in: 1..<5000, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: fixture.run("record note n\(id) k\(key)=\(value)", on: device)
      case 4: fixture.run("record note n\(id) --unset k\(key)", on: device)
      case 5: fixture.run("record whole w\(id) k\(key)=\(value)", on: device)
      case 6: fixture.run("delete \(value < 5 ? "note n" : "whole w")\(id)", on: device)
      case 7: fixture.run("record usage --provider p\(id) --used \(value)", on: device)
      case 8:
        fixture.run(
          "resolve note n\(id) \(["--ours", "--theirs", "--keep", "--delete"][value % 4])", on: device)
      default: try fixture.sync()
      }
    }
    try fixture.sync()
    try check(fixture, from: "server", into: "copy")
    // And what is known besides: everything that a next edit or delete would build on.
    for id in 0..<3 {
      for device in ["server", "copy"] {
        fixture.run("delete note n\(id)", on: device)
        fixture.run("record note n\(id) after=1", on: device)
      }
    }
    let shown = ["server", "copy"].map { device in
      fixture.run("list note --json", on: device).rows.map { $0["payload"] }
    }
    #expect(shown[0] == shown[1])
    let open = ["server", "copy"].map { fixture.run("conflicts --json", on: $0).rows.count }
    #expect(open[0] == open[1])
  }
}
