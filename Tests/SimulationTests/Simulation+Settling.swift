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
    var rounds = 0
    while try round() {
      rounds += 1
      guard rounds < 12 else { throw BrokenLaw("no end of syncing") }
    }
    note("settled after \(rounds) rounds")
    let before = try fingerprints()
    _ = try round()
    try compare(before, try fingerprints())
    try checkAgreement()
  }

  /// Everyone pulls from and pushes to all its remotes; whether any file moved.
  private func round() throws -> Bool {
    let before = remotes.map { ($0.counters.filesWritten, $0.counters.filesRemoved, $0.counters.filesFetched) }
    for device in devices {
      now &+= 1000
      setClock(of: device)
      for remote in device.remotes {
        try pull(device, from: remote)
        try push(device, to: remote)
      }
    }
    let after = remotes.map { ($0.counters.filesWritten, $0.counters.filesRemoved, $0.counters.filesFetched) }
    return !zip(before, after).allSatisfy { $0 == $1 }
  }

  // MARK: - Nothing is written

  /// Each file of a device's disk, by path: which one it is, how long it is and when it was changed.
  private typealias Disk = [String: [UInt64]]

  private func fingerprints() throws -> (disks: [Disk], remotes: [[String: [UInt8]]]) {
    (try devices.map { try disk(of: $0.fileSystem, SimulatedDevice.root) }, remotes.map(\.files))
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

  private func compare(
    _ before: (disks: [Disk], remotes: [[String: [UInt8]]]),
    _ after: (disks: [Disk], remotes: [[String: [UInt8]]])
  ) throws {
    for (number, (old, new)) in zip(before.remotes, after.remotes).enumerated() where old != new {
      throw BrokenLaw("a settled sync changed r\(number): \(Self.difference(old, new))")
    }
    for (number, (old, new)) in zip(before.disks, after.disks).enumerated() where old != new {
      throw BrokenLaw("a settled sync changed device \(number): \(Self.difference(old, new))")
    }
  }

  private static func difference<Value: Equatable>(_ old: [String: Value], _ new: [String: Value]) -> String {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted().joined(separator: " ")
  }
}
