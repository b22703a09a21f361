import ObjectStore

/// One commit of a device's log, as `reflog` shows it.
public struct LogEntry: Hashable, Sendable {
  public let device: DeviceID
  public let commit: CommitName
  public let stamp: Stamp
  /// Wall time, in milliseconds since 1970.
  public let time: Int64
  public let changes: Int
  /// The heads that end with this commit and are still there.
  public let heads: [HeadName]
}

extension Snapshot {
  /// Hands over the commits of a device's log, each branch from its newest commit down; false ends the walk.
  ///
  /// What has not arrived, or is damaged, is left out.
  ///
  /// - Complexity: memory for the commits of one object.
  public func forEachLogEntry(of device: DeviceID, _ body: (LogEntry) throws -> Bool) throws {
    let names = try repository.store.headNames().filter { $0.device == device }
    var ends: [CommitName: [HeadName]] = [:]
    var heads: [Head] = []
    for name in names.reversed() {
      guard let head = try? repository.store.head(name, keys: repository.keys) else { continue }
      ends[head.commit, default: []].append(name)
      heads.append(head)
    }
    var walked: Set<Int> = []
    for head in heads {
      guard let branch = try index.place(of: head.commit, in: device)?.branch, walked.insert(branch).inserted
      else { continue }
      for entry in head.objects.reversed() {
        let entries = try entries(of: entry, device: device, branch: branch, ends: ends)
        for entry in entries.reversed() where try !body(entry) { return }
      }
    }
  }

  private func entries(
    of object: ObjectEntry, device: DeviceID, branch: Int, ends: [CommitName: [HeadName]]
  ) throws -> [LogEntry] {
    guard let reader = try? repository.store.object(object, of: device, keys: repository.keys) else {
      return []
    }
    var entries: [LogEntry] = []
    try reader.forEachCommit { commit, envelope, line in
      guard try index.place(of: commit, in: device)?.branch == branch else { return }
      var changes = 0
      try ChangeCodec.decode(Array(line[envelope.changes])[...]) { _ in changes += 1 }
      entries.append(
        LogEntry(
          device: device, commit: commit, stamp: Stamp(rawValue: envelope.stamp), time: envelope.time,
          changes: changes, heads: ends[commit] ?? []))
    }
    return entries
  }
}
