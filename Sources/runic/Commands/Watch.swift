import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic watch`.
let watchCommand = Command(
  description: CommandDescription(
    "watch", summary: "keep this machine and its remotes together", group: .sync,
    flags: [
      Flag("--once", "one round with every remote, for cron"),
      Flag("--install", "write and start a systemd service of this user that watches"),
      Flag("--uninstall", "stop that service and take it away"),
    ], exclusive: [["--once", "--install", "--uninstall"]], exitStatus: SyncCommands.status,
    details: [
      "Syncs when something is recorded here, when a tracked file changes, and when a shared folder shows what "
        + "others pushed; besides at an interval: 'config set watch.active SECONDS' while things change (300 "
        + "unless set), 'watch.background' else (3600). Shared folders are looked at every 25 seconds.",
      "Collects usage every refreshInterval seconds unless the preference autoRefreshEnabled is false. One "
        + "line for each event; SIGTERM ends it, SIGHUP has it read the configuration again.",
    ],
    examples: [
      Example("runic watch --install", "watches from now on, also after a restart"),
      Example(
        "*/10 * * * * \"$HOME/.local/bin/runic\" watch --once --quiet",
        "in a crontab, where there is no systemd; cron finds no program in ~/.local/bin by its name alone"),
    ])
) { invocation, context in
  if invocation.isSet("--install") { return try WatchService(invocation, context).install() }
  if invocation.isSet("--uninstall") { return try WatchService(invocation, context).uninstall() }
  let caller = Termination.install()
  let session = WatchSession(
    repository: try Session.open(invocation, context), invocation: invocation, context: context)
  return try Interrupt.deferred {
    invocation.isSet("--once") ? try session.once() : session.run(caller: caller)
  }
}

/// A run of `watch`.
private struct WatchSession {
  let repository: Repository
  let invocation: Invocation
  let context: Context

  private var output: Output { context.output }

  // MARK: - Until it is ended

  func run(caller: Int32?) -> ExitStatus {
    var tell: (TrackReport) -> Void = { _ in }
    let watcher = Watcher(
      repository, folders: FolderWatcher(caller: caller),
      surroundings: Watcher.Surroundings(
        search: { [context] in try LogSearch(context) }, programs: InterruptibleRunner(),
        round: { repository in
          SyncSession(repository, .watch, output, onTrack: tell).round
        }, call: { output.isBroken ? .stop : Termination.next() }, onEvent: show))
    tell = { [unowned watcher] in watcher.tell($0) }
    watcher.run()
    return Interrupt.isRequested ? .interrupted : .done
  }

  private func show(_ event: WatchEvent) {
    let words = WatchWords(event: event, time: context.now())
    if output.style.wantsJSON {
      output.json(words.json)
    } else if !output.style.isQuiet || words.isBad {
      output.line(Escaping.oneLine(words.line))
    }
    output.flush()
  }

  // MARK: - Once

  func once() throws -> ExitStatus {
    let failure = try collect()
    guard !repository.configuration.remotes.isEmpty else {
      try takeTracked()
      return try failure.map { try failed($0, with: nil) } ?? .done
    }
    let rounds = RemoteRounds(repository: repository, invocation: invocation, output: output)
    let status = try rounds.run { name in
      do { return try sync(name) } catch { return try failed(error, with: name) }
    }
    return try failure.map { try failed($0, with: nil) } ?? status
  }

  /// One machine alone has settings files too.
  private func takeTracked() throws {
    let tell = SyncSession.once { report in
      if output.style.wantsJSON { show(.tracked(report)) } else { TrackWords.tell(report, output) }
    }
    for report in try repository.captureTracked() + repository.writeTracked() where !report.isQuiet {
      tell(report)
    }
  }

  private func sync(_ name: String) throws -> ExitStatus {
    let isJSON = output.style.wantsJSON
    let session =
      isJSON
      ? SyncSession(repository, .watch, output, onTrack: SyncSession.once { show(.tracked($0)) })
      : SyncSession(repository, .watch, output)
    let outcome = try session.run(name) { try repository.sync(with: $0, named: name) }
    if isJSON {
      show(.synced(outcome))
    } else {
      SyncCommands.report(outcome, output, [SyncCommands.fetched(outcome), SyncCommands.pushed(outcome)])
    }
    if Termination.isRequested { throw CommandFailure.interrupted }
    return SyncCommands.status(outcome, strategy: nil, isStrict: false, repository)
  }

  /// Under `--json` what fails is an event too.
  private func failed(_ error: any Error, with remote: String?) throws -> ExitStatus {
    guard output.style.wantsJSON, !Interrupt.isRequested, !Termination.isRequested else { throw error }
    show(.failed(remote: remote, error: error, retry: nil))
    return commandFailure(for: error).status
  }

  /// - Returns: why nothing could be collected, where that is no reason not to sync.
  private func collect() throws -> (any Error)? {
    let isOn = try repository.read { try $0.preferences()["autoRefreshEnabled"]?.boolValue ?? true }
    guard isOn else { return nil }
    let search: LogSearch
    do { search = try LogSearch(context) } catch { return error }
    let outcome = try repository.collectUsage(
      CollectOptions(), search: search, programs: InterruptibleRunner())
    if output.style.wantsJSON {
      show(.collected(outcome))
    } else {
      output.note("runic: \(CollectWords.summary(outcome, isDryRun: false))")
    }
    return nil
  }
}
