import CanonicalJSON
import ObjectStore
import Synchronization

/// A record that a merge changed.
public struct RemoteChange: Hashable, Sendable {
  /// As `SyncableRecord.recordType` says it.
  public let recordType: String
  /// The kind's own name.
  public let kind: String
  public let id: String
  /// The keys whose values changed; empty for a history, or where only a conflict came.
  public let keys: [String]
  /// The device that the shown value is from, and what people call it; nil where the record was deleted.
  public let device: String?
  public let deviceName: String?
  public let isDeleted: Bool
}

/// All that one merge brought.
public struct RemoteChanges: Hashable, Sendable {
  public let changes: [RemoteChange]
}

/// Hands every element to every stream that was asked for, in order and without dropping any.
final class Broadcast<Element: Sendable>: Sendable {
  private let state = Mutex<(next: Int, streams: [Int: AsyncStream<Element>.Continuation])>((0, [:]))

  func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .unbounded)
    let id = state.withLock { state in
      state.next += 1
      state.streams[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  private func remove(_ id: Int) { state.withLock { _ = $0.streams.removeValue(forKey: id) } }

  func send(_ element: Element) {
    let streams = state.withLock { $0.streams.sorted { $0.key < $1.key }.map(\.value) }
    for stream in streams { stream.yield(element) }
  }

  deinit {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.finish() }
  }
}

extension Repository {
  /// Pulls, and compares what the records showed before with what they show now.
  func pullNotingChanges(
    from remote: any Remote, named name: String, strategy: MergeStrategy
  ) throws -> (outcome: SyncOutcome, changes: RemoteChanges) {
    let before = try read { $0 }
    let outcome = try pull(from: remote, named: name, strategy: strategy)
    let names = Set(outcome.changedRecords).sorted()
    if names.isEmpty { return (outcome, RemoteChanges(changes: [])) }
    let changes = try read { after in
      try names.map { try RemoteChange($0, before: before.record($0), after: after.record($0)) }
    }
    return (outcome, RemoteChanges(changes: changes))
  }
}

extension RemoteChange {
  init(_ name: RecordName, before: RecordView?, after: RecordView?) throws {
    kind = name.kind
    recordType = KindRegistry.recordType(name.kind)
    id = String(decoding: name.id, as: UTF8.self)
    keys = name.family == .keys ? Self.changedKeys(before?.object ?? [:], after?.object ?? [:]) : []
    device = after?.device.hex
    deviceName = after?.deviceName
    isDeleted = before != nil && after == nil
  }

  private static func changedKeys(_ before: JSONObject, _ after: JSONObject) -> [String] {
    let keys = Set(before.map(\.key)).union(after.map(\.key))
    return keys.filter { before[$0] != after[$0] }.sorted().map(\.string)
  }
}
