import ObjectStore

/// What concurrent writes of a register were made from: the newest writes that every one of them replaces, at first or
/// second hand. The commits say it; no clock and no copy of an app takes part.
struct MergeBases {
  /// A write that others may have replaced.
  struct Written: Sendable {
    let value: [UInt8]?
    let replaces: [Digest]
    let stamp: Stamp

    /// By the order in which concurrent writes show.
    func isOutranked(by other: Written) -> Bool {
      stamp == other.stamp ? precedes(value, other.value) : stamp < other.stamp
    }
  }

  private struct Place: Hashable {
    let name: RecordName
    let register: Register
  }

  private var writes: [Place: [Digest: Written]] = [:]

  /// - Complexity: O(size of the store), in memory all writes of the records; nothing where there are none.
  init(of names: Set<RecordName>, in snapshot: Snapshot) throws {
    if names.isEmpty { return }
    var found: [Place: [Digest: Written]] = [:]
    try snapshot.forEachCommit { commit in
      try commit.forEachChange { change in
        guard case .set(let write) = change, names.contains(write.name) else { return }
        for (key, written) in write.writes {
          let place = Place(name: write.name, register: Register(generation: write.generation, key: key))
          found[place, default: [:]][commit.commit.hash] = Written(
            value: written.value, replaces: written.replaces, stamp: write.stamp ?? commit.stamp)
        }
      }
      return true
    }
    writes = found
  }

  /// The write that all heads of a register go back to; nil where there is none, or where it is not held here. Of
  /// several the one that would be shown.
  func base(of entry: RegisterHeads, in name: RecordName) -> Written? {
    guard let writes = writes[Place(name: name, register: entry.register)] else { return nil }
    let ancestors = entry.heads.map { Self.ancestors(of: $0.commit, in: writes) }
    guard var common = ancestors.first else { return nil }
    for more in ancestors.dropFirst() { common.formIntersection(more) }
    let replaced = Set(common.flatMap { writes[$0]?.replaces ?? [] })
    let newest = common.subtracting(replaced).compactMap { writes[$0] }
    return newest.max { $0.isOutranked(by: $1) }
  }

  private static func ancestors(of commit: Digest, in writes: [Digest: Written]) -> Set<Digest> {
    var found: Set<Digest> = []
    var open = writes[commit]?.replaces ?? []
    while let next = open.popLast() {
      if found.insert(next).inserted { open += writes[next]?.replaces ?? [] }
    }
    return found
  }
}
