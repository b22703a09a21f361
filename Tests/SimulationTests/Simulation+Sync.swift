import ObjectStore
import TestSupport

@testable import RunicCore

extension Simulation {
  /// One device pulls, pushes, or does both, with one of its remotes.
  func sync(_ device: SimulatedDevice) throws {
    let remote = device.remotes[random.number(0...device.remotes.count - 1)]
    let strategy: MergeStrategy? = random.chance(20) ? .preferRemote : nil
    let wish = random.number(0...9)
    note("\(device.number) syncs with r\(remote)\(wish < 3 ? ", pull only" : wish < 5 ? ", push only" : "")")
    // As the command does it, or as whoever knows nothing of settings files.
    let follows = device.watches && random.chance(50)
    if follows { for report in try device.repository.captureTracked() { noteTracked(report, of: device) } }
    if wish < 3 || wish >= 5 { try pull(device, from: remote, strategy: strategy) }
    if wish >= 3 { try push(device, to: remote) }
    if follows { for report in try device.repository.writeTracked() { noteTracked(report, of: device) } }
  }

  @discardableResult
  func pull(
    _ device: SimulatedDevice, from remote: Int, strategy: MergeStrategy? = nil
  ) throws -> SyncOutcome {
    let before = met.contains(.rollUp) ? [:] : try device.newestHeads()
    let outcome = try during(device, remote) { place in
      try device.repository.pull(from: place, named: "r\(remote)", strategy: strategy ?? device.strategy)
    }
    note(
      "  \(outcome.fetchedCount) changes came, \(outcome.conflicts) conflicts, \(outcome.pending.count) pending"
    )
    try look(at: outcome, of: device)
    try lookForRollUp(since: before, at: device)
    try device.checkAcknowledged()
    return outcome
  }

  @discardableResult
  func push(_ device: SimulatedDevice, to remote: Int) throws -> SyncOutcome {
    let outcome = try during(device, remote) { place in
      try device.repository.push(to: place, named: "r\(remote)")
    }
    note("  \(outcome.pushedCount) changes went")
    try look(at: outcome, of: device)
    return outcome
  }

  /// Runs a sync, now and then with something else in the middle of it.
  private func during(
    _ device: SimulatedDevice, _ remote: Int, _ body: (any Remote) throws -> SyncOutcome
  ) throws -> SyncOutcome {
    let place = view(of: remotes[remote], for: device)
    guard remotes[remote].vices != .none, random.chance(16) else { return try body(place) }
    let call = random.number(2...5)
    if random.chance(50) { return try body(DisturbedRemote(place, at: call, .lineEnds)) }
    let other = devices[random.number(0...devices.count - 1)]
    let disturbed = DisturbedRemote(
      place, at: call,
      .meanwhile { [self] in
        note("  meanwhile \(other.number) records")
        try interrupt(with: other, remote)
      })
    let outcome = try body(disturbed)
    if let failure = disturbed.failure { throw failure }
    return outcome
  }

  /// Another device, or another process of the same one, records and pushes.
  private func interrupt(with other: SimulatedDevice, _ remote: Int) throws {
    meet(.interruption)
    setClock(of: other)
    let process = try other.reopened()
    for _ in 0..<random.number(1...3) {
      try other.record(in: process) { try $0.addUsage(&random) }
      guard other.remotes.contains(remote) else { return }
      _ = try process.push(to: view(of: remotes[remote], for: other), named: "r\(remote)")
    }
  }

  // MARK: - What was met

  private func look(at outcome: SyncOutcome, of device: SimulatedDevice) throws {
    if !outcome.pending.isEmpty { meet(.pending) }
    for warning in outcome.warnings {
      switch warning {
      case .newIdentity, .forked: meet(.clone)
      case .damaged: meet(.torn)
      case .rolledBack: meet(.rollback)
      case .farAhead, .slow, .waitingKeys: break
      case .unreadable(_, let name, let object, _):
        throw BrokenLaw("device \(device.number) cannot read \(object) of \(name)")
      }
    }
    if outcome.conflicts > 0 {
      meet(.conflict)
      if !met.contains(.deleteAgainstEdit),
        try device.repository.read({ try $0.conflicts().contains(where: \.concernsDelete) })
      {
        meet(.deleteAgainstEdit)
      }
    }
  }

  /// Whether an object came that begins with commits which the device had from an object that it replaces.
  private func lookForRollUp(since before: [DeviceID: HeadName], at device: SimulatedDevice) throws {
    guard !met.contains(.rollUp) else { return }
    for (id, name) in try device.newestHeads() where name.device != device.repository.deviceID {
      guard let old = before[id], old != name else { continue }
      let head = try device.repository.store.head(name, keys: device.repository.repositoryKeys)
      if head.objects.contains(where: { $0.first <= old.sequence && old.sequence < $0.last }) {
        meet(.rollUp)
        return
      }
    }
  }
}

extension SimulatedDevice {
  func newestHeads() throws -> [DeviceID: HeadName] {
    Dictionary(try repository.store.headNames().map { ($0.device, $0) }) { max($0, $1) }
  }
}

/// What a schedule met.
struct Encounters: OptionSet {
  let rawValue: Int

  static let conflict = Encounters(rawValue: 1)
  static let deleteAgainstEdit = Encounters(rawValue: 2)
  static let clone = Encounters(rawValue: 4)
  static let torn = Encounters(rawValue: 8)
  static let rollUp = Encounters(rawValue: 16)
  static let pending = Encounters(rawValue: 32)
  static let interruption = Encounters(rawValue: 64)
  static let outage = Encounters(rawValue: 128)
  static let rollback = Encounters(rawValue: 256)
  static let lostLine = Encounters(rawValue: 512)
  static let fullDisk = Encounters(rawValue: 1024)
  static let sleep = Encounters(rawValue: 2048)
  static let watcher = Encounters(rawValue: 1 << 12)
  static let followedFile = Encounters(rawValue: 1 << 13)
  static let killedWatcher = Encounters(rawValue: 1 << 14)
  static let editDuringSync = Encounters(rawValue: 1 << 15)
  static let fileLeftAlone = Encounters(rawValue: 1 << 16)
  static let hookAgainst = Encounters(rawValue: 1 << 17)
  static let folderBack = Encounters(rawValue: 1 << 18)
  static let wokenWatcher = Encounters(rawValue: 1 << 19)
  static let waitingKeys = Encounters(rawValue: 1 << 20)
  static let fullUnderWatcher = Encounters(rawValue: 1 << 21)

  static let named: [(Encounters, String)] = [
    (.conflict, "a conflict"), (.deleteAgainstEdit, "a delete against an edit"), (.clone, "a clone"),
    (.torn, "a torn file"), (.rollUp, "a roll-up under a reader"), (.pending, "something pending"),
    (.interruption, "a sync interrupted by another"), (.outage, "an outage"), (.rollback, "a rollback"),
    (.lostLine, "a line that ended"), (.fullDisk, "a full disk"), (.sleep, "a device that slept for a year"),
    (.watcher, "a watcher"), (.followedFile, "a tracked file that others changed"),
    (.killedWatcher, "a watcher that was killed"), (.editDuringSync, "a tracked file edited during a sync"),
    (.fileLeftAlone, "a tracked file that was left alone"), (.hookAgainst, "a hook that stopped a sync"),
    (.folderBack, "a watched folder that came back"), (.wokenWatcher, "a watcher that woke"),
    (.waitingKeys, "keys that wait for an answer"), (.fullUnderWatcher, "a watcher on a full disk"),
  ]
}
