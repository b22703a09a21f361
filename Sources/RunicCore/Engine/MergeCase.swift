import CanonicalJSON
import ObjectStore

/// A record that waits for a merge handler: what this device wrote, what others wrote, and what both were made from.
struct MergeCase: Sendable {
  let name: RecordName
  let kind: Kind
  let local: any SyncableRecord
  let remote: any SyncableRecord
  /// Nil where no handler asks for it, and where this device does not hold it.
  let base: (any SyncableRecord)?
  /// The heads that the handler's answer settles: what came later is not settled by it.
  private let heads: [RegisterHeads]
}

extension Repository {
  /// The conflicts that this device may settle: it wrote one of the heads, and not all are resolutions.
  ///
  /// - Complexity: O(conflicts); O(size of the store) where a handler asks for the base of any.
  func mergeCases(for resolver: SyncConflictResolver) throws -> [MergeCase] {
    try read { snapshot in
      let names = try snapshot.conflictingRecords().filter { resolver.handler(for: $0.kind) != nil }
      let bases = try MergeBases(of: Set(names.filter { resolver.takesBase($0.kind) }), in: snapshot)
      return try names.compactMap { name in
        guard let kind = snapshot.kinds.kind(name.kind, name.family),
          let view = try snapshot.storedRecord(name), let state = try snapshot.index.keyed(name)
        else { return nil }
        return MergeCase(view, kind: kind, state: state, bases: bases, isOwn: device.isOwn)
      }
    }
  }

  /// Writes what a handler made of a case, unless the record has changed meanwhile.
  ///
  /// - Returns: the registers that were settled; nil where the case must be looked at again.
  func settle(_ item: MergeCase, as merged: JSONObject) throws -> Int? {
    try write { transaction in
      guard let state = try transaction.index.keyed(item.name), item.isCurrent(in: state) else { return nil }
      for (key, value) in item.answers(merged) {
        try transaction.append(to: item.name) { state, _ in
          .set(state.resolve(key, to: value, kind: item.name.kind, id: item.name.id))
        }
      }
      let edits = item.edits(merged)
      if !edits.isEmpty {
        try transaction.append(to: item.name) { state, _ in
          .set(state.write(edits, kind: item.name.kind, id: item.name.id))
        }
      }
      return item.count
    }
  }
}

extension MergeCase {
  fileprivate init?(
    _ view: RecordView, kind: Kind, state: KeyedState, bases: MergeBases, isOwn: (DeviceID) -> Bool
  ) {
    guard let generation = state.shownGeneration else { return nil }
    var (local, remote, base) = (view.object, view.object, view.object)
    var (heads, isBased): ([RegisterHeads], Bool) = ([], false)
    for entry in state.registers(of: generation) {
      guard let own = entry.choice(under: .preferLocal, isOwn: isOwn),
        let other = entry.choice(under: .preferRemote, isOwn: isOwn)
      else { continue }
      let common = bases.base(of: entry, in: view.name)
      heads.append(entry)
      local.put(own.value, at: entry.register.key)
      remote.put(other.value, at: entry.register.key)
      base.put(common?.value, at: entry.register.key)
      if common != nil { isBased = true }
    }
    guard !heads.isEmpty else { return nil }
    name = view.name
    self.kind = kind
    self.local = view.syncable(payload: local)
    self.remote = view.syncable(payload: remote)
    self.base = isBased ? view.syncable(payload: base) : nil
    self.heads = heads
  }

  /// - Throws: `SyncError.conflictResolutionFailed`, or `RunicError.badField` where the kind does not allow it.
  func check(_ merged: any SyncableRecord) throws {
    guard merged.recordID == local.recordID,
      KindRegistry.canonicalName(merged.recordType) == KindRegistry.canonicalName(local.recordType)
    else { throw SyncError.conflictResolutionFailed("the handler answered with another record") }
    let payload = try kind.checked(merged.payload)
    guard payload.canonicalBytes.count <= Transaction.payloadLimit else {
      throw RunicError.tooLarge(what: "payload", limit: Transaction.payloadLimit)
    }
  }

  fileprivate var count: Int { heads.count }

  fileprivate func isCurrent(in state: KeyedState) -> Bool {
    heads.allSatisfy { state.heads(of: $0.register.key) == $0.heads }
  }

  /// What an answer says of the registers that are in conflict.
  fileprivate func answers(_ merged: JSONObject) -> [(key: RegisterKey, value: [UInt8]?)] {
    heads.map { entry in
      let key = entry.register.key
      guard let member = key.string else { return (key, merged.canonicalBytes) }
      return (key, merged[member]?.canonicalBytes)
    }
  }

  /// What an answer changes besides.
  fileprivate func edits(_ merged: JSONObject) -> [RegisterKey: [UInt8]?] {
    let settled = Set(heads.map(\.register.key))
    if settled.contains(.whole) { return [:] }
    var edits: [RegisterKey: [UInt8]?] = [:]
    for key in Set(merged.map(\.key)).union(local.payload.map(\.key)) where merged[key] != local.payload[key]
    {
      let register = RegisterKey.key(key.utf8)
      if !settled.contains(register) { edits[register] = .some(merged[key]?.canonicalBytes) }
    }
    return edits
  }
}

extension JSONObject {
  /// - Parameter value: canonical JSON; nil takes the key away.
  fileprivate mutating func put(_ value: [UInt8]?, at key: RegisterKey) {
    let parsed = value.flatMap { try? JSONValue.parse($0) }
    if let key = key.string { self[key] = parsed } else { self = parsed?.objectValue ?? [:] }
  }
}
