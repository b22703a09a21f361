import CanonicalJSON
import ObjectStore

/// One write of a record, shown or not: what `show` lists.
public struct RecordWrite: Hashable, Sendable {
  public enum Action: String, Hashable, Sendable {
    case add, set, unset, delete
  }

  public let action: Action
  /// The key that was written; nil where it was the whole payload or the record.
  public let key: JSONString?
  /// Canonical JSON; nil where nothing was set.
  public let value: [UInt8]?
  /// Nil in a history.
  public let generation: Int64?
  /// Nil where it is local: it goes into a commit when it is promoted.
  public let commit: CommitName?
  public let device: DeviceID
  public let deviceName: String
  public let stamp: Stamp
  /// Wall time, in milliseconds since 1970.
  public let time: Int64
  public fileprivate(set) var isShown: Bool
}

extension Snapshot {
  /// A record in the state of the commits whose stamp is not later; nil where it was not there.
  ///
  /// - Complexity: O(size of the store).
  public func record(_ name: RecordName, at moment: Stamp) throws -> RecordView? {
    switch name.family {
    case .history:
      var state: HistoryState?
      try forEachChange(of: name) { change, commit in
        guard commit.stamp <= moment, case .add(let add) = change else { return }
        let added = HistoryState(add, commit.context)
        if state == nil { state = added } else { state?.merge(added) }
      }
      return state.map { view(name, $0) }
    case .keys:
      var state = KeyedState()
      try forEachChange(of: name) { change, commit in
        guard commit.stamp <= moment else { return }
        switch change {
        case .add: break
        case .set(let write): state.apply(write, commit.context)
        case .delete(let delete): state.apply(delete, commit.context)
        }
      }
      return try view(name, state)
    }
  }

  /// Every write of a record, the latest first; what is local of it stands before all that is in a commit.
  ///
  /// - Complexity: O(size of the store).
  public func writes(of name: RecordName) throws -> [RecordWrite] {
    let local = localWrites(of: name)
    var stored = try storedWrites(of: name)
    if !local.isEmpty {
      for place in stored.indices where local.contains(where: { $0.hides(stored[place]) }) {
        stored[place].isShown = false
      }
    }
    return local + stored
  }

  private func localWrites(of name: RecordName) -> [RecordWrite] {
    guard let entry = local[name] else { return [] }
    func write(_ action: RecordWrite.Action, _ key: JSONString?, _ value: [UInt8]?) -> RecordWrite {
      RecordWrite(
        action: action, key: key, value: value, generation: nil, commit: nil, device: repository.deviceID,
        deviceName: repository.deviceName, stamp: Stamp(milliseconds: entry.time), time: entry.time,
        isShown: true)
    }
    if name.family == .history { return [write(.add, nil, entry.payload.canonicalBytes)] }
    return entry.payload.map { write(.set, $0.key, $0.value.canonicalBytes) }
      + entry.unset.sorted().map { write(.unset, $0, nil) }
  }

  private func storedWrites(of name: RecordName) throws -> [RecordWrite] {
    var writes: [RecordWrite] = []
    switch name.family {
    case .history:
      let shown = try index.history(name)
      try forEachChange(of: name) { change, commit in
        if case .add(let add) = change { writes.append(self.write(add, commit, shown)) }
      }
    case .keys:
      let state = try index.keyed(name) ?? KeyedState()
      try forEachChange(of: name) { change, commit in
        if case .set(let write) = change { writes += self.writes(write, commit, state) }
        if case .delete(let delete) = change { writes.append(self.write(delete, commit, state)) }
      }
    }
    return writes.sorted { a, b in
      guard a.stamp == b.stamp, let first = a.commit, let second = b.commit else { return a.stamp > b.stamp }
      return first.hash < second.hash
    }
  }

  private func write(_ add: HistoryAdd, _ commit: LoggedCommit, _ shown: HistoryState?) -> RecordWrite {
    let state = HistoryState(add, commit.context)
    let isShown = shown.map { $0.payload == state.payload && $0.added == state.added } ?? false
    return row(
      .add, nil, Array(add.payload), nil, commit, state.added.writer, state.added.stamp, isShown: isShown)
  }

  private func writes(_ write: RegisterWrite, _ commit: LoggedCommit, _ state: KeyedState) -> [RecordWrite] {
    let writer = Writer(write.origin, commit.context)
    return write.writes.sorted { $0.key < $1.key }.map { key, written in
      let isShown =
        state.shownGeneration == write.generation && state.shownHead(of: key)?.commit == commit.commit.hash
      return row(
        written.value == nil ? .unset : .set, key.string, written.value, write.generation, commit, writer,
        write.stamp ?? commit.stamp, isShown: isShown)
    }
  }

  private func write(_ delete: RecordDelete, _ commit: LoggedCommit, _ state: KeyedState) -> RecordWrite {
    row(
      .delete, nil, nil, delete.generation, commit, Writer(delete.origin, commit.context),
      delete.stamp ?? commit.stamp,
      isShown: state.isDeleted && state.latestDeletion?.commit == commit.commit.hash)
  }

  private func row(
    _ action: RecordWrite.Action, _ key: JSONString?, _ value: [UInt8]?, _ generation: Int64?,
    _ commit: LoggedCommit, _ writer: Writer, _ stamp: Stamp, isShown: Bool
  ) -> RecordWrite {
    RecordWrite(
      action: action, key: key, value: value, generation: generation, commit: commit.commit,
      device: writer.device, deviceName: name(of: writer), stamp: stamp, time: writer.time, isShown: isShown)
  }
}

extension RecordWrite {
  /// Whether a local write is shown in the place of a stored one.
  fileprivate func hides(_ stored: RecordWrite) -> Bool { stored.action == .delete || key == stored.key }
}
