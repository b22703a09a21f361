import CanonicalJSON
import ObjectStore

extension Repository {
  /// Reads all records of some types for an app, and notes that it holds them now.
  func handOver(types: [String]) throws -> [any SyncableRecord] {
    var records: [any SyncableRecord] = []
    var ledger = AppLedger(self)
    try read { snapshot in
      for type in types {
        let kind = try snapshot.kinds.kind(type)
        // What the app held of a record that is gone is no base for what it may make of it anew.
        var gone = kind.family == .keys ? try ledger.bases(ofKind: kind.name) : [:]
        let retracted = kind.family == .history ? try snapshot.retracted(kind.name) : []
        try snapshot.forEachRecord(of: kind.name, kind.family) { view in
          if retracted.contains(view.name.id) { return true }
          records.append(view.syncable())
          if kind.family == .keys, !view.isLocal {
            let state = try snapshot.index.keyed(view.name) ?? KeyedState()
            let source = AppLedger.source(view.name)
            ledger.note(SyncLedger.Base(handedOver: view, state: state, kind: kind), of: source)
            gone[source] = nil
          }
          return true
        }
        for source in gone.keys { ledger.note(nil, of: source) }
      }
    }
    try ledger.save()
    return records
  }

  /// Deletes keyed records by their ids alone, or by `TYPE/ID` where several kinds have one of that id.
  func deleteRecords(_ ids: [String]) throws -> [String] {
    var names: [RecordName] = []
    let deleted = try write { transaction in
      names = []
      let kinds = try transaction.current.kinds
      return try ids.filter { id in
        guard let (kind, bytes) = try transaction.deletable(id, kinds: kinds) else { return false }
        try transaction.delete(kind: kind, id: bytes)
        names.append(RecordName(family: .keys, kind: kind.name, id: bytes))
        return true
      }
    }
    // What the app held of it is no base for what it may make of it anew, and nothing of it waits.
    var ledger = AppLedger(self)
    for name in names { ledger.note(nil, of: AppLedger.source(name)) }
    try ledger.save()
    try noteUndecided(Dictionary(names.map { ($0, nil) }) { $1 })
    return deleted
  }
}

extension Transaction {
  /// - Throws: `RunicError.ambiguous`, `.wrongFamily` for a history's record.
  fileprivate func deletable(_ typed: String, kinds: KindRegistry) throws -> (kind: Kind, id: [UInt8])? {
    var found: [(kind: Kind, id: [UInt8])] = []
    for kind in kinds.usable {
      for id in Self.ids(typed, kind: kind) where RecordGrammar.isID(id) {
        let name = RecordName(family: kind.family, kind: kind.name, id: id)
        switch kind.family {
        case .keys where try index.keyed(name)?.payload != nil: found.append((kind, id))
        case .history where try index.history(name) != nil:
          throw RunicError.wrongFamily(kind: kind.name, family: .history)
        default: break
        }
      }
    }
    guard found.count > 1 else { return found.first }
    throw RunicError.ambiguous(prefix: typed, candidates: found.map { "\($0.kind.name)/\(typed)" })
  }

  private static func ids(_ typed: String, kind: Kind) -> [[UInt8]] {
    guard let slash = typed.firstIndex(of: "/"),
      KindRegistry.canonicalName(String(typed[..<slash])) == kind.name
    else { return [Array(typed.utf8)] }
    return [Array(typed.utf8), Array(typed[typed.index(after: slash)...].utf8)]
  }
}
