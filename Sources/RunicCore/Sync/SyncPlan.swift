import ObjectStore

/// The decisions of a sync, as pure functions of what is known here and what a remote shows.
enum SyncPlan {
  /// The devices of which a remote shows less than it showed itself, with what it shows now.
  static func rolledBack(
    shown: [DeviceID: HeadName], now newest: [DeviceID: Int64]
  ) -> [DeviceID: (from: Int64, to: Int64)] {
    var result: [DeviceID: (from: Int64, to: Int64)] = [:]
    for (device, head) in shown where (newest[device] ?? 0) < head.sequence {
      result[device] = (head.sequence, newest[device] ?? 0)
    }
    return result
  }

  static func newestSequences(_ heads: some Sequence<HeadName>) -> [DeviceID: Int64] {
    Dictionary(heads.map { ($0.device, $0.sequence) }) { max($0, $1) }
  }

  /// The newest head of each device that is known to be one: a name alone says nothing.
  static func newest(
    _ listed: some Sequence<HeadName>, isVerified: (HeadName) throws -> Bool
  ) rethrows -> [DeviceID: HeadName] {
    var newest: [DeviceID: HeadName] = [:]
    for head in listed.sorted(by: >) where newest[head.device] == nil {
      if try isVerified(head) { newest[head.device] = head }
    }
    return newest
  }

  /// How many commits each side has that the other lacks, by the newest of each device.
  static func distance(
    here: [DeviceID: Int64], there: [DeviceID: Int64]
  ) -> (ahead: Int64, behind: Int64) {
    Set(here.keys).union(there.keys).reduce((ahead: 0, behind: 0)) { sum, device in
      // Sequence numbers: none is negative.
      let (mine, theirs) = (here[device] ?? 0, there[device] ?? 0)
      return (
        sum.ahead.clampedSum(mine > theirs ? mine &- theirs : 0),
        sum.behind.clampedSum(theirs > mine ? theirs &- mine : 0)
      )
    }
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

  /// - Parameter newest: this device's, as it is called now. Heads of another identity are not its own: it wrote them
  ///   before it found itself cloned, and nothing that it writes descends from them.
  static func removable(
    heads written: [HeadName], listed: Set<HeadName>, newest: HeadName
  ) -> [HeadName] {
    let older = written.filter {
      $0.device == newest.device && $0.sequence < newest.sequence && listed.contains($0)
    }
    return Array(older.sorted().dropLast(Limits.heads))
  }
}
