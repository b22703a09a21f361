import ObjectStore

/// How far a head could be applied.
enum AppliedHead: Equatable {
  /// Every commit up to the head's is in the index.
  case whole
  /// The part without a gap is in; this object has not arrived.
  case missing(ObjectEntry)
  /// The part before it is in; the object's bytes are not what they should be.
  case damaged(ObjectEntry, FormatError)
}

extension Index {
  /// Brings in the commits of a head that are not in yet, oldest first, as far as their objects are there.
  ///
  /// A commit is taken only where the one that it names as the one before is in: so a log is one chain from
  /// its first commit, and a second chain from some commit on is another branch.
  func apply(_ head: Head, from store: Store, keys: RepositoryKeys) throws -> AppliedHead {
    update(head.device) { $0.describe(by: head) }
    let result = try applyObjects(of: head, from: store, keys: keys)
    var waiting = try (logs[head.device]?.waiting ?? []).filter { try place(of: $0, in: head.device) == nil }
    if result != .whole, !waiting.contains(head.commit) { waiting.append(head.commit) }
    if waiting != logs[head.device]?.waiting { update(head.device) { $0.waiting = waiting } }
    return result
  }

  private func applyObjects(
    of head: Head, from store: Store, keys: RepositoryKeys
  ) throws -> AppliedHead {
    guard try !holds(head) else { return .whole }
    var start = head.objects.count
    while start > 0, try place(of: head.objects[start - 1].lastCommit, in: head.device) == nil { start -= 1 }
    let all = Int64(head.objects.count - start)
    for (number, entry) in head.objects[start...].enumerated() {
      let begun = Progress(.applying, done: Int64(number), of: all)
      do {
        let object = try store.object(entry, of: head.device, keys: keys)
        try apply(object, of: head.device, repository: keys.repository) { progress?(begun) }
        progress?(Progress(.applying, done: Int64(number + 1), of: all))
      } catch let error as SystemError where error.isMissing {
        return .missing(entry)
      } catch let error as DamagedFile {
        // The log waits for the key, or for a newer version.
        if error.isForLater { return .missing(entry) }
        return .damaged(entry, error.reason)
      } catch let error as FormatError {
        return .damaged(entry, error)
      }
    }
    return .whole
  }

  /// - Parameter onCommit: is called before each commit.
  private func apply(
    _ object: ObjectReader, of device: DeviceID, repository: RepositoryID, onCommit: () -> Void
  ) throws {
    var branch: Int?
    var meetsNew = false
    var decoding = CommitDecoding()
    do {
      try object.forEachCommit { commit, envelope, line in
        onCommit()
        if !meetsNew, try place(of: commit, in: device) != nil { return }
        meetsNew = true
        let turn = decoding.take(DecodedCommit(commit, envelope, line: line), length: line.count)
        do { try apply(turn, of: device, on: &branch, repository) } catch {
          // What comes after a commit that cannot be read has no place.
          decoding.discard()
          throw error
        }
      }
    } catch {
      // What came before the fault counts.
      while let turn = decoding.next() { try apply(turn, of: device, on: &branch, repository) }
      throw error
    }
    while let turn = decoding.next() { try apply(turn, of: device, on: &branch, repository) }
  }

  /// - Parameter branch: of the commits before; nil for the first of an object.
  private func apply(
    _ decoded: DecodedCommit?, of device: DeviceID, on branch: inout Int?, _ repository: RepositoryID
  ) throws {
    guard let decoded else { return }
    let (commit, envelope) = (decoded.commit, decoded.envelope)
    let changes = try decoded.changes
    // Only now: a commit that is refused begins no branch.
    let place =
      try branch
      ?? openBranch(
        after: envelope.previous, sequence: commit.sequence, of: device, repository: repository)
    branch = place
    for change in changes {
      try apply(change, of: commit, envelope, device)
      if case .add = change { added.note(change.name) }
      onMerge?(change.name)
    }
    applied += Int64(changes.count)
    try finish(commit, envelope, changes: Int64(changes.count), device: device, branch: place)
  }

  /// The branch that a commit continues: the one whose tip it names, or a new one.
  func openBranch(
    after previous: Digest, sequence: Int64, of device: DeviceID, repository: RepositoryID
  ) throws -> Int {
    var parent: Int?
    if sequence > 1 || previous != CommitLine.genesis(repository: repository, device: device) {
      guard let place = try place(of: previous), place.device == device, place.sequence == sequence - 1
      else { throw FormatError.content("chain") }
      if logs[device]?.branches[place.branch].tip.hash == previous { return place.branch }
      parent = place.branch
    }
    let tip = CommitName(sequence: sequence - 1, hash: previous)
    let changes = try place(of: previous)?.changes ?? 0
    update(device) {
      $0.branches.append(
        DeviceLog.Branch(parent: parent, from: sequence - 1, tip: tip, changes: changes))
    }
    return (logs[device]?.branches.count ?? 1) - 1
  }

  /// Whether a commit has been applied before. A commit that cannot be looked up counts as not arrived, which
  /// only costs memory; the error itself shows in whatever is read next.
  private func hasArrived(_ commit: Digest) -> Bool {
    (try? place(of: commit)) != nil
  }

  /// Notes that a commit's changes are all in.
  func finish(
    _ commit: CommitName, _ envelope: CommitLine, changes: Int64, device: DeviceID, branch: Int
  ) throws {
    let stamp = Stamp(rawValue: envelope.stamp)
    follow(stamp, of: device)
    update(device) {
      $0.branches[branch].tip = commit
      $0.branches[branch].changes += changes
    }
    let place = CommitPlace(
      device: device, branch: branch, sequence: commit.sequence, stamp: stamp, time: envelope.time,
      changes: logs[device]?.branches[branch].changes ?? changes)
    try set(IndexKey.commit(commit.hash), .put(place.bytes))
    try saveIfFull()
  }

  /// Applies one change of a commit that is not in yet.
  func apply(_ change: Change, of commit: CommitName, _ envelope: CommitLine, _ device: DeviceID) throws {
    let context = CommitContext(
      hash: commit.hash, device: device, stamp: Stamp(rawValue: envelope.stamp), time: envelope.time)
    switch laws.reading?(change) ?? change {
    case .add(let add):
      try merge(HistoryState(add, context), of: add.name)
      if let recent = IndexKey.recent(add.name, payload: add.payload, now: now) { try set(recent, .put([])) }
      if let stamp = add.stamp { follow(stamp, of: device) }
    case .set(let write):
      try modify(write.name) { $0.apply(write, context, hasArrived: hasArrived) }
      if let stamp = write.stamp { follow(stamp, of: device) }
    case .delete(let delete):
      try modify(delete.name) { $0.apply(delete, context, hasArrived: hasArrived) }
      if let stamp = delete.stamp { follow(stamp, of: device) }
    }
  }

  private func modify(_ name: RecordName, _ body: (inout KeyedState) throws -> Void) throws {
    var state = try keyed(name) ?? KeyedState()
    let wasConflicting = !state.conflicts.isEmpty
    try body(&state)
    try set(IndexKey.record(name), .put(state.encode()))
    let isConflicting = !state.conflicts.isEmpty
    if isConflicting != wasConflicting {
      try set(IndexKey.conflict(name), isConflicting ? .put([]) : .remove)
    }
    touched.insert(name)
  }
}
