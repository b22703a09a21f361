import ObjectStore

/// One log that is being read: what an importer reads from and hands its findings to.
public final class LogInput {
  public let log: LogFile
  public let search: LogSearch
  /// The logs of this run, this one among them, for tools whose logs repeat one another.
  public let siblings: LogSiblings
  let programs: any ProgramRunner
  /// Tells which of some records are in the store.
  private let findRequests: ([[UInt8]]) throws -> Set<[UInt8]>
  private let sink: ImportSink
  private let buffer: LineBuffer
  /// Where reading begins: behind what is known already.
  private let start: Int64
  /// Of the file when it was opened; nil before.
  private(set) var status: FileStatus?
  /// What of the log is read for good: all whole lines.
  private(set) var finished: Int64 = 0
  /// What the reading of a file proves later on, made while it is open.
  private(set) var sample: LogSample?
  /// The time of the newest quota reading that was taken of the log, by this run or one before.
  public private(set) var lastReading: Timestamp?

  static let documentLimit = 64 << 20
  /// How long a program may take for one log, in milliseconds: far longer than one that works does.
  static let programLimit: Int64 = 600_000

  init(
    _ log: LogFile, from start: Int64, siblings: LogSiblings, search: LogSearch, programs: any ProgramRunner,
    sink: ImportSink, buffer: LineBuffer, lastReading: Timestamp? = nil,
    findRequests: @escaping ([[UInt8]]) throws -> Set<[UInt8]> = { _ in [] }
  ) {
    self.log = log
    self.start = start
    self.siblings = siblings
    self.search = search
    self.programs = programs
    self.lastReading = lastReading
    self.findRequests = findRequests
    self.sink = sink
    self.buffer = buffer
  }

  // MARK: - Findings

  public func add(_ request: ImportedRequest) throws { try sink.add(request) }
  public func add(_ reading: QuotaReading) throws {
    try sink.add(reading)
    lastReading = lastReading.map { max($0, reading.time) } ?? reading.time
  }
  public func skip(_ reason: ImportSkip) { sink.skip(reason, log.path) }

  /// Something is not taken yet: the log is read again by the next run, also where it does not change.
  public func leaveForLater(_ reason: ImportSkip) {
    sink.leftOut = true
    skip(reason)
  }

  /// Whether a time lies less than some milliseconds back, or ahead.
  public func isRecent(_ time: Timestamp, within milliseconds: Int64) -> Bool {
    abs(sink.now &- time.milliseconds) < milliseconds
  }

  /// Which of a provider's requests are recorded already, by this device or another one, from whatever log. What
  /// this run found may not be among them.
  public func recorded(_ requestIDs: [String], of provider: String) throws -> Set<String> {
    let ids = requestIDs.map { ImportedRequest.recordID(provider: provider, requestID: $0) }
    let found = try findRequests(ids)
    return Set(zip(requestIDs, ids).filter { found.contains($0.1) }.map(\.0))
  }

  // MARK: - Lines

  /// Hands over every line of a log that this one builds on. What is wrong with that log is told when it is
  /// read itself.
  public func forEachLine(
    ofSibling sibling: LogFile, containing word: StaticString? = nil,
    _ body: (inout LogCursor) throws -> Void
  ) throws {
    let other = LogInput(
      sibling, from: 0, siblings: LogSiblings([]), search: search, programs: programs, sink: ImportSink(),
      buffer: LineBuffer())
    try other.forEachLine(containing: word, body)
  }

  /// Hands over every row that a query of one column finds in an SQLite database.
  public func forEachRow(of query: String, _ body: (inout LogCursor) throws -> Void) throws {
    let arguments = ["-readonly", "-batch", "-init", "/dev/null", "-cmd", ".timeout 5000", log.path, query]
    try readLines(of: .program("sqlite3", arguments), containing: nil, body)
  }

  /// Hands over every line of the log, whichever form it has.
  ///
  /// What is no object is not handed over, and counted where it is no JSON at all. Of a line that is left out for the
  /// want of the word only the two ends are looked at.
  ///
  /// - Parameters:
  ///   - word: only lines in which it stands; nil for all.
  ///   - body: whose `LogSyntaxError` means that the line is broken: it is counted and left out.
  public func forEachLine(
    containing word: StaticString? = nil, _ body: (inout LogCursor) throws -> Void
  ) throws {
    switch log.form {
    case .plain: try readLines(of: .file, containing: word, body)
    case .zstandard:
      try readLines(of: .program("zstd", ["-d", "-c", "-q", "--", log.path]), containing: word, body)
    case .sqlite, .given: throw ImportSkipError(skip: .unknownFormat)
    }
  }

  private enum Source {
    case file
    case program(String, [String])
  }

  private typealias Take = (UnsafeRawBufferPointer) throws -> Void

  private func readLines(
    of source: Source, containing word: StaticString?, _ body: (inout LogCursor) throws -> Void
  ) throws {
    buffer.reset()
    var isFirst = start == 0
    func take(_ line: UnsafeRawBufferPointer, _ problem: ImportSkip) throws {
      let line = isFirst ? line.withoutByteOrderMark : line
      isFirst = false
      guard line.isBraced else { return LogCursor.isValue(line) ? () : skip(problem) }
      if let word, !line.contains(word) { return }
      var cursor = LogCursor(line)
      do { try body(&cursor) } catch let error as LogSyntaxError {
        skip(error.isNoCount ? .unreadableTokens : problem)
      }
    }
    switch source {
    case .file: try readFile { try take($0, .brokenLine) }
    case .program(let program, let arguments):
      try readProgram(program, arguments) { try take($0, .brokenLine) }
    }
    for _ in 0..<buffer.overlongLines { skip(.overlongLine) }
    if let rest = buffer.rest { try take(rest, .unfinishedLine) }
  }

  private func readFile(_ take: Take) throws {
    let file = try OpenFile(log.path, .read, in: search.fileSystem)
    status = try search.fileSystem.status(file.descriptor)
    var offset = start
    while try buffer.fill({ try search.fileSystem.read(file.descriptor, into: $0, at: offset) }) {
      sink.read(bytes: buffer.lastCount)
      offset &+= Int64(buffer.lastCount)
      try buffer.drain(take)
    }
    finished = start &+ buffer.consumed
    sample = try LogSample(of: file, upTo: finished)
  }

  private func readProgram(_ program: String, _ arguments: [String], _ take: Take) throws {
    status = try search.fileSystem.status(log.path)
    var failure: (any Error)?
    let call = ProgramCall(program, arguments, timeLimit: Self.programLimit, keepsOutput: false)
    let result: ProgramResult
    do throws(ProgramError) {
      result = try programs.run(call) { piece in
        if failure != nil { return }
        do { try takePiece(piece, take) } catch { failure = error }
      }
    } catch {
      throw try failed(program, error)
    }
    if let failure { throw failure }
    guard result.status != 0 else { return }
    // That the system does not let it be read says more than what the program makes of that.
    _ = try OpenFile(log.path, .read, in: search.fileSystem)
    throw ImportSkipError(skip: .programFailed(program, status: result.status))
  }

  private func takePiece(_ piece: ArraySlice<UInt8>, _ take: Take) throws {
    sink.read(bytes: piece.count)
    piece.withUnsafeBytes { buffer.append($0) }
    try buffer.drain(take)
  }

  /// - Throws: what ends the run, not only this log.
  private func failed(_ program: String, _ error: ProgramError) throws -> ImportSkipError {
    switch error {
    case .missing: return ImportSkipError(skip: .programMissing(program))
    case .system(let cause): return ImportSkipError(skip: .unreadable(code: cause.code))
    case .timedOut: return ImportSkipError(skip: .programTimedOut(program))
    case .interrupted, .tooMuchOutput: throw error
    }
  }

  // MARK: - Documents

  /// The whole log, where it is one JSON document.
  public func withDocument(_ body: (inout LogCursor) throws -> Void) throws {
    let bytes = try document()
    sink.read(bytes: bytes.count)
    try bytes.withUnsafeBytes { document in
      var cursor = LogCursor(document.withoutByteOrderMark)
      do { try body(&cursor) } catch let error as LogSyntaxError {
        guard error.isNoCount else { throw ImportSkipError(skip: .brokenDocument) }
        skip(.unreadableTokens)
      }
    }
  }
}

extension LogInput {
  private func document() throws -> [UInt8] {
    if case .given(let bytes) = log.form { return bytes }
    let file = try OpenFile(log.path, .read, in: search.fileSystem)
    let status = try search.fileSystem.status(file.descriptor)
    self.status = status
    guard status.length <= Int64(Self.documentLimit) else { throw ImportSkipError(skip: .oversized) }
    return try file.read(Int(status.length), at: 0)
  }
}

/// A log that cannot be read: the run goes on without it.
struct ImportSkipError: Error, Equatable {
  let skip: ImportSkip
  /// The log that it goes on from, where that is what cannot be read.
  var parent: String?
}
