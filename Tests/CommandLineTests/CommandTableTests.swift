import Foundation
import ObjectStore
import RunicCore
import Testing

@testable import runic

/// What holds for every command there is.
@Suite struct CommandTableTests {
  static let titles = Commands.all.map(\.description).filter { !$0.isHidden }.map(\.title)

  @Test(arguments: titles) func helpIsThereForPeopleAndPrograms(_ title: String) throws {
    let words = title.split(separator: " ").map(String.init)
    let machine = try World(seed: 11).machine("a")
    let text = machine.run(words + ["--help"])
    #expect(text.status == .done)
    #expect(text.out.hasPrefix("usage: runic \(title)"))
    #expect(text.err.isEmpty)
    let json = machine.run(words + ["--help", "--json"])
    #expect(json.json["commands"]?.arrayValue?.first?["name"]?.textValue == title)
  }

  @Test func theHelpOfSettingsNamesAllOfThem() {
    let details = configSetCommand.description.details.joined(separator: " ")
    for key in Configuration.keys { #expect(details.contains("\(key): "), "\(key)") }
    #expect(details.contains("from 1 to 86400"))
  }

  /// Of a request, fields that reports read and no rule checks too.
  @Test(arguments: [
    (Kind.usage, recordUsageCommand, []),
    (Kind.request, recordRequestCommand, ["accountEmail", "serviceTier", "speed"]),
  ])
  func theHelpAndThePageNameEveryFieldOfAKind(_ kind: Kind, _ command: Command, _ more: [String]) throws {
    let details = command.description.details.joined(separator: " ")
    let page = try String(contentsOfFile: "\(BuiltProgram.package)/docs/records.md", encoding: .utf8)
    for field in kind.fields.map(\.name.string) + more {
      #expect(details.contains(field), "\(field)")
      #expect(page.contains("`\(field)`"), "\(field)")
    }
  }

  @Test func aRunFindsTheCommandsThatHelpLists() {
    for word in Set(Commands.all.compactMap(\.description.name.first)) {
      let listed = Commands.all.map(\.description.name).filter { $0.first == word }
      #expect(Commands.table.family(word).map(\.description.name) == listed)
    }
    #expect(Commands.table.family("frobnicate").isEmpty)
  }

  @Test(arguments: titles) func aWrongFlagIsAnObjectUnderJSON(_ title: String) throws {
    let words = title.split(separator: " ").map(String.init)
    let run = try World(seed: 12).machine("a").run(words + ["--jsom", "--json"])
    #expect(run.status == .usage)
    #expect(run.json["error"]?["code"]?.textValue == "usage")
    #expect(run.json["error"]?["hint"]?.textValue?.contains("--json") == true)
    #expect(run.err.isEmpty)
  }

  @Test(
    arguments: Commands.all.map(\.description).filter { $0.allExitStatus.contains(.noRepository) }.map(
      \.title))
  func withoutARepositoryTheFailureIsAnObject(_ title: String) throws {
    let words = try Self.typed(title)
    let run = try World(seed: 13).machine("a").run(words + ["--json"])
    #expect(run.status == .noRepository, "\(run.out)\(run.err)")
    #expect(run.json["error"]?["message"]?.textValue?.isEmpty == false, "\(run.out)\(run.err)")
  }

  /// A command line that fits: the command, what it cannot do without, and a word for each argument.
  private static func typed(_ title: String) throws -> [String] {
    let description = try #require(Commands.all.first { $0.description.title == title }).description
    let flags = [
      "kind add": ["--history"], "record alert": ["--provider", "p"], "revert": ["--to", "24h"],
    ]
    let required = description.arguments.filter(\.isRequired).map { $0.choices.first ?? "x=1" }
    return description.name + required + (flags[title] ?? [])
  }

  /// Opening a repository may find files broken or another one's key: whatever opens one lists both statuses.
  @Test(arguments: titles) func whatOpeningARepositoryEndsWithIsListed(_ title: String) throws {
    let world = try World(seed: 16)
    let other = world.machine("c")
    try other.expect(.done, "init")
    let key = try world.disk.contents("\(other.root)/repository.key")
    let faults: [(file: String, bytes: [UInt8], status: ExitStatus)] = [
      ("repository.key", key, .wrongKey), ("repository.key", [], .damaged),
      ("config.json", Array("{".utf8), .damaged), ("store/runic.json", Array("{".utf8), .damaged),
    ]
    let typed = try Self.typed(title)
    let description = try #require(Commands.all.first { $0.description.title == title }).description
    let opens = description.allExitStatus.contains(.noRepository)
    for (file, bytes, status) in faults {
      let a = try world.shared()
      try world.disk.setContents("\(a.root)/\(file)", bytes)
      // 'key add' puts a lost key back.
      let isMended = title == "key add" && file == "repository.key"
      let run = a.run(typed)
      #expect((run.status == status) == (opens && !isMended), "\(file): \(run.out)\(run.err)")
      let help = a.run(["help"] + description.name + ["--json"]).json["commands"]?.arrayValue?.first
      let listed = help?["exitStatus"]?.arrayValue?.compactMap { $0["status"]?.intValue } ?? []
      #expect(!opens || listed.contains(Int64(status.rawValue)), "\(status)")
    }
  }

  @Test func theDoctorNamesACureForWhatIsAmiss() throws {
    let (a, _) = try World(seed: 14).cloned()
    try a.files.setPermissions("\(a.root)/repository.key", 0o644)
    let run = a.run("doctor", "--json")
    #expect(run.status == .failed)
    let amiss = (run.json["findings"]?.arrayValue ?? []).filter { $0["state"]?.textValue == "look" }
    #expect(amiss.contains { $0["cure"]?.textValue == "chmod 600 '\(a.root)/repository.key'" })
    #expect(amiss.allSatisfy { $0["cure"]?.textValue != nil })
  }

  /// A row: what is done to a healthy machine, the subject of what is found, and the cure for it.
  private static let ailments:
    [(name: String, subject: String, cure: String, make: @Sendable (inout Machine, World) throws -> Void)] = [
      ("folder open", "permissions", "chmod 700", { a, _ in try a.files.setPermissions(a.root, 0o755) }),
      ("clock behind", "clock", "timedatectl", { a, _ in a.now -= 3_600_000 }),
      (
        "remote away", "remote home", "drive mounted",
        { _, world in try world.disk.rename("/mnt/share", to: "/mnt/x") }
      ),
      ("synced long ago", "last sync", "runic sync home", { a, _ in a.now += 8 * 86_400_000 }),
      (
        "never synced", "last sync", "runic sync new",
        { a, _ in try a.expect(.done, "remote", "add", "new", "/mnt/new") }
      ),
      (
        "tracked file gone", "tracked file", "runic untrack /a/settings.json",
        { a, _ in
          try a.expect(.done, "kind", "add", "editor", "--per-key")
          try a.expect(.done, "track", "/a/settings.json", "--as", "editor/main")
        }
      ),
      (
        "object damaged", "files", "runic fsck",
        { a, world in
          let folder = "\(a.root)/store/devices/\(try a.open().deviceID.hex)"
          for entry in try a.files.list(folder) {
            try world.disk.setContents("\(folder)/\(entry.name)", Array("x".utf8))
          }
        }
      ),
    ]

  @Test(arguments: ailments.indices) func theDoctorFindsEachAilment(_ row: Int) throws {
    let (name, subject, cure, make) = Self.ailments[row]
    let world = try World(seed: 15)
    var (a, _) = try world.cloned()
    try a.expect(.done, "sync")
    // The disk has a clock of its own, and dates the files that say when the last sync was.
    if subject == "last sync" { a.now = try #require(try a.open().status().remotes.first?.lastPull) }
    #expect(
      a.run("doctor", "--json").json["findings"]?.arrayValue?.contains {
        $0["subject"]?.textValue == subject && $0["state"]?.textValue != "ok"
      } != true, "\(name): before")
    try make(&a, world)
    let run = a.run("doctor", "--json")
    let found = (run.json["findings"]?.arrayValue ?? []).filter { $0["state"]?.textValue != "ok" }
    #expect(
      found.contains { $0["subject"]?.textValue == subject && $0["cure"]?.textValue?.contains(cure) == true },
      "\(name): \(run.out)\(run.err)")
    #expect(run.status == (name == "object damaged" ? .damaged : .failed), "\(name)")
    if name == "object damaged" {
      #expect(
        a.run("status").out.hasSuffix("next: 'runic fsck' shows what is damaged\n"), "\(a.run("status"))")
    }
  }

  @Test func theRateOfATransferIsWhatPassedSinceItBegan() {
    var rate = TransferRate()
    func seen(_ bytes: Int64) -> TransferProgress {
      TransferProgress(files: 0, bytes: bytes, allFiles: 2, allBytes: 9000)
    }
    #expect(rate.take(seen(1000), now: 0) == nil)
    #expect(rate.take(seen(2000), now: 499) == nil)
    #expect(rate.take(seen(5000), now: 2000) == 2000)
    #expect(rate.take(seen(0), now: 3000) == nil)
  }

  @Test(arguments: [
    (0, "just now"), (-59_999, "just now"), (-60_000, "1 minute ago"), (-7_200_000, "2 hours ago"),
    (172_800_000, "in 2 days"), (-800 * 86_400_000, "2 years ago"),
  ]) func aTimeIsSaidAsPeopleSayIt(_ distance: Int64, _ words: String) {
    let now: Int64 = 1_788_696_000_000
    #expect(RelativeTime.words(now + distance, now: now) == words)
  }

  @Test(arguments: [
    ("OpenSSH_9.2p1 Debian-2, OpenSSL 3.0", "9.2p1"), ("rclone v1.60.1-DEV", "1.60.1-DEV"),
    ("rsync  version 3.2.7  protocol version 31", "3.2.7"), ("nothing", "of an unknown version"),
  ]) func aVersionIsFoundInWhatAProgramSays(_ line: String, _ version: String) {
    #expect(InstalledProgram.number(in: line) == version)
  }
}
