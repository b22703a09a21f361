import CanonicalJSON
import ObjectStore

/// A record that waits for a merge handler: what this device wrote, what others wrote, and what both were made from.
struct MergeCase: Sendable {
  let name: RecordName
  let local: any SyncableRecord
  let remote: any SyncableRecord
  /// The heads that the handler's answer settles: what came later is not settled by it.
  fileprivate let heads: [RegisterHeads]
}

extension Repository {
  /// The conflicts that this device may settle: it wrote one of the heads, and not all are resolutions.
  func mergeCases(hasHandler: (String) -> Bool) throws -> [MergeCase] {
    try read { snapshot in
      try snapshot.conflictingRecords().compactMap { name in
        guard hasHandler(name.kind), let view = try snapshot.storedRecord(name),
          let state = try snapshot.index.keyed(name)
        else { return nil }
        return MergeCase(view, state: state, device: deviceID)
      }
    }
  }

  /// Writes what a handler made of a case, unless the record has changed meanwhile.
  ///
  /// - Returns: the registers that were settled; nil where the case must be looked at again.
  func settle(_ item: MergeCase, as merged: JSONObject) throws -> Int? {
    try write { transaction in
      guard let state = try transaction.index.keyed(item.name),
        item.heads.allSatisfy({ entry in
          state.heads(of: entry.register.key) == entry.heads
        })
      else { return nil }
      var settled = 0
      for entry in item.heads {
        let key = entry.register.key
        let value = key.string.map { merged[$0]?.canonicalBytes } ?? merged.canonicalBytes
        try transaction.append(to: item.name) { state, _ in
          .set(state.resolve(key, to: value, kind: item.name.kind, id: item.name.id))
        }
        settled += 1
      }
      return settled
    }
  }
}

extension MergeCase {
  fileprivate init?(_ view: RecordView, state: KeyedState, device: DeviceID) {
    guard let generation = state.shownGeneration else { return nil }
    var (local, remote) = (view.object, view.object)
    var heads: [RegisterHeads] = []
    for entry in state.registers(of: generation) {
      guard let own = entry.choice(under: .preferLocal, by: device),
        let other = entry.choice(under: .preferRemote, by: device)
      else { continue }
      heads.append(entry)
      local.put(own.value, at: entry.register.key)
      remote.put(other.value, at: entry.register.key)
    }
    guard !heads.isEmpty else { return nil }
    name = view.name
    self.local = view.syncable(payload: local)
    self.remote = view.syncable(payload: remote)
    self.heads = heads
  }
}

extension JSONObject {
  /// - Parameter value: canonical JSON; nil takes the key away.
  fileprivate mutating func put(_ value: [UInt8]?, at key: RegisterKey) {
    let parsed = value.flatMap { try? JSONValue.parse($0) }
    if let key = key.string { self[key] = parsed } else { self = parsed?.objectValue ?? [:] }
  }
}
