import CanonicalJSON
import ObjectStore

/// Walks over everything that a repository knows, for an export or for another repository to take in.
///
/// Left out are local records and what concerns devices and keys of this repository alone (`device` and
/// `key-slot` records).
public struct Exporter {
  private let snapshot: Snapshot

  public init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  static let privateKinds: Set<String> = [BuiltInName.device, BuiltInName.keySlot]

  /// Hands over every record: the keyed ones, then the histories, each by kind and id.
  ///
  /// - Complexity: O(size of the index), in bounded memory.
  public func forEachRecord(_ body: (ExportedRecord) throws -> Void) throws {
    for sort in [IndexKey.keyed, IndexKey.history] {
      try snapshot.index.table.scan(prefix: [sort]) { key, value in
        guard let name = IndexKey.name(key), !Self.privateKinds.contains(name.kind) else { return true }
        let bytes = Array(value)
        switch name.family {
        case .history: try body(.history(history(name, try HistoryState(decoding: bytes))))
        case .keys:
          let state = try KeyedState(decoding: bytes)
          if state.isKnown { try body(.keyed(keyed(name, state))) }
        }
        return true
      }
    }
  }

  private func history(_ name: RecordName, _ state: HistoryState) -> ExportedHistory {
    ExportedHistory(
      kind: name.kind, id: name.id, payload: state.payload, rank: state.rank, stamp: state.added.stamp,
      origin: origin(state.added.writer, commit: nil))
  }

  /// Under the name that people here know the device by.
  private func origin(_ writer: Writer, commit: Digest?) -> Origin {
    let deviceName = snapshot.name(of: writer)
    return Origin(
      device: writer.device, deviceName: deviceName == writer.device.hex ? nil : Array(deviceName.utf8),
      time: writer.time, commit: commit)
  }

  private func keyed(_ name: RecordName, _ state: KeyedState) -> ExportedKeyed {
    let writes = writes(state)
    var latest = state.latestWrites
    for write in writes where latest[write.generation] == write.stamp { latest[write.generation] = nil }
    let deletes = state.deletions.map { deletion in
      ExportedKeyed.Delete(
        generation: deletion.generation, stamp: deletion.stamp,
        origin: origin(deletion.writer, commit: deletion.commit), isSettled: deletion.isSettled)
    }
    return ExportedKeyed(
      kind: name.kind, id: name.id, writes: writes, deletes: deletes.sorted { $0.order < $1.order },
      latest: latest)
  }

  /// The heads by the commits that wrote them; a commit writes one generation of a record.
  private func writes(_ state: KeyedState) -> [ExportedKeyed.Write] {
    var found: [Digest: (generation: Int64, head: RegisterHead, values: [RegisterKey: [UInt8]?])] = [:]
    for entry in state.heads {
      for head in entry.heads {
        let (generation, key) = (entry.register.generation, entry.register.key)
        found[head.commit, default: (generation, head, [:])].values[key] = .some(head.value)
      }
    }
    let writes = found.map { commit, write in
      ExportedKeyed.Write(
        generation: write.generation, values: write.values, stamp: write.head.stamp,
        origin: origin(write.head.writer, commit: commit), isResolution: write.head.isResolution,
        isSettled: write.head.isSettled)
    }
    return writes.sorted { a, b in
      a.generation != b.generation ? a.generation < b.generation : a.order < b.order
    }
  }
}

/// Where a write or a delete stands among others.
struct ExportOrder: Comparable {
  let stamp: Stamp
  let commit: Digest

  static func < (a: ExportOrder, b: ExportOrder) -> Bool { (a.stamp, a.commit) < (b.stamp, b.commit) }
}

extension ExportedKeyed.Write {
  var order: ExportOrder { ExportOrder(stamp: stamp, commit: origin.commit ?? .zero) }
}

extension ExportedKeyed.Delete {
  var order: ExportOrder { ExportOrder(stamp: stamp, commit: origin.commit ?? .zero) }
}
