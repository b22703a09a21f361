import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic record usage` without a reading: collects what the AI tools on this machine logged.
struct UsageCollection {
  static let flags = [
    Flag(
      "--from", value: "TOOL|FILE", repeatable: true, kind: .logSource,
      "collect from these alone: claude, codex, gemini, opencode, ccusage, or a file"),
    Flag(
      "--since", value: "T", kind: .time,
      "collect nothing older than this; a day counts from its beginning"),
    Flag("--with-projects", "store the folders that were worked in too"),
    Flag("--dry-run", "only count what would be recorded"),
  ]

  static let details = [
    "Without the flags of a reading, the logs of Claude Code, Codex CLI, Gemini CLI and OpenCode are read, "
      + "and what is new is recorded: token counts, models, times and sessions, never a prompt or an answer. "
      + "Logs that did not change since are not read again. Of the providers, those that the preference "
      + "enabledProviders names are collected, unless --from asks for more.",
    "Logs are looked for in ~/.config/claude and ~/.claude (moved by XDG_CONFIG_HOME; by CLAUDE_CONFIG_DIR in place of "
      + "both), ~/.codex (CODEX_HOME), ~/.gemini (GEMINI_CLI_HOME in place of ~) and ~/.local/share/opencode "
      + "(OPENCODE_DATA_DIR, else XDG_DATA_HOME in place of ~/.local/share).",
    "--from ccusage reads the output of 'ccusage --json' from standard input.",
  ]

  let invocation: Invocation
  let context: Context

  /// Whether the command line asks for a collection by a flag.
  static func isAsked(_ invocation: Invocation) -> Bool { flags.contains { invocation.isSet($0.long) } }

  func run() throws -> ExitStatus {
    let repository = try Session.open(invocation, context)
    let outcome: CollectOutcome
    do {
      outcome = try repository.collectUsage(
        try options(), search: try LogSearch(context), programs: InterruptibleRunner(), progress: show)
    } catch let error as UnreadableLog {
      throw CommandFailure.failed(
        "cannot read \(error.path == "-" ? "standard input" : "'\(error.path)'")"
          + "\(CollectWords.parent(error.parent)): "
          + CollectWords.reason(error.skip, count: 1), code: "unreadable",
        hint: CollectWords.hintOfNamed(error.skip))
    }
    // A log that an interrupt kept from being read counts as unreadable: none of that is true.
    try Interrupt.check()
    context.output.clearProgress()
    report(outcome)
    return .done
  }

  // MARK: - What is asked for

  private func options() throws -> CollectOptions {
    var options = CollectOptions()
    options.withProjects = invocation.isSet("--with-projects")
    options.isDryRun = invocation.isSet("--dry-run")
    options.since = try invocation.time("--since", now: context.now(), in: context.zone)
    let sources = invocation.list("--from")
    if sources.isEmpty, invocation.isSet("--from") {
      throw CommandFailure.usage("--from names nothing", hint: Self.sources)
    }
    for name in Set(sources).sorted() { try add(name, to: &options) }
    return options
  }

  private func add(_ name: String, to options: inout CollectOptions) throws {
    if name == Importers.ccusage.name {
      guard let text = try context.input.readAll(limit: 256 << 20) else { throw tooLong }
      options.standardInput = text
    } else if let importer = Importers.all.first(where: { $0.name == name }) {
      options.importers = (options.importers ?? []) + [importer]
    } else if try context.fileSystem.status(Session.absolute(name)) != nil {
      options.files.append(Session.absolute(name))
    } else {
      throw CommandFailure.failed(
        "there is neither a tool nor a file '\(name)' to collect from", code: "unknown-source",
        hint: Self.sources)
    }
  }

  private static let sources = "--from takes claude, codex, gemini, opencode, ccusage or a file"

  private var tooLong: CommandFailure {
    .failed("standard input is too long", code: "too-large", hint: "record it in parts, with --since")
  }

  // MARK: - What became of it

  private func show(_ progress: CollectProgress) {
    context.output.progress(
      "\(progress.importer): \(progress.files) of \(progress.totalFiles) logs, "
        + "\(readableSize(progress.bytes)) read")
  }

  private func report(_ outcome: CollectOutcome) {
    for (skip, count) in outcome.skippedByCount {
      context.output.note(
        "runic: skipped \(CollectWords.text(skip, count)), \(count.count == 1 ? "in" : "first in") "
          + "'\(count.firstPath)'\(CollectWords.parent(count.firstParent))")
      if let hint = CollectWords.hint(skip) { context.output.note("runic: hint: \(hint)") }
    }
    let isDry = invocation.isSet("--dry-run")
    context.output.result(
      CollectWords.summary(outcome, isDryRun: isDry), CollectWords.json(outcome, isDryRun: isDry))
  }
}
