import CanonicalJSON
import ObjectStore
import Synchronization
import TestSupport

@testable import RunicCore

/// The process of a device that watches: the real `Watcher` with the real rounds, on the device's disk.
final class SimulatedWatcher {
  /// What its process sees of the disk: it may fill up, and the process may die at any call.
  let disk: FaultyFileSystem
  let door: RemoteDoor
  /// The event up to which the disk is full.
  var isFullUntil = 0
  let hints = SimulatedHints()
  let speech: WatchSpeech
  private let watcher: Watcher
  private let clock: ManualClock
  /// Milliseconds until something is due, and when that is by the device's clock.
  private(set) var pause: Int64
  private(set) var due: Int64

  /// - Parameter onTrack: is told what became of tracked files.
  init(
    of device: SimulatedDevice, door: (any FileSystem) -> RemoteDoor, note: @escaping (String) -> Void,
    onTrack: @escaping (TrackReport) -> Void
  ) throws {
    let disk = FaultyFileSystem(device.fileSystem)
    let door = door(disk)
    let speech = WatchSpeech(
      clock: device.clock,
      changes: { [unowned device] path in device.settings.first { $0.path == path }?.changes ?? 0 },
      note: note)
    (self.disk, self.door, self.speech, clock) = (disk, door, speech, device.clock)
    let hooks = device.hooks
    var tell: (TrackReport) -> Void = { _ in }
    watcher = Watcher(
      try device.reopened(on: disk, door: door), folders: hints,
      surroundings: Watcher.Surroundings(
        search: { LogSearch(fileSystem: disk) { _ in nil } }, programs: hooks,
        round: { repository in
          SyncRound(
            repository, .watch, hooks: HookRunner(repository, programs: hooks) { _, _ in },
            failureText: { _, _ in ["code": "failed"] }, onTrack: tell, onHookFailure: { _ in })
        }, call: { hooks.takeCall() },
        onEvent: { event in
          if case .tracked(let report) = event { onTrack(report) }
          speech.hear(event)
        }))
    (pause, due) = (0, 0)
    tell = { [unowned watcher] in watcher.tell($0) }
    watcher.begin()
    work()
  }

  /// What `run` does between two waits.
  func step() {
    speech.noteTime()
    watcher.wake(to: hints.wait(pause).folders)
    work()
  }

  private func work() {
    pause = watcher.work() ?? 0
    due = clock.milliseconds &+ pause
  }
}

/// Hints of changes in folders, some of which are wrong and some of which never come.
final class SimulatedHints: FolderHints {
  private(set) var folders: [String] = []
  var next: Set<String> = []

  func watch(_ folders: Set<String>) { self.folders = folders.sorted() }

  func wait(_ milliseconds: Int64) -> FolderWatcher.Wake {
    defer { next = [] }
    return FolderWatcher.Wake(folders: next)
  }
}

/// Stands in for the programs of the user's, and for whoever calls the process.
final class SimulatedHooks: ProgramRunner {
  private let state = Mutex((isAgainst: false, calls: [WatchCall](), refusals: 0))

  /// Whether each hook says no.
  var isAgainst: Bool {
    get { state.withLock { $0.isAgainst } }
    set { state.withLock { $0.isAgainst = newValue } }
  }

  /// How often a hook said no.
  var refusals: Int { state.withLock { $0.refusals } }

  func call(_ call: WatchCall) { state.withLock { $0.calls.append(call) } }
  func takeCall() -> WatchCall? { state.withLock { $0.calls.isEmpty ? nil : $0.calls.removeFirst() } }

  func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    state.withLock { state in
      if state.isAgainst { state.refusals += 1 }
      return ProgramResult(status: state.isAgainst ? 1 : 0)
    }
  }
}

/// Where a process finds its remotes.
// A schedule runs in one thread from its beginning to its end.
final class RemoteDoor: @unchecked Sendable {
  private let remotes: [String: MemoryRemote.View]
  /// What happens in the middle of the next sync with one of them.
  private var disturbed: [String: DisturbedRemote] = [:]

  init(_ remotes: [String: MemoryRemote.View]) { self.remotes = remotes }

  func open(_ address: String) -> (any Remote)? { disturbed[address] ?? remotes[address] }

  func disturb(at call: Int, _ disturbance: DisturbedRemote.Disturbance) {
    for (address, remote) in remotes { disturbed[address] = DisturbedRemote(remote, at: call, disturbance) }
  }

  /// - Throws: what went wrong in what happened meanwhile.
  func calm() throws {
    defer { disturbed = [:] }
    for remote in disturbed.values { if let failure = remote.failure { throw failure } }
  }
}
