import CanonicalJSON
import ObjectStore

extension Repository {
  /// Follows a settings file from now on, or follows it otherwise than before.
  ///
  /// - Throws: `RunicError.unknownKind`, `.notPerKey` where the record's kind does not merge key by key.
  public func track(_ file: TrackedFile) throws {
    let kind = try read { try $0.kinds.kind(file.record.kind) }
    guard case .perKey = kind.rule else { throw RunicError.notPerKey(kind: kind.name) }
    let known = configuration.tracked.first { $0.path == file.path }
    if known != file { try withLedger { file.forgetWhatWasNotFollowed(since: known, in: &$0) } }
    try configure { $0.track(file) }
  }

  /// Follows a file no longer; file and record stay as they are.
  ///
  /// What was known of the file goes first: what is left of a process that dies in between waits for a person to pick
  /// a side, where what is known of a file that nobody followed for a while would make edits of what changed meanwhile.
  ///
  /// - Returns: whether it was followed.
  public func untrack(_ path: String) throws -> Bool {
    guard let file = configuration.tracked.first(where: { $0.path == path }) else { return false }
    try forget(source: file.source)
    try configure { $0.untrack(path) }
    return true
  }

  /// Takes the edits of all tracked files into their records: before a pull, a push, and whenever one changed.
  /// A file that cannot be taken keeps no other waiting.
  ///
  /// Takes the repository's lock only where something is to be stored.
  public func captureTracked() throws -> [TrackReport] {
    let files = configuration.tracked
    return files.isEmpty ? [] : try withLedger { ledger in try files.map { try capture($0, &ledger) } }
  }

  /// The same for one file, with a person's answer to what it asks.
  public func captureTracked(_ file: TrackedFile, answer: TrackAnswer) throws -> TrackReport {
    try withLedger { try capture(file, answer: answer, &$0) }
  }

  /// Brings all tracked files to what their records show.
  public func writeTracked() throws -> [TrackReport] {
    let files = configuration.tracked
    return files.isEmpty ? [] : try withLedger { ledger in try files.map { try handOver($0, &ledger) } }
  }

  /// The same for one file.
  ///
  /// - Parameter makesFile: whether a file that is not there is made: only a person can want that.
  public func writeTracked(_ file: TrackedFile, makesFile: Bool) throws -> TrackReport {
    try withLedger { try handOver(file, makesFile: makesFile, &$0) }
  }

  /// The keys of each tracked file that wait for somebody to pick a side.
  public func waitingKeys() throws -> [(file: TrackedFile, keys: [JSONString])] {
    if configuration.tracked.isEmpty { return [] }
    let ledger = try readLedger()
    return configuration.tracked.map { file in
      (file, file.covered(ledger.sources[file.source])?.waiting.sorted() ?? [])
    }
  }

  /// How each tracked file stands: what waits in it, and why it would be left alone. Changes nothing.
  public func trackedFiles() throws -> [TrackReport] {
    if configuration.tracked.isEmpty { return [] }
    let ledger = try readLedger()
    return try configuration.tracked.map { file in
      try report(file) { report in
        report.waiting = file.covered(ledger.sources[file.source])?.waiting.sorted() ?? []
        let text = try TrackedText(of: file, in: environment.fileSystem)
        let state = try keyed(file.record)
        let found = try edits(of: file, in: text.text.payload, state: state, TrackAnswer(), ledger)
        guard text.isReadOnly, found.edits.writes.isEmpty, let base = found.base else { return }
        if file.handedOver(to: text.text.payload, base: base, state: state) != text.text.payload {
          throw TrackProblem.readOnly
        }
      }
    }
  }

  /// Does one step of one file; what is wrong with the file alone is reported, not thrown.
  private func report(
    _ file: TrackedFile, _ step: (inout TrackReport) throws -> Void
  ) throws -> TrackReport {
    var report = TrackReport(file)
    do { try step(&report) } catch let problem as TrackProblem { report.problem = problem }
    return report
  }
}

// MARK: - From the file into its record

extension Repository {
  private func capture(
    _ file: TrackedFile, answer: TrackAnswer = TrackAnswer(), _ ledger: inout SyncLedger
  ) throws -> TrackReport {
    try report(file) { report in
      let payload = try TrackedText(of: file, in: environment.fileSystem).text.payload
      let state = try keyed(file.record)
      let (taken, base, edits) = try edits(of: file, in: payload, state: state, answer, ledger)
      let captured = try capture(taken, of: file, base: base, edits, state: state, answer.choice, &ledger)
      report.captured = captured.writes.keys.compactMap(\.string).sorted()
      report.waiting = captured.waiting.sorted()
    }
  }

  /// What a file holds of its record's, what is known of it, and what of that is an edit. Writes nothing.
  ///
  /// - Throws: `TrackProblem` where all of it waits.
  private func edits(
    of file: TrackedFile, in payload: JSONObject, state: KeyedState, _ answer: TrackAnswer,
    _ ledger: SyncLedger
  ) throws -> (taken: JSONObject, base: SyncLedger.Base?, edits: SourceCapture) {
    let base = try afterCrash(file.covered(ledger.sources[file.source]), holding: payload, state: state)
    let taken = file.captured(of: payload, base: base, state: state)
    let edits = SourceCapture(taken, base: base, state: state, kind: file.record.kind, choice: answer.choice)
    try check(edits, of: file, holding: taken)
    let (lost, held) = TrackedFile.lost(taken, base: base)
    if lost > held / 2, !answer.allowsMassRemoval { throw TrackProblem.massRemoval(lost: lost, of: held) }
    return (taken, base, edits)
  }

  /// Stores what there is to store; most often there is nothing, and no lock is taken.
  private func capture(
    _ payload: JSONObject, of file: TrackedFile, base: SyncLedger.Base?, _ captured: SourceCapture,
    state: KeyedState, _ choice: SourceChoice?, _ ledger: inout SyncLedger
  ) throws -> SourceCapture {
    guard captured.writes.isEmpty else {
      return try capture(
        payload, from: file.source, into: file.record, base: base, choice: choice, &ledger)
    }
    var next = base ?? SyncLedger.Base(record: file.record)
    next.note(payload, captured: captured, state: state)
    ledger.sources[file.source] = next
    return captured
  }

  private func keyed(_ name: RecordName) throws -> KeyedState {
    try read { try $0.index.keyed(name) } ?? KeyedState()
  }

  /// What the record's kind would refuse from a person is refused from a file too. What the file holds because the
  /// record shows it is no edit: a merge, or a newer version elsewhere, may show what a person may not record here.
  private func check(_ edits: SourceCapture, of file: TrackedFile, holding payload: JSONObject) throws {
    guard payload.canonicalBytes.count <= Transaction.payloadLimit else { throw TrackProblem.tooLarge }
    guard let kind = try read({ $0.kinds.kind(file.record.kind, .keys) }) else { return }
    for (key, value) in payload where edits.writes[.key(key.utf8)] != nil {
      do throws(RunicError) { _ = try kind.checked(value, for: key) } catch {
        guard case .badField(_, let field, let problem) = error else { throw error }
        throw TrackProblem.field(field, problem)
      }
    }
  }
}

// MARK: - From the record into its file

extension Repository {
  private func handOver(
    _ file: TrackedFile, makesFile: Bool = false, _ ledger: inout SyncLedger
  ) throws -> TrackReport {
    try report(file) { report in
      TrackedText.removeLeftover(of: file, by: deviceID, in: environment.fileSystem)
      let state = try keyed(file.record)
      let there = try existing(file, orMade: makesFile)
      let payload = there?.text.payload ?? [:]
      let known = try afterCrash(file.covered(ledger.sources[file.source]), holding: payload, state: state)
      let base = known ?? SyncLedger.Base(record: file.record)
      guard there == nil || isCaptured(payload, of: file, base: base, state: state) else { return }
      let next = file.handedOver(to: payload, base: base, state: state)
      report.waiting = base.waiting.sorted()
      if next != payload || there == nil {
        if there?.isReadOnly == true { throw TrackProblem.readOnly }
        // Kept before the file is replaced: a crash right after leaves no edit that nobody made.
        ledger.sources[file.source] = base.beforeGiving(next, over: payload, state: state)
        try writeLedger(ledger)
        try write(next, over: there, of: file)
        report.written = Self.differences(payload, next)
      }
      var after = base
      after.note(
        handedOver: file.captured(of: next, base: base, state: state), state: state, waiting: base.waiting)
      ledger.sources[file.source] = file.covered(after)
    }
  }

  private func existing(_ file: TrackedFile, orMade: Bool) throws -> TrackedText? {
    do { return try TrackedText(of: file, in: environment.fileSystem) } catch TrackProblem.absent where orMade
    {
      return nil
    }
  }

  /// Whether the file holds no edit that its record has not taken: one that came since, or that asks first.
  private func isCaptured(
    _ payload: JSONObject, of file: TrackedFile, base: SyncLedger.Base, state: KeyedState
  ) -> Bool {
    let taken = file.captured(of: payload, base: base, state: state)
    let open = SourceCapture(
      taken, base: base, state: state, kind: file.record.kind, choice: .preferRemote)
    return open.writes.isEmpty
  }

  private func write(_ payload: JSONObject, over there: TrackedText?, of file: TrackedFile) throws {
    let bytes = try there?.text.edited(to: payload) ?? SettingsText(Array("{}\n".utf8)).edited(to: payload)
    try TrackedText.replace(there, of: file, with: bytes, by: deviceID, in: environment.fileSystem)
  }

  private static func differences(_ before: JSONObject, _ after: JSONObject) -> [JSONString] {
    Set(before.map(\.key) + after.map(\.key)).filter { before[$0] != after[$0] }.sorted()
  }
}
