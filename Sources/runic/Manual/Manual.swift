/// All pages of the manual.
struct Manual {
  let commands: [CommandDescription]

  init(_ commands: [Command]) { self.commands = commands.map(\.description).filter { !$0.isHidden } }

  var pages: [ManualPage] { [overview, Concepts.page] + commands.map { ManualPage($0) } }

  /// A page's file, as it lies in `docs/man`.
  func file(of page: ManualPage) -> (name: String, text: String) {
    let group = page.name.split(separator: "-").dropFirst().first.map(String.init)
    let family = commands.filter { $0.name.count > 1 && $0.name.first == group }.map { ManualPage($0) }
    let all = page.name == overview.name && page.volume == 1 ? [] : family
    return (page.fileName, ManualRoff.text(page, titles: all.map { "\($0.name)(1)" }))
  }

  /// `runic.1`: every command by what it is for, and what they share.
  var overview: ManualPage {
    let groups = CommandGroup.allCases.compactMap { group -> ManualPage.Section? in
      let members = commands.filter { $0.group == group }
      let rows = members.map { ("runic \($0.title)", $0.summary) }
      return rows.isEmpty ? nil : .init(title: "commands: \(group.rawValue)", blocks: ManualPage.terms(rows))
    }
    return ManualPage(
      name: "runic", title: "runic", volume: 1,
      summary: "record usage on every machine and bring it together, encrypted",
      synopsis: ["runic", "[--repo DIR]", "COMMAND", "[ARGUMENTS]"],
      sections: [.init(title: "description", blocks: Self.description.map(ManualPage.Block.paragraph))]
        + groups
        + [
          ManualPage.everywhere, .init(title: "environment", blocks: ManualPage.terms(Self.environment)),
          .init(title: "files", blocks: ManualPage.terms(Self.files)),
          ManualPage.exitStatus(ExitStatus.allCases),
          .init(title: "examples", blocks: Self.examples.map(ManualPage.Block.example)),
        ])
  }

  private static let description = [
    "runic records usage, preferences and alerts on every machine, offline, and brings them together through a "
      + "folder that the machines share already, or through rsync, ssh or rclone. What lies there is encrypted, can be "
      + "checked without the key, and is never written by two machines at once.",
    "Each command has a page of its own: runic-pull(1) for 'runic pull', runic-remote-add(1) for 'runic remote add'. "
      + "'runic help COMMAND' shows the same text, 'runic help concepts' the page runic(7).",
    "Data is printed on standard output, everything else on standard error. A failure is one line of what happened "
      + "and one of what to do; with --json it is an object on standard output.",
  ]

  private static let environment = [
    ("RUNIC_REPO", "the repository, where --repo does not name one"),
    (
      "XDG_DATA_HOME",
      "where the repository lies by itself, in a folder runic, and OpenCode's folder; else ~/.local/share"
    ),
    ("RUNIC_PASSPHRASE_COMMAND", "a command that prints the passphrase"),
    ("RUNIC_PASSPHRASE", "the passphrase; other programs of the same user may see it"),
    ("RSYNC_RSH", "the remote shell of rsync, as rsync reads it"),
    ("NO_COLOR", "if not empty, nothing is coloured"),
    (
      "TZ",
      "the zone of days, where they are typed and in reports; else the machine's. Exact times are shown in UTC"
    ),
    (
      "CLAUDE_CONFIG_DIR",
      "Claude Code's folder, or several with commas between; else ~/.config/claude and ~/.claude"
    ),
    ("CODEX_HOME", "Codex CLI's folder, else ~/.codex"),
    ("GEMINI_CLI_HOME", "where Gemini CLI's folder .gemini lies, else the home folder"),
    ("OPENCODE_DATA_DIR", "OpenCode's folder, else opencode in XDG_DATA_HOME or ~/.local/share"),
    (
      "XDG_CONFIG_HOME",
      "where Claude Code's folder claude and the service of 'watch --install' lie, else ~/.config"
    ),
  ]

  private static let files = [
    ("~/.local/share/runic", "the repository; private to this device but for what lies in store/"),
    ("store/", "the same tree as on every remote: runic.json, keys/, heads/, devices/"),
    ("config.json", "the remotes and the settings of this device"),
    ("repository.key", "the key, where key.command does not fetch it"),
    ("hooks/", "programs that run around every sync; runic(7) has their names"),
    ("prices.json", "your own prices, over the built-in table, in its form; runic never writes it"),
  ]

  private static let examples = [
    Example("runic init --passphrase", "begins a repository that a passphrase opens elsewhere"),
    Example("runic remote add home /mnt/nas/runic", "names a folder to share through"),
    Example("runic record usage", "records what the AI tools on this machine logged"),
    Example("runic sync", "brings everything together"), Example("runic report", "shows one true total"),
  ]
}
