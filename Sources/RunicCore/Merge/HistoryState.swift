import ObjectStore

/// What is known of one history record: its winning payload, and the earliest `add` of it.
///
/// The merge takes the greater of two (rank, payload), and of two that are alike in both the earlier `add`: a
/// join of a total order, hence associative, commutative and idempotent. No clock takes part in the choice of
/// the payload (`docs/merge.md`, "Histories").
public struct HistoryState: Hashable, Sendable {
  /// One `add`, in the order in which the earliest is chosen: time, then device; stamp and name only make the
  /// choice total.
  public struct Added: Hashable, Comparable, Sendable {
    public let writer: Writer
    public let stamp: Stamp

    public init(writer: Writer, stamp: Stamp) {
      self.writer = writer
      self.stamp = stamp
    }

    public static func < (a: Added, b: Added) -> Bool {
      if a.writer.time != b.writer.time { return a.writer.time < b.writer.time }
      if a.writer.device != b.writer.device { return a.writer.device < b.writer.device }
      if a.stamp != b.stamp { return a.stamp < b.stamp }
      return precedes(a.writer.deviceName, b.writer.deviceName)
    }
  }

  public private(set) var rank: Rank
  /// Canonical JSON; a slice of what it was read from.
  public private(set) var payload: ArraySlice<UInt8>
  public private(set) var added: Added

  public init(rank: Rank, payload: ArraySlice<UInt8>, added: Added) {
    self.rank = rank
    self.payload = payload
    self.added = added
  }

  public init(_ add: HistoryAdd, _ context: CommitContext) {
    let writer = Writer(add.origin, context)
    self.init(
      rank: add.rank, payload: add.payload, added: Added(writer: writer, stamp: add.stamp ?? context.stamp))
  }

  /// Whether an `add` of this would change what is shown. One that would not stores nothing.
  public func isSurpassed(by payload: ArraySlice<UInt8>, rank: Rank) -> Bool {
    if rank != self.rank { return self.rank < rank }
    return self.payload.lexicographicallyPrecedes(payload)
  }

  /// Joins in what another commit, index or device knows of the same record.
  public mutating func merge(_ other: HistoryState) {
    if isSurpassed(by: other.payload, rank: other.rank) {
      self = other
    } else if rank == other.rank, payload == other.payload {
      added = min(added, other.added)
    }
  }
}

/// Orders optional bytes: nothing first, then by bytes.
func precedes(_ a: [UInt8]?, _ b: [UInt8]?) -> Bool {
  switch (a, b) {
  case (_, nil): false
  case (nil, _): true
  case (let a?, let b?): a.lexicographicallyPrecedes(b)
  }
}
