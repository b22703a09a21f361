/// What a shell may complete.
extension Snapshot {
  /// Ids of a kind's records that begin with some bytes, in no order that means anything; deleted ones are left
  /// out.
  ///
  /// - Complexity: in proportion to the records whose ids begin so, at most about `limit` of them.
  public func ids(of kind: Kind, beginningWith prefix: [UInt8], limit: Int) throws -> [[UInt8]] {
    var found: Set<[UInt8]> = []
    for scanned in IndexKey.prefixes(ofIDs: prefix, kind.name, kind.family) {
      try index.table.scan(prefix: scanned) { key, _ in
        if let id = IndexKey.name(key)?.id, id.starts(with: prefix) { found.insert(id) }
        return found.count < limit
      }
    }
    for name in local.names(of: kind.name, kind.family) where name.id.starts(with: prefix) {
      found.insert(name.id)
    }
    let sorted = found.sorted { $0.lexicographicallyPrecedes($1) }
    if kind.family == .history { return sorted }
    return try sorted.filter { id in
      try record(RecordName(family: kind.family, kind: kind.name, id: id)) != nil
    }
  }
}
