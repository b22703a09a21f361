import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import runic

@Suite struct ReportAlertsTests {
  private func begin(channel: String = "stdout") throws -> RecordsFixture {
    let fixture = try RecordsFixture()
    fixture.run("record alert --provider claude --warning 0.8 --critical 0.95 --channel \(channel)")
    return fixture
  }

  private func use(_ fixture: RecordsFixture, _ used: Int, _ more: String = "") {
    fixture.wait()
    fixture.run("record usage --provider claude --used \(used) --limit 100 \(more)")
  }

  @Test(arguments: [
    (79, runic.ExitStatus.done), (80, .warning), (94, .warning), (95, .critical), (120, .critical),
  ])
  func theStatusIsTheHighestLevel(used: Int, status: runic.ExitStatus) throws {
    let fixture = try begin()
    use(fixture, used)
    #expect(fixture.run("alerts check").status == status)
    #expect(fixture.run("alerts check").status == status)
  }

  @Test func aLevelIsSaidOnceAndTheStatusStands() throws {
    let fixture = try begin()
    use(fixture, 85)
    let first = fixture.run("alerts check")
    #expect(first.out == "warning: claude at 85% of its primary window (laptop, read now)\n")
    #expect(fixture.run("alerts check").out.isEmpty)
    use(fixture, 96)
    #expect(fixture.run("alerts check").out.hasPrefix("critical: claude at 96%"))
    use(fixture, 5)
    #expect(fixture.run("alerts check").status == .done)
    use(fixture, 85)
    #expect(fixture.run("alerts check").out.hasPrefix("warning: "))
  }

  /// Cron mails what stands on standard error, once.
  @Test func withoutADesktopTheSystemChannelSaysItOnStandardError() throws {
    let places = ["/usr/bin", "/usr/local/bin", "/bin"]
    if try places.contains(where: { try PosixFileSystem().status("\($0)/notify-send") != nil }) {
      print("not tried: the system channel without notify-send, which is installed here")
      return
    }
    let fixture = try begin(channel: "system")
    use(fixture, 85)
    let first = fixture.run("alerts check")
    #expect(first.out.isEmpty)
    #expect(first.err.contains("warning: claude at 85%"))
    #expect(!fixture.run("alerts check").err.contains("claude"))
  }

  @Test func eachWindowIsJudgedByItself() throws {
    let fixture = try begin()
    use(fixture, 85, "--secondary-used 99 --secondary-limit 100")
    let run = fixture.run("alerts check --json")
    #expect(run.status == .critical)
    #expect(run.object["level"] == "critical")
    let alerts = run.object["alerts"]?.arrayValue ?? []
    #expect(alerts.map { $0["window"] } == ["primary", "secondary"])
    #expect(alerts.map { $0["level"] } == ["warning", "critical"])
    #expect(alerts.map { $0["said"] } == [true, true])
    #expect(
      fixture.run("alerts check --json").object["alerts"]?.arrayValue?.map { $0["said"] } == [false, false])
  }

  @Test func nobodyIsToldWhileNotificationsAreOff() throws {
    let fixture = try begin()
    use(fixture, 85)
    fixture.run("record preferences notificationsEnabled=false")
    let off = fixture.run("alerts check")
    #expect(off.status == .warning && off.out.isEmpty)
    fixture.run("record preferences notificationsEnabled=true")
    #expect(!fixture.run("alerts check").out.isEmpty)
  }

  @Test func aDisabledAlertAndAnUnknownProviderAreFine() throws {
    let fixture = try begin()
    fixture.run("record usage --provider codex --used 100 --limit 100")
    #expect(fixture.run("alerts check").status == .done)
    use(fixture, 100)
    fixture.run("record alert --provider claude --disabled")
    #expect(fixture.run("alerts check").status == .done)
  }

  @Test func theCompanysNameIsTheSameProvider() throws {
    let fixture = try RecordsFixture()
    fixture.run("record alert --provider openai --channel stdout")
    fixture.run("record usage --provider codex --used 9100 --limit 10000")
    #expect(fixture.run("alerts check").status == .critical)
  }

  @Test func whatCouldNotBeSaidIsSaidNextTime() throws {
    let fixture = try begin(channel: "command")
    use(fixture, 85)
    let run = fixture.run("alerts check")
    #expect(run.status == .warning && run.err.contains("alerts.command"))
    fixture.run("record alert --provider claude --channel stdout")
    #expect(fixture.run("alerts check").out.hasPrefix("warning: "))
  }

  @Test func aProgramThatHangsIsEndedAndItsAlertSaidNextTime() throws {
    let fixture = try begin(channel: "command")
    use(fixture, 85)
    fixture.run("config set hooks.timeout 1")
    fixture.run(["config", "set", "alerts.command", "sleep 100"])
    let run = fixture.run("alerts check")
    #expect(run.status == .warning && run.err.contains("took too long and was ended"), "\(run.err)")
    fixture.run(["config", "set", "alerts.command", "cat > /dev/null; echo heard"])
    #expect(fixture.run("alerts check").err.contains("heard"))
    #expect(!fixture.run("alerts check").err.contains("heard"))
  }

  /// On a real disk, since the program is a real one.
  @Test func aProgramIsGivenJSONOnItsStandardInput() throws {
    let made = try Shell.run("mktemp -d", limit: 4096)
    let folder = String(decoding: made.output.dropLast(), as: UTF8.self)
    try #require(made.succeeded && !folder.isEmpty)
    defer { _ = try? Shell.run("rm -r '\(folder)'", limit: 4096) }
    let now: Int64 = 1_788_696_000_000
    let (sink, messages) = (MemorySink(), MemorySink())
    func run(_ arguments: String...) -> runic.ExitStatus {
      var program = Program(
        context: Context(
          output: Output(data: sink, messages: messages), environment: runic.Environment([:]), now: { now },
          input: MemorySource(), table: Commands.table, random: .system),
        terminal: TerminalFacts())
      return program.run(["--repo", "\(folder)/runic"] + arguments)
    }
    #expect(run("init", "--name", "it's") == .done)
    #expect(run("config", "set", "alerts.command", "cat >> '\(folder)/said'; echo heard") == .done)
    #expect(run("record", "alert", "--provider", "claude", "--channel", "command") == .done)
    #expect(
      run("record", "usage", "--provider", "claude", "--used", "92", "--limit", "100", "--account", "a'b")
        == .done)
    #expect(run("alerts", "check") == .critical)
    #expect(run("alerts", "check") == .critical)
    let said = try PosixFileSystem().read("\(folder)/said", limit: 1 << 16)
    let json = try JSONValue.parse(said)
    #expect(json["level"] == "critical" && json["account"] == "a'b" && json["used"] == 92)
    #expect(messages.text.contains("heard") && !sink.text.contains("\nheard\n"))
    #expect(try PosixFileSystem().list("\(folder)/runic/tmp").filter { $0.name.hasPrefix("alert") }.isEmpty)
  }

  // MARK: - The status line

  @Test func theStatusLineIsOneShortLine() throws {
    let fixture = try RecordsFixture()
    let now = Timestamp(milliseconds: fixture.now)?.text.prefix(11) ?? ""
    fixture.record(requests: [
      ReportRequests.request("\(now)00:00:01Z", tokens: 2_000_000),
      ReportRequests.request("2026-01-01T00:00:00Z", tokens: 5),
    ])
    fixture.run(
      "record usage --provider claude --used 78 --limit 100 --secondary-used 10 --secondary-limit 100")
    fixture.run("record usage --provider codex --used 20 --limit 100")
    let run = fixture.run("statusline --timezone UTC")
    #expect(run.out == "today $10.00, 2.0M tokens, claude 78%\n")
    let json = fixture.run("statusline --timezone UTC --json").object
    #expect(json["today"]?["totalTokens"] == 2_000_000 && json["quota"]?["used"] == 78)
  }

  @Test func anEmptyRepositoryHasAStatusLineToo() throws {
    #expect(try RecordsFixture().run("statusline --timezone UTC").out == "today $0.00, 0 tokens\n")
  }
}
