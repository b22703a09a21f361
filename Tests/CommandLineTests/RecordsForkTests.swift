import Testing

@testable import runic

/// One device wrote both sides of a conflict: it was cloned.
@Suite struct RecordsForkTests {
  /// Everybody shows `B`; the other side is `A`, and both bear the device that the two machines were.
  private func forked() throws -> RecordsFixture {
    let fixture = try RecordsFixture(["laptop", "srv"])
    fixture.run("record preferences theme=dark")
    try fixture.sync()
    try fixture.copy("laptop", to: "twin")
    fixture.run("record preferences theme=A")
    fixture.run("record preferences theme=B", on: "twin")
    try fixture.sync()
    try fixture.sync()
    return fixture
  }

  @Test(
    arguments: ["laptop", "twin", "srv"],
    [("--theirs", "A"), ("--device laptop", "A"), ("--value A", "A"), ("--value B", "B")])
  func theOtherSideCanBeChosen(on device: String, _ choice: (flags: String, value: String)) throws {
    let fixture = try forked()
    let conflict = fixture.run("conflicts --json", on: device).object
    #expect(conflict["shown"] == "B")
    #expect(conflict["others"]?.arrayValue?.map { $0["value"] } == ["A"])
    let run = fixture.run("resolve preferences user-preferences theme \(choice.flags)", on: device)
    #expect(run.status == .done, "\(run.err)")
    try fixture.sync()
    for other in fixture.devices {
      #expect(fixture.run("get preferences user-preferences theme", on: other).out == choice.value + "\n")
      #expect(fixture.run("conflicts --json", on: other).out.isEmpty)
    }
  }

  @Test func oursIsWhatIsShown() throws {
    for device in ["laptop", "twin"] {
      let fixture = try forked()
      #expect(fixture.run("resolve preferences user-preferences theme --ours", on: device).status == .done)
      #expect(fixture.run("get preferences user-preferences theme", on: device).out == "B\n")
    }
    let run = try forked().run("resolve preferences user-preferences theme --ours", on: "srv")
    #expect(run.status == .failed && run.err.contains("--value"), "\(run.err)")
  }

  @Test func theHintNamesWhatTakesAnyValueAndWhereOursIs() throws {
    let hint = try forked().run("conflicts").err
    #expect(hint.contains("--value V") && hint.contains("--ours where this device wrote a side"))
    let failed = try forked().run("resolve preferences user-preferences theme --ours", on: "srv").err
    #expect(failed.contains("--device D") && failed.contains("--value V"))
  }

  /// Nothing is left to do about it, so nothing is amiss.
  @Test func theDoctorSaysItAndAsksForNothing() throws {
    let fixture = try forked()
    let findings = fixture.run("doctor --json", on: "srv").object["findings"]?.arrayValue ?? []
    let forks = findings.filter { $0["message"]?.textValue?.contains("two branches") == true }
    #expect(forks.map { $0["state"] } == ["ok"])
    #expect(findings.contains { $0["cure"] == "runic conflicts" })
  }
}
