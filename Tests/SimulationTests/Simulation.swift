import ObjectStore
import TestSupport

@testable import RunicCore

/// One schedule: devices with wrong clocks, remotes with vices, random events, and the laws that must hold.
///
/// Everything follows from the seed. It runs in one thread.
final class Simulation {
  static let start: Int64 = 1_790_000_000_000

  let schedule: Schedule
  var random: SeededRandom
  var now = Simulation.start
  private(set) var devices: [SimulatedDevice] = []
  let remotes: [MemoryRemote]
  private(set) var met = Encounters()
  /// What happened, a line an event; kept where somebody will read it.
  private(set) var trace: [String] = []
  private let isTraced: Bool
  let shared: SimulatedDevice.Shared
  private var joining: Int
  /// How many edits, syncs and accidents there were so far.
  var events = 0
  /// How many devices may have been copied from others.
  private(set) var copiesLeft = 2
  /// For each value that an editor set, of each device the newest commit that the editor may have known.
  var known: [[UInt8]: [DeviceID: Int64]] = [:]
  /// Those that a user may have chosen once more, over what the record showed.
  var chosen: Set<[UInt8]> = []

  init(
    seed: UInt64, isTraced: Bool = false,
    laws: @escaping @Sendable (Int) -> EngineLaws = { _ in .standard }
  ) throws {
    random = SeededRandom(seed: seed)
    schedule = Schedule(seed: seed, using: &random)
    shared = SimulatedDevice.Shared(seed: seed, laws: laws)
    self.isTraced = isTraced
    joining = schedule.joiners
    remotes = (0..<2).map {
      MemoryRemote(address: "r\($0)", isOverALine: $0 == 1, random: SeededRandom(seed: seed &+ UInt64($0)))
    }
    try found()
  }

  func note(_ line: @autoclosure () -> String) {
    if isTraced { trace.append(line()) }
  }

  func meet(_ encounter: Encounters) { met.formUnion(encounter) }

  // MARK: - Devices

  /// The first device makes the remotes; the others know the key.
  private func found() throws {
    let first = try begin(on: MemoryFileSystem(), remotes: [0, 1]) { environment in
      try Repository.create(at: SimulatedDevice.root, name: "d0", passphrase: nil, environment: environment)
    }
    for remote in remotes {
      try view(of: remote, for: first).create([try first.repository.localFile(.marker)])
      remote.vices = schedule.vices
    }
    try first.record { transaction in
      try transaction.patch(
        kind: .declarations, id: Array(Kind.note.name.utf8), Patch(replacingAllBy: Kind.note.declaration))
    }
    for _ in 1..<schedule.founders { try join() }
  }

  private func begin(
    on fileSystem: MemoryFileSystem, remotes: [Int], _ make: (Environment) throws -> Repository
  ) throws -> SimulatedDevice {
    let device = try SimulatedDevice(
      devices.count, on: fileSystem, remotes: remotes, skew: random.skew(), strategy: random.strategy(),
      shared: shared, now: now, make: make)
    devices.append(device)
    note(
      "device \(device.number) begins as \(device.repository.deviceID.hex.prefix(8)), clock \(device.skew),"
        + " remotes \(remotes), \(device.strategy.rawValue)")
    if schedule.watches { try setUpWatching(device) }
    return device
  }

  /// A device that makes its repository from the key and what a remote says of itself.
  private func join() throws {
    let number = devices.count
    let used = random.pick([0], [1], [0, 1])
    let first = devices[0].repository
    let keys = first.repositoryKeys
    let marker = try Marker(decoding: view(of: remotes[used[0]], for: devices[0]).marker())
    _ = try begin(on: MemoryFileSystem(), remotes: used) { environment in
      try Repository.establish(
        at: SimulatedDevice.root, deviceName: "d\(number)", keys: keys, marker: marker, keyFiles: [:],
        configuration: Configuration(), environment: environment)
    }
  }

  private func clone(_ original: SimulatedDevice) throws {
    let disk = MemoryFileSystem(original.fileSystem.snapshot())
    let copy = try begin(on: disk, remotes: original.remotes) { environment in
      try Repository.open(at: SimulatedDevice.root, environment: environment)
    }
    copy.inherit(original.acknowledged)
    if original.watches { (copy.watches, copy.settings) = (true, original.settings) }
    note("device \(copy.number) is a clone of \(original.number)")
  }

  /// - Parameter disk: what the process sees of the device's disk.
  func view(
    of remote: MemoryRemote, for device: SimulatedDevice, on disk: (any FileSystem)? = nil
  ) -> MemoryRemote.View {
    // A side that is the device's own, whatever identity its repository goes under.
    let name = [UInt8](repeating: 0xee, count: 15) + [UInt8(device.number)]
    return remote.view(for: disk ?? device.fileSystem, device: DeviceID(bytes: name))
  }

  // MARK: - Events

  func run() throws {
    let busy = schedule.hasBusyWriter ? devices.last : nil
    while events < schedule.events {
      now &+= Int64(random.number(0...90_000))
      events += 1
      do {
        if let busy, events % 2 == 0 { try runBusy(busy) } else { try runOne() }
      } catch let error as RemoteError where error.reason == .unreachable {
        note("  a remote is out of reach")
        meet(.outage)
        bringBackRemotes()
      } catch let error as RemoteError where error.reason == .lostConnection {
        note("  the line ends")
        meet(.lostLine)
      }
      if schedule.watches { try driveWatchers() }
    }
    bringBackRemotes()
    while joining > 0 { try joinLate() }
  }

  private func runOne() throws {
    let device = devices[random.number(0...devices.count - 1)]
    if events < device.sleepsUntil { return }
    setClock(of: device)
    if device.watches, random.chance(40) { return try happenToWatcher(device) }
    if random.chance(schedule.syncs) { try sync(device) } else { try happen(to: device) }
  }

  func bringBackRemotes() {
    for remote in remotes { remote.comeBack() }
  }

  func setClock(of device: SimulatedDevice) { device.clock.milliseconds = now &+ device.skew }

  private func runBusy(_ device: SimulatedDevice) throws {
    setClock(of: device)
    note("\(device.number) records and pushes")
    try device.record { try $0.addUsage(&random) }
    try push(device, to: device.remotes[0])
  }

  private func joinLate() throws {
    guard joining > 0 else { return }
    joining -= 1
    try join()
  }

  private func happen(to device: SimulatedDevice) throws {
    let sort = EventSort.all[random.number(0...EventSort.all.count - 1)]
    note("\(device.number) \(sort)")
    if random.chance(5) { try device.reopen() }
    switch sort {
    case .add, .addMany, .prefer, .setAlert, .setNote, .delete, .resolve: try edit(device, sort)
    case .collect: try device.record { try $0.rollUpEverything() }
    case .jump: device.skew = random.skew()
    case .join: try joinLate()
    case .clone, .save, .restore, .powerCut, .forgetIndex: try befall(device, sort)
    case .fullDisk: try fillDisk(of: device)
    case .sleep: sleep(device)
    case .outage: remotes[random.number(0...1)].goAway(after: random.number(0...4))
    }
  }

  /// What happens to a device's disk.
  private func befall(_ device: SimulatedDevice, _ sort: EventSort) throws {
    switch sort {
    case .clone where copiesLeft > 0:
      copiesLeft -= 1
      try clone(device)
    case .save: device.backup = (device.fileSystem.snapshot(), device.acknowledged, device.settings)
    case .restore:
      guard let backup = device.backup, copiesLeft > 0 else { return }
      copiesLeft -= 1
      device.watcher = nil
      device.fileSystem.restore(backup.disk)
      device.inherit(backup.acknowledged)
      device.settings = backup.settings
      try device.reopen()
    case .powerCut: try cutPower(of: device)
    case .forgetIndex:
      try SortedTable.destroy(folder: device.repository.layout.index, fileSystem: device.fileSystem)
    default: break
    }
  }
}

extension Simulation {
  func cutPower(of device: SimulatedDevice) throws {
    device.watcher = nil
    device.fileSystem = device.fileSystem.crash()
    device.backup = nil
    try device.reopen()
    try device.checkAcknowledged(all: true)
  }

  /// A device does nothing for a year, while the others go on.
  private func sleep(_ device: SimulatedDevice) {
    meet(.sleep)
    device.sleepsUntil = events + random.number(8...30)
    now &+= 365 * 86_400_000
  }

  /// In the middle of something the disk takes nothing more: that fails and says so, and once there is room nothing
  /// is missing.
  private func fillDisk(of device: SimulatedDevice) throws {
    let disk = FaultyFileSystem(device.fileSystem)
    let process = try device.reopened(on: disk)
    disk.setFault(
      FaultyFileSystem.Fault(
        call: random.number(1...10), code: FaultyFileSystem.noSpace, .fromThenOn,
        only: [.write, .makeDirectory],
        tearsWrites: random.chance(50)))
    let remote = device.remotes[0]
    do {
      switch random.number(0...2) {
      case 0: try device.record(in: process) { try $0.addUsage(&random) }
      case 1: _ = try process.pull(from: view(of: remotes[remote], for: device), named: "r\(remote)")
      default: _ = try process.push(to: view(of: remotes[remote], for: device), named: "r\(remote)")
      }
    } catch let error as SystemError where error.isFull {
      note("  the disk is full")
      meet(.fullDisk)
    }
    try device.reopen()
    try device.checkAcknowledged(all: true)
  }
}

extension SeededRandom {
  /// How wrong a clock is: mostly some seconds, often years.
  fileprivate mutating func skew() -> Int64 {
    let day: Int64 = 86_400_000
    switch number(0...9) {
    case 0...3: return Int64(number(-5000...5000))
    case 4...5: return Int64(number(-20...20)) * 3_600_000
    case 6: return Int64(number(-400...400)) * day
    case 7: return Int64(number(1...30)) * 365 * day
    case 8: return -Int64(number(1...70)) * 365 * day
    default: return 0
    }
  }

  fileprivate mutating func strategy() -> MergeStrategy {
    pick(.lastWriterWins, .manual, .preferLocal, .preferRemote)
  }
}
