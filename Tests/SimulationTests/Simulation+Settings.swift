import CanonicalJSON
import ObjectStore

@testable import RunicCore

/// The laws of settings files, once everything has settled.
extension Simulation {
  /// Whether some device is a copy of another: then an edit may be taken by both.
  var hasCopies: Bool { copiesLeft < 2 }

  func checkSettings(_ commits: [Digest: FoundCommit]) throws {
    let writes = editorsWrites(in: commits)
    for device in devices where device.watches {
      let names = try device.fileSystem.list(SettingsFile.folder).map(\.name)
      guard names == device.settings.map(\.name).sorted() else {
        throw BrokenLaw("beside the settings of device \(device.number) lies something: \(names)")
      }
      for file in device.settings {
        try file.check(on: device.fileSystem)
        try checkContents(of: file, on: device)
        try checkEdits(of: file, on: device, commits, writes)
      }
    }
    if !hasCopies { try checkKnowledge(commits, writes) }
  }

  /// The file holds what the record shows, and of the keys that are followed nothing else.
  private func checkContents(of file: SettingsFile, on device: SimulatedDevice) throws {
    let state = try device.repository.read { try $0.index.keyed(file.tracked.record) } ?? KeyedState()
    // A deleted record says nothing about its file.
    guard let generation = state.shownGeneration else { return }
    let payload = try file.payload(on: device.fileSystem)
    var shown: Set<JSONString> = []
    for entry in state.registers(of: generation) {
      guard let key = entry.register.key.string, file.tracked.covers(key), let value = entry.shown?.value
      else { continue }
      shown.insert(key)
      guard payload[key]?.canonicalBytes != value else { continue }
      throw file.broken(
        "device \(device.number) does not hold \(key.string) as its record shows it", payload.canonicalBytes)
    }
    // What a record held before it was deleted stays in files, and in records that begin anew it is not.
    if generation > 0 || !state.deletions.isEmpty { return }
    if let key = payload.first(where: { !shown.contains($0.key) })?.key {
      throw file.broken(
        "device \(device.number) holds \(key.string), and its record does not", payload.canonicalBytes)
    }
  }

  /// Each edit that was taken, or not overwritten by its editor before, is in a commit.
  private func checkEdits(
    of file: SettingsFile, on device: SimulatedDevice, _ commits: [Digest: FoundCommit],
    _ writes: [[UInt8]: [Digest]]
  ) throws {
    for edit in file.taken + file.open.values {
      guard let value = edit.value, writes[value.canonicalBytes] == nil else { continue }
      throw file.broken("device \(device.number) lost the edit of \(edit.key.string)", value.canonicalBytes)
    }
  }

  /// An edit replaces nothing that its editor cannot have seen, and is made once.
  private func checkKnowledge(_ commits: [Digest: FoundCommit], _ writes: [[UInt8]: [Digest]]) throws {
    for (value, hashes) in writes {
      let text = String(decoding: value, as: UTF8.self)
      // Where the record was deleted meanwhile, a file that nobody has decided about may begin it anew.
      let generations = Set(hashes.compactMap { commits[$0]?.generation(of: value) })
      guard hashes.count == generations.count || chosen.contains(value) else {
        throw BrokenLaw("the edit \(text) was taken \(hashes.count) times")
      }
      for (key, replaced) in hashes.flatMap({ commits[$0]?.replaced(by: value) ?? [] }) {
        guard let old = commits[replaced] else { continue }
        let seen = known[value]?[old.context.device] ?? 0
        guard old.sequence > seen else { continue }
        // Whoever settled a conflict for what the editor saw has changed nothing of it.
        if let kept = old.value(of: key, isResolution: true),
          commits.values.contains(where: {
            $0.sequence <= known[value]?[$0.context.device] ?? 0
              && $0.value(of: key, isResolution: false) == kept
          })
        {
          continue
        }
        throw BrokenLaw(
          "the edit \(text) replaces what its editor never saw: commit \(old.sequence) of"
            + " \(old.context.device), of which \(seen) were known")
      }
    }
  }

  /// By value, the commits in which something is set that an editor made; resolutions set it again.
  private func editorsWrites(in commits: [Digest: FoundCommit]) -> [[UInt8]: [Digest]] {
    var result: [[UInt8]: [Digest]] = [:]
    for (hash, commit) in commits {
      for case .set(let write) in commit.changes where !write.isResolution {
        for value in write.writes.values.compactMap(\.value) where known[value] != nil {
          result[value, default: []].append(hash)
        }
      }
    }
    return result
  }
}

extension FoundCommit {
  fileprivate func generation(of value: [UInt8]) -> Int64? {
    for case .set(let write) in changes where write.writes.values.contains(where: { $0.value == value }) {
      return write.generation
    }
    return nil
  }

  /// The writes that a value replaces, and the keys that they are writes of.
  fileprivate func replaced(by value: [UInt8]) -> [(key: RegisterKey, commit: Digest)] {
    changes.flatMap { change -> [(RegisterKey, Digest)] in
      guard case .set(let write) = change else { return [] }
      return write.writes.filter { $0.value.value == value }.flatMap { key, write in
        write.replaces.map { (key, $0) }
      }
    }
  }

  /// What this sets a key to.
  fileprivate func value(of key: RegisterKey, isResolution: Bool) -> [UInt8]? {
    for case .set(let write) in changes where write.isResolution == isResolution {
      if let value = write.writes[key]?.value { return value }
    }
    return nil
  }
}
