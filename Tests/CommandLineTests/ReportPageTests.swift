import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import runic

@Suite struct ReportPageTests {
  private static let hostile = "</title><script>alert(1)</script>\"' onload=\"x\" &amp; \u{202E}\u{0}"

  private func page(_ fixture: RecordsFixture, _ line: String = "report") throws -> String {
    let run = fixture.run("\(line) --html /page.html --timezone UTC")
    #expect(run.status == .done, "\(run.err)")
    return try fixture.text("/page.html")
  }

  private func begin() throws -> RecordsFixture {
    let fixture = try RecordsFixture()
    fixture.record(requests: ReportRequests.some)
    return fixture
  }

  @Test func thePageNeedsNothingButItself() throws {
    let html = try page(try begin())
    #expect(html.hasPrefix("<!DOCTYPE html>"))
    for word in ["<script", "http://", "https://", "url(", "@import", "<img", "<iframe", "<form"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(html.contains("default-src 'none'") || html.contains("default-src &#39;none&#39;"))
    #expect(html.contains("prefers-color-scheme:dark") && html.contains("@media print"))
    #expect(html.contains("name=\"viewport\""))
  }

  @Test func everySideHasTwoChartsAndATable() throws {
    let html = try page(try begin())
    #expect(html.split(separator: "<svg").count == 7)
    for title in ["By device", "By provider", "By model", "By day"] {
      #expect(html.contains(title), "\(title)")
    }
    #expect(html.split(separator: "<table").count == 5)
    #expect(html.contains("no price for 30 tokens of openai/mystery"))
    #expect(html.contains("prices as of 2026-11"))
    #expect(html.contains("2026-09-05, claude-opus-4-8: $0.01"))
  }

  @Test func elementsAreClosedInOrder() throws {
    let html = try page(try begin(), "report --breakdown")
    let void = ["meta", "link", "!DOCTYPE"]
    var open: [Substring] = []
    for part in html.split(separator: "<").filter({ $0.contains(">") }) {
      let name = part.prefix { $0 != " " && $0 != ">" && $0 != "\n" }
      if name.hasPrefix("/") {
        #expect(open.popLast() == name.dropFirst(), "\(part)")
      } else if !void.contains(String(name)) {
        open.append(name)
      }
    }
    #expect(open.isEmpty)
  }

  @Test func hostileNamesAreTextEverywhere() throws {
    let fixture = try RecordsFixture()
    fixture.record(requests: [
      ReportRequests.request(
        "2026-09-05T10:00:00Z", provider: Self.hostile, model: Self.hostile,
        ["sessionID": .text(Self.hostile)])
    ])
    fixture.run([
      "record", "usage", "--provider", Self.hostile.filter { $0 != "\u{0}" }, "--used", "1", "--limit", "2",
    ])
    for grouping in ["session", "daily", "model"] {
      let html = try page(fixture, "report \(grouping) --breakdown")
      #expect(html.contains("&lt;script&gt;"))
      for word in ["<script", "</title><", "onload=\"", "\u{202E}", "\u{0}"] {
        #expect(!html.contains(word), "\(word)")
      }
      #expect(html.contains("&amp;amp;"))
    }
  }

  @Test(arguments: [("dark", true), ("light", true), ("system", false), ("\"><script>", false)])
  func theThemeIsObeyed(theme: String, isForced: Bool) throws {
    let fixture = try begin()
    fixture.run(["record", "preferences", "theme=\(theme)"])
    let html = try page(fixture)
    #expect(html.contains("<html lang=\"en\" data-theme=\"\(theme)\">") == isForced)
    #expect(html.contains("<html lang=\"en\">") == !isForced)
  }

  @Test func withoutRequestsThereIsNoEmptyTable() throws {
    let html = try page(try RecordsFixture())
    #expect(html.contains("Nothing was used.") && !html.contains("<table"))
  }

  @Test func manySeriesAndYearsStillMakeAPage() throws {
    let fixture = try RecordsFixture()
    fixture.record(
      requests: (0..<60).map { number in
        let time = Timestamp(seconds: 1_600_000_000 + Int64(number) * 3_333_333)?.text ?? ""
        return ReportRequests.request(time, model: "model-\(number % 20)", ["costUSD": 1])
      })
    let html = try page(fixture)
    #expect(html.contains(">others<") || html.contains("others"))
    #expect(html.contains("Cost by month"))
    #expect(html.split(separator: "class=\"c8\"").count == 1)
  }

  @Test func aYearFarOffDoesNotMakeMillionsOfBars() throws {
    let fixture = try RecordsFixture()
    fixture.record(requests: [
      ReportRequests.request("0001-01-01T00:00:00Z"), ReportRequests.request("9999-12-31T00:00:00Z"),
      ReportRequests.request("2026-09-05T00:00:00Z"),
    ])
    #expect(try page(fixture).utf8.count < 100_000)
  }

  /// The marks of the axis lie beyond Int64 then.
  @Test func theGreatestCountsStillMakeAPage() throws {
    let fixture = try RecordsFixture()
    fixture.record(requests: [
      ReportRequests.request("2026-09-05T10:00:00Z", model: "m", tokens: 8_100_000_000_000_000_000),
      ReportRequests.request("2026-09-05T11:00:00Z", model: "n", tokens: .max),
    ])
    let html = try page(fixture)
    #expect(html.contains("2026-09-05, m: 8.1E</title>") && html.contains("2026-09-05, n: 9.2E</title>"))
    #expect(html.contains(">20E</text>"))
  }

  @Test func theFileIsPrivateAndNoOtherStays() throws {
    let fixture = try begin()
    _ = try page(fixture)
    #expect(try fixture.fileSystem.status("/page.html")?.permissions == 0o600)
    #expect(try fixture.fileSystem.list("/").filter { $0.name.contains("part") }.isEmpty)
    let failed = fixture.run("report --html /no/where.html --timezone UTC")
    #expect(failed.status == .failed)
    #expect(failed.err.contains("/no/where.html: "))
    #expect(fixture.run("report --html - --timezone UTC").out.hasPrefix("<!DOCTYPE html>"))
  }

  private static var browser: String? {
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map { "/usr/bin/\($0)" }
      .first { (try? PosixFileSystem().status($0)) != nil }
  }

  /// A real browser reads the page: it draws all charts and complains of nothing.
  @Test(
    .enabled(if: browser != nil, "no Chromium is installed"),
    arguments: [("1200,900", "light"), ("1200,900", "dark"), ("390,844", "light")])
  func aBrowserOpensThePage(size: String, theme: String) throws {
    let fixture = try begin()
    // Without a screen there is no system that could be dark.
    fixture.run("record preferences theme=\(theme)")
    fixture.run("record usage --provider claude --used 92 --limit 100")
    let html = try page(fixture)
    let made = try Shell.run("mktemp -d", limit: 4096)
    let folder = String(decoding: made.output.dropLast(), as: UTF8.self)
    try #require(made.succeeded && !folder.isEmpty)
    defer { _ = try? Shell.run("rm -r '\(folder)'", limit: 4096) }
    let file = try OpenFile("\(folder)/page.html", .create(permissions: 0o600), in: PosixFileSystem())
    try file.write(Array(html.utf8), at: 0)
    let browser = try #require(Self.browser)
    let run = try Shell.run(
      "timeout 60 '\(browser)' --headless=new --no-sandbox --disable-gpu --user-data-dir='\(folder)/profile' "
        + "--enable-logging=stderr --window-size=\(size) --dump-dom 'file://\(folder)/page.html' 2>'\(folder)/log'; "
        + "grep -i 'CONSOLE' '\(folder)/log' | sed 's/^/CONSOLE /'", limit: 1 << 22)
    let dom = String(decoding: run.output, as: UTF8.self)
    #expect(dom.split(separator: "<svg").count == 7)
    #expect(dom.contains("data-theme=\"\(theme)\""))
    #expect(!dom.contains("CONSOLE"))
  }
}
