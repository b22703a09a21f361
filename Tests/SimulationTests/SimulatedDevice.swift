import ObjectStore
import TestSupport

@testable import RunicCore

/// A device of the simulation: its own disk, its own wrong clock, the real engine.
final class SimulatedDevice {
  /// All that is the device's, and in it the repository.
  static let home = "/d"
  static let root = "\(home)/r"

  let number: Int
  var fileSystem: MemoryFileSystem
  let clock = ManualClock()
  /// How wrong the clock is, in milliseconds.
  var skew: Int64
  /// The remotes that it uses.
  let remotes: [Int]
  var strategy: MergeStrategy
  private(set) var repository: Repository
  /// The commits that it said were recorded.
  private(set) var acknowledged: [Digest] = []
  /// How many of them are known to be still there.
  private var verified = 0
  /// The event up to which it does nothing.
  var sleepsUntil = 0
  /// A backup of the disk.
  var backup: (disk: MemoryFileSystem.Snapshot, acknowledged: [Digest], settings: [SettingsFile])?
  /// Whether it has settings files and watches, most of the time.
  var watches = false
  var settings: [SettingsFile] = []
  /// The process that watches; nil where there is none just now.
  var watcher: SimulatedWatcher?
  let hooks = SimulatedHooks()
  private let shared: Shared
  private let random: RandomSource

  /// What the devices of a schedule have in common.
  struct Shared {
    let seed: UInt64
    let laws: @Sendable (Int) -> EngineLaws
    /// Each head is verified once, by whichever device reads it first.
    let heads = HeadCache(limit: 4096)
  }

  /// Makes a device's repository with `make`, on a disk that may hold one already.
  init(
    _ number: Int, on fileSystem: MemoryFileSystem, remotes: [Int], skew: Int64, strategy: MergeStrategy,
    shared: Shared, now: Int64, make: (Environment) throws -> Repository
  ) throws {
    self.number = number
    self.fileSystem = fileSystem
    self.remotes = remotes
    self.skew = skew
    self.strategy = strategy
    self.shared = shared
    random = .seeded(shared.seed &* 31 &+ UInt64(number))
    clock.milliseconds = now &+ skew
    repository = try make(
      Self.environment(number, on: fileSystem, clock: clock, random: random, shared: shared))
  }

  private static func environment(
    _ number: Int, on fileSystem: any FileSystem, clock: ManualClock, random: RandomSource, shared: Shared
  ) -> Environment {
    var environment = Environment(
      fileSystem: fileSystem, clock: clock.clock, random: random, heads: shared.heads, lockWait: 1000)
    environment.laws = shared.laws(number)
    return environment
  }

  /// Another process of the same device.
  func reopened() throws -> Repository { try reopened(on: fileSystem) }

  func reopened(on fileSystem: any FileSystem, door: RemoteDoor? = nil) throws -> Repository {
    var environment = Self.environment(number, on: fileSystem, clock: clock, random: random, shared: shared)
    if let door { environment.testRemote = { door.open($0) } }
    return try Repository.open(at: Self.root, environment: environment)
  }

  func reopen() throws { repository = try reopened() }

  /// Takes over what another device, that this one is a copy of, has acknowledged.
  func inherit(_ commits: [Digest]) { (acknowledged, verified) = (commits, 0) }

  // MARK: - Writing

  /// Records something and notes what was acknowledged.
  ///
  /// - Throws: `BrokenLaw` where a commit's stamp runs away from the clock.
  func record(in other: Repository? = nil, _ body: (Transaction) throws -> Void) throws {
    var used: Transaction?
    try (other ?? repository).write { transaction in
      used = transaction
      try body(transaction)
    }
    guard let used else { return }
    let limit = max(0, clock.milliseconds) &+ HybridClock.tolerance &+ 1
    for commit in used.commits {
      acknowledged.append(commit.hash)
      guard let place = try used.index.place(of: commit.hash) else {
        throw BrokenLaw("device \(number) does not know its own commit \(commit.sequence)")
      }
      guard place.stamp.milliseconds <= limit else {
        throw BrokenLaw("device \(number) followed a far-off clock: \(place.stamp.milliseconds) > \(limit)")
      }
    }
  }

  /// Nothing acknowledged is ever missing.
  func checkAcknowledged(all: Bool = false) throws {
    let begin = all ? 0 : max(0, verified - 2)
    let missing = try repository.read { snapshot in
      try acknowledged[begin...].first { try snapshot.index.place(of: $0) == nil }
    }
    if let missing { throw BrokenLaw("device \(number) lost the commit \(missing.hex)") }
    verified = acknowledged.count
  }
}

/// Something that must hold did not.
struct BrokenLaw: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
