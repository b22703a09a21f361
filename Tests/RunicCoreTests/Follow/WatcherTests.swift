import ObjectStore
import Testing
import TestSupport

@testable import RunicCore

/// The watcher's steps, with a wait of the test's own.
@Suite struct WatcherTests {
  /// Tells of every folder, always.
  private final class AllFolders: FolderHints {
    private var folders: Set<String> = []

    func watch(_ folders: Set<String>) { self.folders = folders }
    func wait(_ milliseconds: Int64) -> FolderWatcher.Wake { FolderWatcher.Wake(folders: folders) }
  }

  private struct NoPrograms: ProgramRunner {
    func run(
      _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
    ) throws(ProgramError) -> ProgramResult {
      throw .missing(program: call.program)
    }
  }

  /// A device that watches, and what it says.
  private final class Watching {
    private(set) var events: [WatchEvent] = []
    private let hints = AllFolders()
    private let clock: ManualClock
    private var watcher: Watcher?

    init(_ repository: Repository, _ bench: Workbench) throws {
      clock = bench.clock
      let own = try Repository.open(at: repository.layout.root, environment: bench.environment)
      watcher = Watcher(
        own, folders: hints,
        surroundings: Watcher.Surroundings(
          search: { LogSearch(fileSystem: bench.fileSystem) { _ in nil } }, programs: NoPrograms(),
          round: { [unowned self] repository in
            SyncRound(
              repository, .watch, hooks: HookRunner(repository, programs: NoPrograms()) { _, _ in },
              failureText: { _, _ in [:] }, onTrack: { self.watcher?.tell($0) }, onHookFailure: { _ in })
          }, call: { nil }, onEvent: { [unowned self] in events.append($0) }))
      watcher?.begin()
      rest()
    }

    /// Works until nothing is due within so many milliseconds.
    func rest(_ limit: Int64 = 2000) {
      while let pause = watcher?.work(), pause <= limit {
        clock.milliseconds += pause
        look()
      }
    }

    func look() { watcher?.wake(to: hints.wait(0).folders) }

    func problems(of path: String) -> Int {
      events.count { if case .tracked(let report) = $0 { report.problem != nil } else { false } }
    }
  }

  private let disk = MemoryFileSystem()
  private let bench: Workbench
  private let a: Repository
  private let b: Repository
  private let file: TrackedFile

  init() throws {
    bench = try Workbench(disk)
    a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
    _ = try a.push(to: try a.remote(try a.configuration.remote("shared")), named: "shared")
    b = try bench.join("b", of: a)
    let id = Array("user-preferences".utf8)
    file = TrackedFile(
      path: bench.path("a.json"), record: RecordName(family: .keys, kind: "preferences", id: id))
    try disk.setContents(file.path, Array("{}\n".utf8))
    try a.track(file)
  }

  private func sync(_ repository: Repository) throws {
    let remote = try repository.remote(try repository.configuration.remote("shared"))
    _ = try repository.sync(with: remote, named: "shared")
  }

  /// What a round with the first remote, which was due, finds to take or to push goes to the second as well: an edit,
  /// or what another process recorded a moment before.
  @Test(arguments: [true, false]) func whatARoundFindsGoesToEveryRemote(_ isEdit: Bool) throws {
    try bench.attach("other", to: a)
    let watching = try Watching(a, bench)
    // Another device's commit without changes makes the first remote due; nobody has told of the file yet.
    try b.write { transaction in
      transaction.rollsUpEverything = true
      try transaction.appendEmptyCommit()
    }
    try sync(b)
    watching.look()
    if isEdit {
      try disk.setContents(file.path, Array("{\"theme\": \"light\"}\n".utf8))
    } else {
      try a.prefer(["theme": "light"])
    }
    watching.rest()
    let newest = try #require(try a.store.headNames().last { $0.device == a.deviceID })
    let trust = try a.readTrust()
    for remote in ["shared", "other"] {
      #expect(trust[remote: remote].pushed?.sequence == newest.sequence, "\(remote)")
    }
  }

  /// That a file's mode forbids writing it is said once, however often its edits are looked for; also where one of its
  /// keys waits for an answer.
  @Test(arguments: ["{}\n", "{\"theme\": \"light\"}\n"])
  func aFileThatNobodyMayWriteIsToldOfOnce(_ text: String) throws {
    try disk.setContents(file.path, Array(text.utf8))
    let watching = try Watching(a, bench)
    try disk.setPermissions(file.path, 0o400)
    for size in 1...3 {
      try b.prefer(["size": .integer(Int64(size))])
      try sync(b)
      watching.look()
      watching.rest()
      // Another's file changes, as far as the watcher can tell.
      try disk.touch(file.path)
      watching.look()
      watching.rest()
    }
    #expect(watching.problems(of: file.path) == 1)
  }
}
