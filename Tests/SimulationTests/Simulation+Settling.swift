import ObjectStore
import TestSupport

@testable import RunicCore

extension Simulation {
  /// The edits have stopped: everything arrives, everyone syncs until nothing moves, and then all is compared.
  func settle() throws {
    for remote in remotes {
      remote.comeBack()
      remote.settle()
      remote.vices = .none
    }
    if schedule.watches { try calmWatchers() }
    for device in devices {
      setClock(of: device)
      for remote in device.remotes { try push(device, to: remote) }
    }
    // Most often those that use both remotes come first, so that few rounds are enough.
    let order = random.chance(80) ? devices.sorted { $0.remotes.count > $1.remotes.count } : devices
    var before = try fingerprints()
    for number in 1... {
      note("round \(number)")
      let moved = try round(order, isFirst: number == 1)
      let after = try fingerprints()
      let difference = Self.difference(before, after)
      if !moved, difference == nil { break }
      guard number < 12 else { throw BrokenLaw("syncing does not end: \(difference ?? "files are fetched")") }
      before = after
    }
    if schedule.watches { try checkQuiet() }
    try checkAgreement()
  }

  /// Everyone pulls from and pushes to all its remotes; whether any file came or went.
  private func round(_ order: [SimulatedDevice], isFirst: Bool) throws -> Bool {
    let before = remotes.map(\.counters.filesMoved)
    if schedule.watches { now &+= Self.longestRest }
    for device in order {
      now &+= 1000
      setClock(of: device)
      if device.watches {
        try settleWatcher(of: device)
        continue
      }
      for remote in device.remotes {
        let pulled = try pull(device, from: remote)
        // All pushed just now: in the first round there is news only from the other remote, or of resolutions.
        if isFirst, device.remotes.count == 1, pulled.conflictsResolved == 0 { continue }
        try push(device, to: remote)
      }
    }
    return remotes.map(\.counters.filesMoved) != before
  }

  /// Everything is due, and done, and nothing is written or said.
  private func checkQuiet() throws {
    let before = try fingerprints()
    for device in devices { device.watcher?.speech.lines = [] }
    let moved = try round(devices, isFirst: false)
    if let difference = Self.difference(before, try fingerprints()) {
      throw BrokenLaw("settled watchers write: \(difference)")
    }
    if moved { throw BrokenLaw("settled watchers fetch") }
    for device in devices {
      guard let line = device.watcher?.speech.lines.first else { continue }
      throw BrokenLaw("the settled watcher of device \(device.number) says: \(line)")
    }
  }

  // MARK: - Nothing is written

  /// Each file of a device's disk, by path: which one it is, how long it is and when it was changed.
  private typealias Disk = [String: [UInt64]]

  private func fingerprints() throws -> (disks: [Disk], remotes: [[String: [UInt8]]]) {
    (try devices.map { try disk(of: $0.fileSystem, SimulatedDevice.home) }, remotes.map(\.files))
  }

  private func disk(of fileSystem: MemoryFileSystem, _ folder: String) throws -> Disk {
    var result: Disk = [:]
    for entry in try fileSystem.list(folder) {
      let path = "\(folder)/\(entry.name)"
      // Empty files whose times say when the last sync was.
      if entry.name.hasPrefix("pull-") || entry.name.hasPrefix("push-") { continue }
      if entry.type == .directory {
        result.merge(try disk(of: fileSystem, path)) { $1 }
      } else if let status = try fileSystem.status(path) {
        result[path] = status.identity + [UInt64(status.length), UInt64(bitPattern: status.modified)]
      }
    }
    return result
  }

  /// The first place where files changed; nil where none did.
  private static func difference(
    _ before: (disks: [Disk], remotes: [[String: [UInt8]]]),
    _ after: (disks: [Disk], remotes: [[String: [UInt8]]])
  ) -> String? {
    for (number, (old, new)) in zip(before.remotes, after.remotes).enumerated() where old != new {
      return "r\(number): \(names(old, new))"
    }
    for (number, (old, new)) in zip(before.disks, after.disks).enumerated() where old != new {
      return "device \(number): \(names(old, new))"
    }
    return nil
  }

  private static func names<Value: Equatable>(_ old: [String: Value], _ new: [String: Value]) -> String {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted().joined(separator: " ")
  }
}

extension MemoryRemote.Counters {
  fileprivate var filesMoved: Int { filesWritten + filesRemoved + filesFetched }
}
