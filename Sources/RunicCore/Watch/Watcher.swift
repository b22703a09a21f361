import CanonicalJSON
import ObjectStore

/// Keeps a device, its tracked files and its remotes together for as long as it runs. It waits for hints of changes
/// (inotify) and looks for itself now and then; it holds no lock while it waits.
///
/// What fails is told and tried again: nothing but a call to stop ends it.
public final class Watcher {
  /// What it needs of the world beside the repository's environment.
  public struct Surroundings {
    /// Where the tools' logs are looked for, made anew for each collection.
    public var search: () throws -> LogSearch
    public var programs: any ProgramRunner
    /// Makes a round for the repository as it is configured now.
    public var round: (Repository) -> SyncRound
    /// What somebody wants, if anybody wants something; asked often.
    public var call: () -> WatchCall?
    public var onEvent: (WatchEvent) -> Void

    public init(
      search: @escaping () throws -> LogSearch, programs: any ProgramRunner,
      round: @escaping (Repository) -> SyncRound, call: @escaping () -> WatchCall?,
      onEvent: @escaping (WatchEvent) -> Void
    ) {
      self.search = search
      self.programs = programs
      self.round = round
      self.call = call
      self.onEvent = onEvent
    }
  }

  private var repository: Repository
  private let surroundings: Surroundings
  private let folders: any FolderHints
  private var places: WatchedPlaces
  private var schedule: WatchSchedule
  /// Folder remotes that could not be read when they were last looked at.
  private var away: Set<String> = []
  /// What was last said of each file and remote: nothing is said twice in a row.
  private var problems: [String: TrackProblem] = [:]
  private var findings: [String: Finding] = [:]
  private var isStopped = false

  /// What a round found, beside what it moved.
  private struct Finding: Equatable {
    var warnings: [SyncWarning] = []
    var pending: [PendingLog] = []
    var conflicts = 0
  }

  public init(_ repository: Repository, folders: any FolderHints, surroundings: Surroundings) {
    self.repository = repository
    self.folders = folders
    self.surroundings = surroundings
    places = WatchedPlaces(repository.environment.fileSystem)
    schedule = WatchSchedule(
      remotes: repository.configuration.remotes.map(\.name), now: repository.environment.clock.now())
  }

  /// Runs until it is called to stop.
  public func run() {
    begin()
    while let pause = work() { wake(to: folders.wait(pause).folders) }
    tell(.stopped)
  }

  // MARK: - Its steps, for whoever has a wait of his own

  /// Takes note of how everything lies; once, before anything else.
  func begin() {
    _ = places.noteConfiguration(repository.layout.configuration)
    _ = places.noteHeads((try? repository.store.headNames()) ?? [])
    places.noteFiles(trackedPaths)
    configure()
    tell(
      .started(remotes: repository.configuration.remotes.map(\.name), files: trackedPaths))
    if schedule.collects != nil { collect() }
    // With a remote, the first round takes what was edited before.
    if repository.configuration.remotes.isEmpty { schedule.fileChanged() }
  }

  /// Does all that is due.
  ///
  /// - Returns: milliseconds until something is due again; nil once it was called to stop.
  func work() -> Int64? {
    if isStopped { return nil }
    advance()
    for task in schedule.due() where !isStopped {
      perform(task)
      answerCalls()
    }
    if isStopped { return nil }
    advance()
    return schedule.wait()
  }

  /// The wait is over: looks at the folders in which something is said to have happened.
  func wake(to folders: Set<String>) {
    advance()
    answerCalls()
    if !isStopped { look(at: folders) }
  }

  private var now: Int64 { repository.environment.clock.now() }
  private func tell(_ event: WatchEvent) { surroundings.onEvent(event) }

  private func advance() {
    if let slept = schedule.advance(to: now) { tell(.woke(after: slept)) }
  }

  private func answerCalls() {
    while let call = surroundings.call() {
      switch call {
      case .stop: isStopped = true
      case .reread: reread()
      }
      if isStopped { return }
    }
  }

  // MARK: - Configuration

  private var trackedPaths: [String] { repository.configuration.tracked.map(\.path) }

  private func reread() {
    do {
      repository = try Repository.open(
        at: repository.layout.root, environment: repository.environment)
      _ = places.noteConfiguration(repository.layout.configuration)
      configure()
      tell(.reread)
      schedule.fileChanged()
      look(at: nil)
    } catch {
      tell(.failed(remote: nil, error: error, retry: nil))
    }
  }

  private func configure() {
    schedule.intervals = WatchSchedule.Intervals(repository.configuration)
    schedule.follow(repository.configuration.remotes.map(\.name))
    readPreferences()
    watchFolders()
  }

  /// Seconds between two collections where the preferences do not say, and the fewest and the most that are obeyed.
  private static let collectInterval: Int64 = 300
  private static let leastCollectInterval: Int64 = 5
  private static let greatestCollectInterval = Int64(Setting.bounds.upperBound)

  private func readPreferences() {
    guard let preferences = try? repository.read({ try $0.preferences() }) else { return }
    let seconds = preferences["refreshInterval"]?.intValue ?? Self.collectInterval
    let isOn = preferences["autoRefreshEnabled"]?.boolValue ?? true
    let interval = min(max(seconds, Self.leastCollectInterval), Self.greatestCollectInterval)
    schedule.collects = isOn ? interval * 1000 : nil
  }

  private func watchFolders() {
    let tracked = trackedPaths.map { parent(of: $0) }
    folders.watch(
      Set([headsFolder] + tracked + repository.configuration.remotes.compactMap { headsFolder(of: $0)?.path })
    )
  }

  private var headsFolder: String { "\(repository.layout.store)/heads" }

  /// Where a folder remote's heads lie; nil for one over a line, which is only asked when it is due.
  private func headsFolder(of setting: RemoteSetting) -> HeadsFolder? {
    (try? repository.remote(setting))?.headsFolder
  }

  // MARK: - Looking

  private func poll() {
    if places.noteConfiguration(repository.layout.configuration) { reread() }
    watchFolders()
    look(at: nil)
  }

  /// Looks at some folders, or at all.
  private func look(at changed: Set<String>?) {
    if changed?.contains(headsFolder) ?? true { lookAtRecords() }
    let isHinted = trackedPaths.contains { changed?.contains(parent(of: $0)) ?? true }
    if isHinted, places.haveChanged(trackedPaths) { schedule.fileChanged() }
    for setting in repository.configuration.remotes {
      guard let folder = headsFolder(of: setting), changed?.contains(folder.path) ?? true else { continue }
      lookAtRemote(setting.name, folder)
    }
  }

  private func lookAtRecords() {
    guard let names = try? repository.store.headNames(), places.noteHeads(names) else { return }
    tell(.recorded)
    schedule.recordsChanged()
    readPreferences()
  }

  private func lookAtRemote(_ name: String, _ folder: HeadsFolder) {
    guard let heads = places.heads(in: folder, besides: repository.deviceID) else {
      if away.insert(name).inserted { tell(.away(remote: name)) }
      return
    }
    if away.remove(name) != nil {
      tell(.back(remote: name))
      watchFolders()
      schedule.hasReturned(name)
    }
    let known = places.remoteHeads[name]
    guard heads != known else { return }
    places.note(heads, of: name)
    let new = unknown(known.map(heads.subtracting) ?? heads, isFirst: known == nil)
    guard !new.isEmpty else { return }
    tell(.remoteChanged(remote: name, devices: new))
    schedule.remoteChanged(name)
  }

  /// Whose heads, of those that a folder came to show, are not here: what people call the devices.
  ///
  /// - Parameter isFirst: whether these are all that the folder shows: then the older ones were read before.
  private func unknown(_ heads: Set<String>, isFirst: Bool) -> [String] {
    let here = places.heads
    let newest = SyncPlan.newestSequences(here)
    let names = heads.compactMap { TreeName(path: "heads/\($0)") }
    let devices = names.compactMap { name -> DeviceID? in
      guard case .head(let head) = name, !here.contains(head) else { return nil }
      return isFirst && head.sequence <= newest[head.device] ?? 0 ? nil : head.device
    }
    guard !devices.isEmpty else { return [] }
    let called = try? repository.read { snapshot in Set(devices).map { snapshot.name(of: $0) } }
    return (called ?? devices.map(\.hex)).sorted()
  }

  // MARK: - Doing

  private func perform(_ task: WatchSchedule.Task) {
    switch task {
    case .poll: poll()
    case .capture: capture()
    case .collect: collect()
    case .sync(let name): sync(name)
    }
  }

  private func capture() {
    places.noteFiles(trackedPaths)
    do {
      let reports = try repository.captureTracked()
      reports.forEach(tell)
      if reports.contains(where: { !$0.captured.isEmpty }) { noteOwnRecords() }
    } catch {
      places.forgetFiles()
      tell(.failed(remote: nil, error: error, retry: schedule.intervals.poll))
    }
  }

  private func collect() {
    do {
      let outcome = try repository.collectUsage(
        CollectOptions(), search: try surroundings.search(), programs: surroundings.programs)
      guard outcome.requests.new + outcome.requests.updated + outcome.readings.new > 0 else { return }
      tell(.collected(outcome))
      noteOwnRecords()
    } catch {
      tell(.failed(remote: nil, error: error, retry: schedule.collects))
    }
  }

  /// Something was stored by this process: the remotes are to have it.
  private func noteOwnRecords() {
    _ = places.noteHeads((try? repository.store.headNames()) ?? [])
    advance()
    schedule.recordsChanged()
  }

  private func sync(_ name: String) {
    let folder = (try? repository.configuration.remote(name)).flatMap(headsFolder)
    // What the folder shows before is what the pull will have seen; what comes later is new.
    if let folder { lookAtRemote(name, folder) }
    let isAway = away.contains(name)
    places.noteFiles(trackedPaths)
    do {
      let outcome = try surroundings.round(repository).run(name) { remote in
        try repository.sync(with: remote, named: name)
      }
      finish(outcome)
    } catch {
      advance()
      let retry = schedule.ended(name, succeeded: false, chance: chance)
      // That a folder is away was told.
      if !isAway { tell(.failed(remote: name, error: error, retry: retry)) }
    }
  }

  private func finish(_ outcome: SyncOutcome) {
    let name = outcome.remote
    let moved = outcome.pushedCount + outcome.fetchedCount > 0
    advance()
    schedule.ended(name, succeeded: true, moved: moved)
    let found = Finding(warnings: outcome.warnings, pending: outcome.pending, conflicts: outcome.conflicts)
    if moved || findings[name, default: Finding()] != found { tell(.synced(outcome)) }
    findings[name] = found
    let seen = places.heads
    guard places.noteHeads((try? repository.store.headNames()) ?? []) else { return }
    readPreferences()
    // What came here may be news to the other remotes, and what was recorded here unseen to this one, too.
    let hasCome = outcome.fetchedCount > 0 && repository.configuration.remotes.count > 1
    let isRecorded = places.heads.subtracting(seen).contains { $0.device == repository.deviceID }
    if hasCome || (isRecorded && isUnsent) { schedule.recordsChanged() }
  }

  /// Whether a remote lacks something of this device's: an edit that a round with another remote took, or what another
  /// process recorded since this one last looked.
  private var isUnsent: Bool {
    let own = places.heads.filter { $0.device == repository.deviceID }
    guard let trust = try? repository.readTrust(), let newest = own.max() else { return false }
    return repository.configuration.remotes.contains { remote in
      newest.sequence > trust[remote: remote.name].pushed?.sequence ?? 0
    }
  }

  /// Tells of a tracked file, unless the same problem was told before.
  public func tell(_ report: TrackReport) {
    let (source, problem) = (report.file.source, report.problem)
    let moved = !report.captured.isEmpty || !report.written.isEmpty
    let before = problems[source]
    // Edits are taken from a file that nobody may write, too: that nothing is wrong then is no news.
    let isStillSo = before == .readOnly && places.isReadOnly(report.file.path)
    if problem == nil, !moved, isStillSo { return }
    problems[source] = problem
    if moved || (before != problem && problem != nil) { tell(.tracked(report)) }
  }

  private var chance: Double {
    Double(repository.environment.random.bytes(1).first ?? 255) / 255
  }
}
