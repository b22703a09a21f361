import CanonicalJSON
import ObjectStore

/// A commit as it stands in its device's log.
public struct LoggedCommit: Sendable {
  public let commit: CommitName
  public let device: DeviceID
  public let stamp: Stamp
  /// Wall time, in milliseconds since 1970.
  public let time: Int64
  let changes: ArraySlice<UInt8>

  /// Bytes that its changes take, as JSON.
  var length: Int { changes.count }

  /// Hands over every change, in order.
  public func forEachChange(_ body: (Change) throws -> Void) throws { try ChangeCodec.decode(changes, body) }

  var context: CommitContext { CommitContext(hash: commit.hash, device: device, stamp: stamp, time: time) }
}

extension Snapshot {
  /// Hands over every commit of every branch of every log once, those of a device in order; false ends the walk.
  ///
  /// Only what this state holds is handed over. Where a roll-up takes an object away meanwhile, the walk looks
  /// again as long as there are new heads.
  ///
  /// - Complexity: O(size of the store); the memory of one object and a hash for each commit.
  public func forEachCommit(_ body: (LoggedCommit) throws -> Bool) throws {
    var walk = CommitWalk(snapshot: self)
    var names: [HeadName]?
    while true {
      let newest = try repository.store.headNames()
      if newest == names { return }
      names = newest
      guard try walk.visit(newest, body) == .missing else { return }
    }
  }

  /// Every change of one record, with its commit.
  public func forEachChange(of name: RecordName, _ body: (Change, LoggedCommit) throws -> Void) throws {
    try forEachCommit { commit in
      try commit.forEachChange { if $0.name == name { try body($0, commit) } }
      return true
    }
  }
}

/// Goes through the logs and remembers where it was.
private struct CommitWalk {
  enum Outcome { case done, missing }

  let snapshot: Snapshot
  private var seen: Set<Digest> = []

  init(snapshot: Snapshot) { self.snapshot = snapshot }

  private struct Stopped: Error {}

  /// From the newest head to the oldest, so that a head that leads to nothing new is not opened.
  mutating func visit(_ names: [HeadName], _ body: (LoggedCommit) throws -> Bool) throws -> Outcome {
    var outcome = Outcome.done
    do {
      for name in names.reversed() where try visit(name, body) == .missing { outcome = .missing }
    } catch is Stopped {
      return .done
    }
    return outcome
  }

  private mutating func visit(_ name: HeadName, _ body: (LoggedCommit) throws -> Bool) throws -> Outcome {
    let store = snapshot.repository.store
    do {
      let head = try store.head(name, keys: snapshot.repository.keys)
      if seen.contains(head.commit.hash) { return .done }
      for entry in head.objects {
        let object = try store.object(entry, of: head.device, keys: snapshot.repository.keys)
        try object.forEachCommit { commit, envelope, line in
          try visit(commit, envelope, line, of: head.device, body)
        }
      }
    } catch is DamagedFile {
      return .done
    } catch is FormatError {
      return .done
    } catch let error as SystemError where error.isMissing {
      return .missing
    }
    return .done
  }

  private mutating func visit(
    _ commit: CommitName, _ envelope: CommitLine, _ line: UnsafeRawBufferPointer, of device: DeviceID,
    _ body: (LoggedCommit) throws -> Bool
  ) throws {
    guard !seen.contains(commit.hash), try snapshot.index.place(of: commit.hash) != nil else { return }
    seen.insert(commit.hash)
    let logged = LoggedCommit(
      commit: commit, device: device, stamp: Stamp(rawValue: envelope.stamp), time: envelope.time,
      changes: Array(line[envelope.changes])[...])
    if try !body(logged) { throw Stopped() }
  }
}
