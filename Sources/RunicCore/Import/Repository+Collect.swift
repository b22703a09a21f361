import ObjectStore

extension Repository {
  /// Reads what AI tools logged on this machine and records what is new.
  ///
  /// Logs are read without the lock, which is held only while a batch is stored, so any number of these may
  /// run at once. What cannot be read is left out and counted, never an error.
  ///
  /// - Parameters:
  ///   - search: where logs are looked for.
  ///   - programs: runs `zstd` and `sqlite3`.
  ///   - progress: called after each file and now and then within a large one.
  /// - Complexity: O(bytes of the logs that changed + number of logs); memory for some ten thousand records.
  public func collectUsage(
    _ options: CollectOptions, search: LogSearch, programs: any ProgramRunner,
    progress: @escaping (CollectProgress) -> Void = { _ in }
  ) throws -> CollectOutcome {
    let collector = try Collector(self, options, search, programs, progress)
    return try collector.run()
  }
}

/// One run of a collection.
private final class Collector {
  private let repository: Repository
  private let options: CollectOptions
  private let search: LogSearch
  private let programs: any ProgramRunner
  private let progress: (CollectProgress) -> Void
  private let enabled: EnabledProviders
  private let sink = ImportSink()
  private let buffer = LineBuffer()
  private let store: ImportStore
  private var state: ImportState
  private var outcome = CollectOutcome()
  private var place = CollectPlace()

  init(
    _ repository: Repository, _ options: CollectOptions, _ search: LogSearch, _ programs: any ProgramRunner,
    _ progress: @escaping (CollectProgress) -> Void
  ) throws {
    self.repository = repository
    self.options = options
    self.search = search
    self.programs = programs
    self.progress = progress
    enabled = try repository.read { try EnabledProviders(in: $0) }
    let known = try repository.readImportState()
    // Days of two zones do not go together, and which requests they were told of nobody knows any more.
    state = known.zone == search.zone.name ? known : ImportState(zone: search.zone.name)
    store = ImportStore(repository, isDryRun: options.isDryRun)
  }

  func run() throws -> CollectOutcome {
    sink.options = options
    sink.now = repository.environment.clock.now()
    sink.days = LoggedDays(state.days, zone: search.zone)
    sink.whenFull = { [store] in try store.add($0) }
    store.marked = { [unowned sink] in $0.marked(sink.days) }
    sink.whenRead = { [unowned self] in self.count($0) }
    let before = state
    do {
      for file in options.files { try readNamed(file) }
      if let text = options.standardInput { try readGiven(LogFile("-", .given(text)), Importers.ccusage) }
      for importer in importers() { try collect(importer) }
      try sink.flush()
      try markRows()
      try store.finish()
    } catch let error as ImportStoreFailure {
      throw error.cause
    }
    if !options.isDryRun, state != before { try repository.writeImportState(state) }
    outcome.requests = store.requests
    outcome.readings = store.readings
    outcome.skipped = sink.skipped
    return outcome
  }

  /// Marks the rows of other programs that repeat what this machine's logs hold, whichever of the two came first.
  private func markRows() throws {
    let isNews = sink.hasRows || sink.days.all != state.days
    state.days = sink.days.all
    guard isNews, !options.isDryRun else { return }
    let rows = try repository.read { try $0.rowsRepeating(sink.days) }
    if !rows.isEmpty { try store.add(rows) }
  }

  /// Those that were asked for; where none and no file was, those of the enabled providers.
  private func importers() -> [any LogImporter] {
    if let named = options.importers { return named }
    if isGiven { return [] }
    return Importers.all.filter { importer in
      importer.providers.isEmpty || importer.providers.contains { enabled.contains($0) }
    }
  }

  private var isGiven: Bool { !options.files.isEmpty || options.standardInput != nil }

  /// A tool that serves many providers has its requests looked at one by one.
  private func prepareSink(for importer: any LogImporter) -> String {
    sink.revision = importer.revision
    sink.accepts = { _ in true }
    let isAsked = options.importers != nil || isGiven
    guard importer.providers.isEmpty, !isAsked, let names = enabled.names, !enabled.contains(importer.name)
    else { return "" }
    sink.accepts = { [enabled] in enabled.contains($0) }
    return names.sorted().joined(separator: ",")
  }

  // MARK: - Logs of a tool

  private func collect(_ importer: any LogImporter) throws {
    let profile = ImportProfile(
      importer: importer.name, revision: importer.revision, withProjects: options.withProjects,
      providers: prepareSink(for: importer))
    let already = search.skipped.count
    let logs = importer.logs(in: search)
    for (skip, path) in search.skipped.dropFirst(already) { sink.skip(skip, path) }
    forgetLogs(of: importer, except: logs)
    place = CollectPlace(importer: importer.name, totalFiles: logs.count)
    let siblings = LogSiblings(logs)
    for log in logs {
      try read(log, importer, profile, siblings: siblings)
      place.files += 1
      report()
    }
  }

  private func forgetLogs(of importer: any LogImporter, except logs: [LogFile]) {
    let there = Set(logs.map(\.path))
    state.logs = state.logs.filter { $0.value.profile.importer != importer.name || there.contains($0.key) }
  }

  private func read(
    _ log: LogFile, _ importer: any LogImporter, _ profile: ImportProfile, siblings: LogSiblings
  ) throws {
    do {
      guard let seen = try look(at: log, profile) else { throw ImportSkipError(skip: .vanished) }
      let known = state.logs[log.path]
      if let known, known.covers(seen) {
        outcome.unchangedFiles += 1
        return
      }
      let input = input(
        log, from: try start(log, importer, known, seen), siblings, lastReading: known?.lastReading)
      try read(input, importer, profile)
    } catch let error as SystemError {
      sink.skip(error.isMissing ? .vanished : .unreadable(code: error.code), log.path)
    } catch let error as ImportSkipError {
      sink.skip(error.skip, log.path, parent: error.parent)
    }
  }

  private func read(_ input: LogInput, _ importer: any LogImporter, _ profile: ImportProfile) throws {
    let before = try companions(of: input.log)
    sink.leftOut = false
    try reading { try importer.read(input) }
    outcome.readFiles += 1
    guard let status = input.status, !sink.leftOut else { return }
    var seen = LogState(
      status, companions: before, now: repository.environment.clock.now(), profile: profile)
    seen.offset = input.finished
    seen.sample = input.sample
    seen.lastReading = input.lastReading
    state.logs[input.log.path] = seen
  }

  private func input(
    _ log: LogFile, from start: Int64, _ siblings: LogSiblings, lastReading: Timestamp? = nil
  ) -> LogInput {
    LogInput(
      log, from: start, siblings: siblings, search: search, programs: programs, sink: sink, buffer: buffer,
      lastReading: lastReading, findRequests: { [store] in try store.recorded($0) })
  }

  /// Tells a failure of the store, which ends the run, from one of the log, which does not.
  private func reading(_ body: () throws -> Void) throws {
    do { try body() } catch {
      if let failure = store.failure { throw ImportStoreFailure(cause: failure) }
      throw error
    }
  }

  private func look(at log: LogFile, _ profile: ImportProfile) throws -> LogState? {
    guard let status = try search.fileSystem.status(log.path) else { return nil }
    return LogState(
      status, companions: try companions(of: log), now: repository.environment.clock.now(), profile: profile)
  }

  private func companions(of log: LogFile) throws -> [FileStatus] {
    try log.companions.compactMap { try search.fileSystem.status($0) }
  }

  /// Behind what was read, where the log only grew since; else the beginning.
  private func start(
    _ log: LogFile, _ importer: any LogImporter, _ known: LogState?, _ seen: LogState
  ) throws -> Int64 {
    guard importer.linesStandAlone, let known, known.profile.covers(seen.profile), let sample = known.sample,
      seen.length >= known.offset
    else { return 0 }
    let file = try OpenFile(log.path, .read, in: search.fileSystem)
    return try LogSample(of: file, upTo: known.offset) == sample ? known.offset : 0
  }

  // MARK: - Named files

  /// The user counts on these: what is wrong with one ends the run.
  private func readNamed(_ path: String) throws {
    if let type = try search.fileSystem.status(path)?.type, type != .file {
      throw UnreadableLog(path: path, skip: type == .symbolicLink ? .symbolicLink : .notAFile)
    }
    let file = try OpenFile(path, .read, in: search.fileSystem)
    let named = NamedLog(path: path, head: try file.read(64 << 10, at: 0))
    let all = Importers.all + [Importers.ccusage]
    guard let importer = all.first(where: { $0.recognizes(named) }) else {
      throw UnreadableLog(path: path, skip: .unknownFormat)
    }
    let form: LogFile.Form = named.isZstandard ? .zstandard : named.isSQLite ? .sqlite : .plain
    try readGiven(LogFile(path, form), importer)
  }

  private func readGiven(_ log: LogFile, _ importer: any LogImporter) throws {
    place = CollectPlace(importer: importer.name, totalFiles: 1)
    _ = prepareSink(for: importer)
    let input = input(log, from: 0, LogSiblings(importer.logs(in: search)))
    do {
      try reading { try importer.read(input) }
      outcome.readFiles += 1
    } catch let error as ImportSkipError {
      throw UnreadableLog(path: log.path, skip: error.skip, parent: error.parent)
    }
  }

  // MARK: - Progress

  private func count(_ bytes: Int) {
    outcome.bytes &+= Int64(bytes)
    place.unreported += bytes
    if place.unreported > 8 << 20 { report() }
  }

  private func report() {
    place.unreported = 0
    progress(
      CollectProgress(
        importer: place.importer, files: place.files, totalFiles: place.totalFiles, bytes: outcome.bytes))
  }
}

private struct CollectPlace {
  var importer = ""
  var files = 0
  var totalFiles = 0
  var unreported = 0
}

extension NamedLog {
  var isZstandard: Bool { head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) }
  var isSQLite: Bool { head.starts(with: "SQLite format 3".utf8) }
}
