import ObjectStore

@testable import RunicCore

extension Simulation {
  /// All devices show the same, which is what the definition makes of all commits, and none of these is missing.
  func checkAgreement() throws {
    let views = try devices.map { try $0.view() }
    for (number, view) in views.enumerated() where view != views[0] {
      throw BrokenLaw("devices 0 and \(number) differ: \(Self.difference(views[0], view))")
    }
    let commits = try devices[0].commits()
    try checkDefinition(commits)
    if schedule.watches { try checkSettings(commits) }
    for device in devices {
      try device.checkAcknowledged(all: true)
      if let lost = device.acknowledged.first(where: { commits[$0] == nil }) {
        throw BrokenLaw("the commit \(lost.hex) of device \(device.number) is in no object")
      }
      try device.checkObjects()
    }
  }

  private func checkDefinition(_ commits: [Digest: FoundCommit]) throws {
    let wanted = state(of: commits.values.map { ($0.context, $0.changes) })
    let found = try devices[0].states()
    for (name, state) in wanted where found[name] != state {
      throw BrokenLaw("\(name.kind) \(String(decoding: name.id, as: UTF8.self)) is not what its commits say")
    }
    guard wanted.count == found.count else { throw BrokenLaw("the index knows records that no commit made") }
  }

  private static func difference(_ one: [String], _ other: [String]) -> String {
    let (old, new) = (Set(one), Set(other))
    return
      (one.filter { !new.contains($0) }.prefix(3).map { "- \($0)" }
      + other.filter { !old.contains($0) }.prefix(3).map { "+ \($0)" }).joined(separator: " ")
  }
}

/// A commit as an object holds it.
struct FoundCommit {
  let sequence: Int64
  let context: CommitContext
  let changes: [Change]
}

extension SimulatedDevice {
  /// What people see: every record, every conflict, every device.
  func view() throws -> [String] {
    try repository.read { snapshot in
      var lines: [String] = []
      for kind in snapshot.kinds.names.sorted().flatMap(snapshot.kinds.kinds(named:)) {
        try snapshot.forEachRecord(of: kind.name, kind.family) { record in
          lines.append(
            "\(kind.name) \(kind.family) \(text(record.name.id)) \(text(record.payload)) \(record.device.hex)"
              + " \(record.deviceName) \(record.stamp.hex) \(record.time)")
          return true
        }
      }
      for conflict in try snapshot.conflicts() {
        lines.append(
          "conflict \(conflict.name) \(conflict.key?.string ?? "-") \(conflict.shown.map(text) ?? "-")")
        lines += conflict.others.map {
          "  other \($0.value.map(text) ?? "-") \($0.isDelete) \($0.device.hex) \($0.deviceName) \($0.stamp.hex)"
        }
      }
      for device in try snapshot.devices() where device.commit != nil {
        lines.append(
          "device \(device.id.hex) \(device.name) \(device.platform) \(device.commit?.hash.hex ?? "-")"
            + " \(device.time) \(device.isForked) \(device.isRetired)")
      }
      return lines
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The state of every record in the index.
  func states() throws -> [RecordName: RecordState] {
    try repository.read { snapshot in
      var states: [RecordName: RecordState] = [:]
      for sort in [IndexKey.history, IndexKey.keyed] {
        try snapshot.index.table.scan(prefix: [sort]) { key, value in
          guard let name = IndexKey.name(key) else { return true }
          states[name] =
            sort == IndexKey.history
            ? .history(try HistoryState(decoding: Array(value)))
            : .keyed(try KeyedState(decoding: Array(value)))
          return true
        }
      }
      return states
    }
  }

  /// Every commit that any head in the store leads to.
  func commits() throws -> [Digest: FoundCommit] {
    var commits: [Digest: FoundCommit] = [:]
    var seen: Set<Digest> = []
    for name in try repository.store.headNames() {
      let head = try repository.store.head(name, keys: repository.repositoryKeys)
      for entry in head.objects where seen.insert(entry.digest).inserted {
        let object: ObjectReader
        do {
          object = try repository.store.object(entry, of: name.device, keys: repository.repositoryKeys)
        } catch let error as SystemError where error.isMissing { continue }
        try object.forEachCommit { commit, envelope, line in
          let context = CommitContext(
            hash: commit.hash, device: name.device, stamp: Stamp(rawValue: envelope.stamp),
            time: envelope.time)
          commits[commit.hash] = FoundCommit(
            sequence: commit.sequence, context: context,
            changes: try ChangeCodec.decode(Array(line[envelope.changes])[...]))
        }
      }
    }
    return commits
  }

  /// The objects of the newest head of every device are there, whole.
  func checkObjects() throws {
    for (_, name) in try newestHeads() {
      let head = try repository.store.head(name, keys: repository.repositoryKeys)
      for entry in head.objects { _ = try repository.store.read(.object(name.device, entry.digest)) }
    }
  }
}
