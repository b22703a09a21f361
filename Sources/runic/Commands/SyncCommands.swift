import CanonicalJSON
import RunicCore

/// `runic pull`, `runic push` and `runic sync`.
enum SyncCommands {
  static let all = [pullCommand, pushCommand, syncCommand]

  static let remote = Argument("REMOTE", .optional, kind: .remote)
  static let status: [ExitStatus] = [.waiting, .unreachable, .busy, .noRepository]

  static let strategy = Flag(
    "--strategy", value: "S", choices: MergeStrategy.allCases.map(\.rawValue),
    "how concurrent edits of one key are settled (see 'runic config')")
  static let strict = Flag("--strict", "end with 3 while something has not arrived")
  static let noRetry = Flag("--no-retry", "do not try again what fails for a passing reason")
  static let own = Flag("--own", "send only what this device recorded")

  static func strategy(_ invocation: Invocation) -> MergeStrategy? {
    invocation.flag("--strategy").flatMap { MergeStrategy(rawValue: $0) }
  }

  /// How a pull ends, by what it found.
  static func status(_ outcome: SyncOutcome, _ invocation: Invocation, _ repository: Repository) -> ExitStatus
  {
    status(
      outcome, strategy: strategy(invocation), isStrict: invocation.isSet("--strict"), repository)
  }

  static func status(
    _ outcome: SyncOutcome, strategy: MergeStrategy?, isStrict: Bool, _ repository: Repository
  ) -> ExitStatus {
    if outcome.foundDamage { return .damaged }
    let strategy = strategy ?? repository.configuration.strategy
    if strategy == .manual, outcome.conflicts > 0 { return .waiting }
    return isStrict && !outcome.pending.isEmpty ? .waiting : .done
  }

  static func report(
    _ outcome: SyncOutcome, _ output: Output, _ words: [String], json: JSONValue? = nil
  ) {
    output.clearProgress()
    SyncReport.warn(outcome, output)
    output.result("\(outcome.remote): \(words.joined(separator: ", "))", json ?? SyncReport.json(outcome))
  }

  static func fetched(_ outcome: SyncOutcome) -> String {
    outcome.fetchedCount == 0 ? "nothing new" : "\(counted(outcome.fetchedCount, "change")) came"
  }

  static func pushed(_ outcome: SyncOutcome) -> String {
    outcome.pushedCount == 0 ? "nothing to send" : "\(counted(outcome.pushedCount, "change")) went"
  }

  /// What a repairing push did; nothing of one that found nothing to do, or was not asked to.
  static func mended(_ outcome: SyncOutcome) -> [String] {
    guard let count = outcome.mendedCount, count > 0 else { return [] }
    return ["\(counted(count, "file")) mended"]
  }

  /// Tells once, after all remotes, that something is to be settled.
  static func hint(_ conflicts: Int, _ output: Output) {
    guard conflicts > 0 else { return }
    output.note("\(counted(conflicts, "conflict")) open: 'runic conflicts' shows what to settle")
  }
}

/// `runic pull [REMOTE]`.
let pullCommand = Command(
  description: CommandDescription(
    "pull", summary: "bring in what the other devices recorded", group: .sync,
    arguments: [SyncCommands.remote],
    flags: [SyncCommands.strategy, SyncCommands.strict, SyncCommands.noRetry],
    exitStatus: SyncCommands.status,
    details: [
      "Without a name, takes every remote in the order added. Under the strategy 'manual' it ends with 3 while a "
        + "conflict is open."
    ],
    examples: [Example("runic pull && runic push", "brings this machine and the others together")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let output = context.output
  var conflicts = 0
  let rounds = RemoteRounds(repository: repository, invocation: invocation, output: output)
  let status = try rounds.run { name in
    output.progress("pulling from \(name)")
    let outcome = try SyncSession(repository, .pull, output).run(name) { remote in
      try repository.pull(from: remote, named: name, strategy: SyncCommands.strategy(invocation))
    }
    SyncCommands.report(outcome, output, [SyncCommands.fetched(outcome)])
    conflicts = outcome.conflicts
    return SyncCommands.status(outcome, invocation, repository)
  }
  SyncCommands.hint(conflicts, output)
  return status
}

/// `runic push [REMOTE]`.
let pushCommand = Command(
  description: CommandDescription(
    "push", summary: "send what the remotes lack", group: .sync, arguments: [SyncCommands.remote],
    flags: [
      SyncCommands.noRetry, SyncCommands.own,
      Flag("--repair", "read and hash every file there, and mend what is damaged or lost, there or here"),
      Flag("--verify", "read back what was sent"),
      Flag("--dry-run", "say what would be sent, and send nothing"),
    ], exclusive: [["--dry-run", "--repair"], ["--dry-run", "--verify"]], exitStatus: SyncCommands.status,
    details: [
      "Sends everything whole that this device holds and a remote lacks, its own and what others signed. Never "
        + "makes a repository: an empty or missing place is an error.",
      "Edits of tracked files are taken first, but for --dry-run, which does not look at these files.",
    ],
    examples: [Example("runic push --repair home", "mends what is damaged there")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let output = context.output
  let options = PushOptions(
    own: invocation.isSet("--own"), repair: invocation.isSet("--repair"),
    verify: invocation.isSet("--verify"),
    dryRun: invocation.isSet("--dry-run"))
  let rounds = RemoteRounds(repository: repository, invocation: invocation, output: output)
  return try rounds.run { name in
    output.progress("pushing to \(name)")
    if options.dryRun {
      let outcome = try repository.push(name, options: options)
      if !output.style.wantsJSON { for file in outcome.files { output.paragraph("\(name): \(file)") } }
      SyncCommands.report(
        outcome, output, ["would send \(counted(outcome.pushedCount, "change"))"],
        json: SyncReport.json(ofDryRun: outcome))
      return outcome.foundDamage ? .damaged : .done
    }
    let outcome = try SyncSession(repository, .push, output).run(name) { remote in
      try repository.push(to: remote, named: name, options: options)
    }
    SyncCommands.report(outcome, output, SyncCommands.mended(outcome) + [SyncCommands.pushed(outcome)])
    return outcome.foundDamage ? .damaged : .done
  }
}

/// `runic sync [REMOTE]`.
let syncCommand = Command(
  description: CommandDescription(
    "sync", summary: "pull, then push", group: .sync, arguments: [SyncCommands.remote],
    flags: [SyncCommands.strategy, SyncCommands.strict, SyncCommands.noRetry, SyncCommands.own],
    exitStatus: SyncCommands.status,
    details: [
      "Without a name, takes every remote in the order added; what a later one brings, an earlier one gets with the "
        + "next sync."
    ],
    examples: [
      Example("runic sync", "brings every remote and this device together"),
      Example("runic sync home --json", "says what moved, for scripts"),
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let output = context.output
  var conflicts = 0
  let rounds = RemoteRounds(repository: repository, invocation: invocation, output: output)
  let status = try rounds.run { name in
    output.progress("syncing with \(name)")
    let outcome = try SyncSession(repository, .sync, output).run(name) { remote in
      try repository.sync(
        with: remote, named: name, strategy: SyncCommands.strategy(invocation),
        own: invocation.isSet("--own"))
    }
    SyncCommands.report(outcome, output, [SyncCommands.fetched(outcome), SyncCommands.pushed(outcome)])
    conflicts = outcome.conflicts
    return SyncCommands.status(outcome, invocation, repository)
  }
  SyncCommands.hint(conflicts, output)
  return status
}
