import ObjectStore
import Synchronization

/// The engine of an app: a local repository, kept in step with other devices through its remote.
///
/// What is recorded lasts when the call returns, whether the remote is there or not. Files, locks and transfers are
/// waited for on two threads of the engine's own, one for records and one for syncs, so a slow remote holds up no
/// record and nothing here holds a thread of the cooperative pool.
public actor FileSyncEngine: SyncEngine {
  /// Settles concurrent edits where a sync is made with `.merge`.
  public nonisolated let conflictResolver = SyncConflictResolver()
  let records: RepositoryWorker
  let transfers: RepositoryWorker
  /// The remote's name; nil: nothing leaves the device.
  let remoteName: String?
  let openRemote: @Sendable (Repository, String) throws -> any Remote
  let clock: SyncClock
  let schedule: RetrySchedule
  nonisolated let observers = ObserverList()
  nonisolated let events = Broadcast<SyncEvent>()
  nonisolated let remoteChanges = Broadcast<RemoteChanges>()
  private nonisolated let sink = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Records that wait for a step of writing, with who waits for them.
  var line: [(record: IncomingRecord, done: CheckedContinuation<Result<String, SyncError>, Never>)] = []
  var isStoring = false
  /// The last of the syncs that wait for each other.
  var lastTurn: Task<Void, Never>?
  var nextSync: (due: Int64, timer: Task<Void, Never>)?

  /// Opens an engine over a repository that exists.
  ///
  /// - Parameters:
  ///   - repository: its folder; nil: the one that the command line would take.
  ///   - remote: the name of one of its remotes; nil: the only one, or none. Without one nothing leaves the device.
  /// - Throws: `SyncError`: `.damaged` where there is no repository or it cannot be read, `.remoteUnavailable` where
  ///   it has no such remote, or has several and none was named, `.wrongKey`, also where `key.command` prints none,
  ///   `.timeout` where that takes longer than a minute, `.busy` where another process holds it, and `.quotaExceeded`.
  public init(repository: String? = nil, remote: String? = nil) throws {
    try self.init(
      path: repository ?? RepositoryLocation.standard() ?? "", remote: remote, environment: .embedded)
  }

  /// Whether a repository lies in a folder, so that an engine may be opened over it.
  ///
  /// - Parameter path: nil: where the command line would look.
  public static func hasRepository(at path: String? = nil) -> Bool {
    guard let path = path ?? RepositoryLocation.standard() else { return false }
    let device = RepositoryLayout(root: path).device
    return ((try? PosixFileSystem().status(device)) ?? nil) != nil
  }

  package init(
    path: String, remote: String? = nil, environment: Environment, clock: SyncClock = .system,
    openRemote: (@Sendable (Repository, String) throws -> any Remote)? = nil
  ) throws {
    (remoteName, records, transfers) = try SyncError.of {
      if path.isEmpty { throw RunicError.noRepository(path: path) }
      let opened = try Repository.openFinishingJoin(at: path, environment: environment)
      return (
        try Self.remoteName(remote, in: opened.configuration),
        try RepositoryWorker(path: path, environment: environment),
        try RepositoryWorker(path: path, environment: environment)
      )
    }
    self.openRemote =
      openRemote ?? { repository, name in try repository.remote(repository.configuration.remote(name)) }
    self.clock = clock
    schedule = RetrySchedule(random: environment.random)
  }

  deinit { nextSync?.timer.cancel() }

  private static func remoteName(_ name: String?, in configuration: Configuration) throws -> String? {
    if let name { return try configuration.remote(name).name }
    let names = configuration.remotes.map(\.name)
    if names.count > 1 { throw RunicError.unknownRemote("", known: names) }
    return names.first
  }

  // MARK: - Looking on

  /// What each merge brings from now on: one element a merge, none skipped and none split. A read after an element
  /// sees all of it. Each call makes a stream of its own.
  public nonisolated var changes: AsyncStream<RemoteChanges> { remoteChanges.stream() }

  /// The engine holds an observer until it is removed.
  public nonisolated func addObserver(_ observer: any SyncObserver) { observers.add(observer) }

  public nonisolated func removeObserver(_ observer: any SyncObserver) { observers.remove(observer) }

  /// Hands a closure lines for diagnostics. They never hold a payload or a key.
  public nonisolated func log(_ body: (@Sendable (String) -> Void)?) { sink.withLock { $0 = body } }

  nonisolated func say(_ text: @autoclosure () -> String) {
    if let body = sink.withLock({ $0 }) { body(text()) }
  }

  /// Changes that are recorded here and that no remote has; 0 without a remote.
  public var pendingOperationCount: Int {
    get async {
      guard remoteName != nil else { return line.count }
      let unpushed = try? await records.run { try $0.status().unpushed }
      return line.count + Int(clamping: unpushed ?? 0)
    }
  }

  nonisolated var hasRemote: Bool { remoteName != nil }

  /// Whether the remote can be reached now and is this repository; false without a remote.
  public func checkAvailability() async -> Bool { hasRemote ? await availabilityError() == nil : false }

  /// Why the remote cannot be used now; nil where it can.
  func availabilityError() async -> SyncError? {
    guard let remoteName else { return nil }
    let openRemote = openRemote
    do {
      try await transfers.run { try $0.checkMarker(of: try openRemote($0, remoteName)) }
      return nil
    } catch { return SyncError(error) }
  }
}

extension Environment {
  /// The system, for an app: it retries by itself, and runs the command that stands in for the key file.
  static var embedded: Environment {
    var environment = Environment.system
    environment.remotes?.retries = false
    environment.keyCommand = { command in
      let call = ProgramCall("/bin/sh", ["-c", command], timeLimit: 60_000)
      let result: ProgramResult
      do throws(ProgramError) { result = try SystemProgramRunner().run(call) } catch {
        if error == .timedOut { throw SyncError.timeout("key.command \(error.words)") }
        throw SyncError.wrongKey("key.command \(error.words)")
      }
      guard result.status == 0 else {
        throw SyncError.wrongKey("key.command ended with status \(result.status)")
      }
      return result.output
    }
    return environment
  }
}
