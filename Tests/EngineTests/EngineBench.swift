import ObjectStore
import RunicCore
import Synchronization
import TestSupport

/// Devices of one repository with engines over them, on a file system in memory and in simulated time.
struct EngineBench {
  let fileSystem: MemoryFileSystem
  let time = SimulatedTime()
  let random = RandomSource.seeded(7)

  init(_ fileSystem: MemoryFileSystem = MemoryFileSystem()) throws {
    self.fileSystem = fileSystem
    try fileSystem.makeDirectories("/w", permissions: 0o700)
  }

  var environment: Environment {
    Environment(fileSystem: fileSystem, clock: time.coreClock, random: random, lockWait: 30_000)
  }

  /// The first device, with the folder `shared` as its remote.
  @discardableResult
  func begin(_ name: String, hasRemote: Bool = true) throws -> Repository {
    let made = try Repository.create(
      at: "/w/\(name)", name: name, passphrase: nil, environment: environment)
    if hasRemote {
      let setting = RemoteSetting(name: "shared", url: "/w/shared")
      try made.configure { try $0.add(setting) }
      _ = try made.prepareRemote(setting)
    }
    return made
  }

  @discardableResult
  func join(_ name: String, of first: Repository) throws -> Repository {
    try Repository.clone(
      from: "/w/shared", named: "shared", to: "/w/\(name)", deviceName: name,
      unlock: .key(first.repositoryKeys.newest.root, first.id), environment: environment)
  }

  func engine(
    _ name: String, openRemote: (@Sendable (Repository, String) throws -> any Remote)? = nil
  ) throws -> FileSyncEngine {
    try FileSyncEngine(
      path: "/w/\(name)", environment: environment, clock: time.clock, openRemote: openRemote)
  }

  /// Two devices that share a folder.
  func pair() throws -> (a: FileSyncEngine, b: FileSyncEngine) {
    let first = try begin("a")
    try join("b", of: first)
    return (try engine("a"), try engine("b"))
  }
}

/// Opens a remote that fails for a reason, as long as there is one, and notes when it was tried.
final class FailingRemote: Sendable {
  private let state = Mutex<(reason: RemoteError.Reason?, attempts: [Int64])>((nil, []))
  private let time: SimulatedTime

  init(_ time: SimulatedTime) { self.time = time }

  var reason: RemoteError.Reason? {
    get { state.withLock { $0.reason } }
    set { state.withLock { $0.reason = newValue } }
  }

  /// Takes the times of the attempts so far.
  func takeAttempts() -> [Int64] {
    state.withLock { state in
      defer { state.attempts = [] }
      return state.attempts
    }
  }

  var attemptCount: Int { state.withLock { $0.attempts.count } }

  var open: @Sendable (Repository, String) throws -> any Remote {
    { repository, name in
      let reason = self.state.withLock { state in
        state.attempts.append(self.time.now)
        return state.reason
      }
      if let reason { throw RemoteError(reason, place: "test") }
      return try repository.remote(repository.configuration.remote(name))
    }
  }
}

/// Notes what it is told.
final class Recorder: SyncObserver {
  private let told = Mutex<[String]>([])
  private let pause: (@Sendable () -> Void)?

  init(pause: (@Sendable () -> Void)? = nil) { self.pause = pause }

  var events: [String] { told.withLock { $0 } }

  private func note(_ event: String) {
    pause?()
    told.withLock { $0.append(event) }
  }

  func syncDidStart() { note("start") }
  func syncDidProgress(current: Int, total: Int) { note("progress \(current)/\(total)") }
  func syncDidComplete(result: SyncResult) { note("complete \(result.pushedCount)") }
  func syncDidFail(error: SyncError) { note("fail") }
}

func reading(_ provider: String, _ used: Int64) -> UsageSnapshotSyncRecord {
  UsageSnapshotSyncRecord(providerID: provider, primaryUsed: used)
}

extension Result {
  var failure: Failure? {
    if case .failure(let error) = self { return error }
    return nil
  }
}
