import ObjectStore

/// The decisions of a sync, as pure functions of what is known here and what a remote shows.
enum SyncPlan {
  /// The devices of which a remote shows less than it showed itself, with what it shows now.
  static func rolledBack(
    shown: [DeviceID: HeadName], listed: some Sequence<HeadName>
  ) -> [DeviceID: (from: Int64, to: Int64)] {
    let newest = newestSequences(listed)
    var result: [DeviceID: (from: Int64, to: Int64)] = [:]
    for (device, head) in shown where (newest[device] ?? 0) < head.sequence {
      result[device] = (head.sequence, newest[device] ?? 0)
    }
    return result
  }

  static func newestSequences(_ heads: some Sequence<HeadName>) -> [DeviceID: Int64] {
    Dictionary(heads.map { ($0.device, $0.sequence) }) { max($0, $1) }
  }

  /// The heads whose objects are wanted next: of each device the newest one that is not in yet. Those before
  /// it are mostly its ancestors, which shows once it is in.
  static func headsToApply(_ heads: [Head], isApplied: (Head) throws -> Bool) rethrows -> [Head] {
    var newest: [DeviceID: Head] = [:]
    for head in heads where try !isApplied(head) {
      if (newest[head.device]?.commit.sequence ?? 0) < head.commit.sequence { newest[head.device] = head }
    }
    return newest.values.sorted { $0.device < $1.device }
  }

  /// This device's files that may leave a remote: objects that neither its head there nor the one that is on
  /// its way lists, but for the newest that stay for readers that lag; heads beyond the newest few.
  static func removable(
    written: [Digest], live: Set<Digest>, listed: Set<Digest>
  ) -> [Digest] {
    let replaced = written.filter { !live.contains($0) && listed.contains($0) }
    return Array(replaced.dropLast(Limits.replacedObjects))
  }

  static func removable(heads: [HeadName], listed: Set<HeadName>) -> [HeadName] {
    Array(heads.filter(listed.contains).sorted().dropLast(Limits.heads))
  }
}
