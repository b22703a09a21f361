import ObjectStore

/// What a push brings: heads that the remote lacks.
struct PushPlan {
  /// The heads to send, this device's own last, and how many changes each brings that the remote lacks.
  private(set) var heads: [(name: HeadName, head: Head, changes: Int64)] = []
  let listed: [HeadName: Int64]
  /// The newest verified head of each device that the remote lists.
  let shown: [DeviceID: HeadName]

  init(_ survey: RemoteSurvey, options: PushOptions, remote: String, snapshot: Snapshot) throws {
    listed = survey.listed
    shown = survey.shown
    let local = try snapshot.repository.store.headNames()
    let own = snapshot.repository.deviceID
    for device in try Self.candidates(local, survey: survey, snapshot: snapshot) {
      if options.own, !snapshot.repository.device.isOwn(device) { continue }
      for kept in try snapshot.currentHeads(of: [device]) where kept.isWhole {
        try consider(kept, survey: survey, snapshot: snapshot)
      }
    }
    heads.sort { ($0.name.device == own ? 1 : 0, $0.name) < ($1.name.device == own ? 1 : 0, $1.name) }
  }

  /// The devices whose newest head here the remote does not list at full length, and forked ones: reading heads
  /// costs, so a push of nothing reads none.
  private static func candidates(
    _ local: [HeadName], survey: RemoteSurvey, snapshot: Snapshot
  ) throws -> [DeviceID] {
    var newest: [DeviceID: HeadName] = [:]
    for name in local { newest[name.device] = max(newest[name.device] ?? name, name) }
    return try newest.values.sorted().filter { name in
      if snapshot.index.logs[name.device]?.isForked == true { return true }
      return try !isWhole(name, survey: survey, snapshot: snapshot)
    }.map(\.device)
  }

  /// Whether the remote lists a head at its full length: one of another length counts as absent.
  private static func isWhole(_ name: HeadName, survey: RemoteSurvey, snapshot: Snapshot) throws -> Bool {
    guard let length = survey.listed[name] else { return false }
    return try snapshot.repository.localFile(.head(name)).length == length
  }

  private mutating func consider(
    _ kept: LocalHeads.Kept, survey: RemoteSurvey, snapshot: Snapshot
  ) throws {
    guard try !Self.isWhole(kept.name, survey: survey, snapshot: snapshot) else { return }
    let there = survey.listed.keys.filter { $0.device == kept.name.device && $0 != kept.name }
    guard let place = try snapshot.index.place(of: kept.head.commit, in: kept.head.device) else { return }
    for name in there {
      if try Self.descends(name, from: kept.head, at: place, survey: survey, snapshot: snapshot) { return }
    }
    // On a log of one branch the newest knows all that the older ones do.
    let isForked = snapshot.index.logs[kept.name.device]?.isForked == true
    let newest = try (isForked ? there : there.max().map { [$0] } ?? []).compactMap { name in
      if let content = try Self.content(name, survey: survey, snapshot: snapshot) {
        return try snapshot.index.place(of: content.commit, in: content.device)
      }
      return isForked ? nil : try snapshot.place(ofCommit: name.sequence, in: kept.head)
    }
    let known = newest.filter { $0.branch == place.branch }.map(\.changes).max() ?? 0
    heads.append((kept.name, kept.head, max(0, place.changes - known)))
  }

  /// Whether a head at the remote descends from one here. One whose commits are not here yet and that is newer
  /// counts as a descendant: nothing is lost by waiting for the pull that tells.
  private static func descends(
    _ name: HeadName, from head: Head, at place: CommitPlace, survey: RemoteSurvey, snapshot: Snapshot
  ) throws -> Bool {
    guard name.sequence >= head.commit.sequence,
      let other = try content(name, survey: survey, snapshot: snapshot)
    else { return false }
    if other.commit == head.commit { return true }
    guard let otherPlace = try snapshot.index.place(of: other.commit, in: other.device),
      let log = snapshot.index.logs[name.device]
    else { return true }
    return log.isAncestor(sequence: place.sequence, on: place.branch, ofTipOf: otherPlace.branch)
      && otherPlace.sequence >= place.sequence
  }

  /// What a head at the remote says: read just now, or kept here; nil for one that was read and dropped, which
  /// is an ancestor of one that is kept.
  private static func content(_ name: HeadName, survey: RemoteSurvey, snapshot: Snapshot) throws -> Head? {
    if let fresh = survey.fresh[name] { return fresh }
    let repository = snapshot.repository
    guard try repository.store.contains(.head(name)) else { return nil }
    return try? repository.store.head(name, keys: repository.keys)
  }
}

extension Snapshot {
  /// Where the commit with a number stands in the log that a head lists; nil where no object of it can be read that
  /// says so. Reads an object only where the commit is not the last one of it.
  fileprivate func place(ofCommit sequence: Int64, in head: Head) throws -> CommitPlace? {
    guard let entry = head.objects.first(where: { $0.first <= sequence && sequence <= $0.last }) else {
      return nil
    }
    var name = entry.lastCommit
    if entry.last != sequence {
      do {
        let object = try repository.store.object(entry, of: head.device, keys: repository.keys)
        try object.forEachCommit { commit, _, _ in if commit.sequence == sequence { name = commit } }
      } catch
        where error is DamagedFile || error is FormatError || (error as? SystemError)?.isMissing == true
      {
        return nil
      }
    }
    return try index.place(of: name, in: head.device)
  }
}
