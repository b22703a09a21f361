import ObjectStore

/// One change of one record. A commit holds at most one change of each keyed record.
public enum Change: Hashable, Sendable {
  case add(HistoryAdd)
  case set(RegisterWrite)
  case delete(RecordDelete)

  public var name: RecordName {
    switch self {
    case .add(let add): add.name
    case .set(let write): write.name
    case .delete(let delete): delete.name
    }
  }
}

/// An entry of a history.
public struct HistoryAdd: Hashable, Sendable {
  public let kind: String
  public let id: [UInt8]
  /// Canonical JSON; may be a slice of the commit that it was read from.
  public let payload: ArraySlice<UInt8>
  public let rank: Rank
  /// In place of the commit's.
  public let stamp: Stamp?
  public let origin: Origin?
  /// Whether the id is known to be the payload's fingerprint; without it, whoever must know computes it.
  let isFingerprinted: Hint<Bool>

  public init(
    kind: String, id: [UInt8], payload: ArraySlice<UInt8>, rank: Rank = .zero, stamp: Stamp? = nil,
    origin: Origin? = nil
  ) {
    self.kind = kind
    self.id = id
    self.payload = payload
    self.rank = rank
    self.stamp = stamp
    self.origin = origin
    isFingerprinted = Hint(false)
  }

  /// - Parameter natural: as it was found in this payload.
  init(
    kind: String, natural: NaturalID, payload: ArraySlice<UInt8>, stamp: Stamp? = nil, origin: Origin? = nil
  ) {
    (self.kind, id, rank) = (kind, natural.id, natural.rank)
    (self.payload, self.stamp, self.origin) = (payload, stamp, origin)
    isFingerprinted = natural.isFingerprint
  }

  public var name: RecordName { RecordName(family: .history, kind: kind, id: id) }
}

/// What a change writes into one register.
public struct WrittenValue: Hashable, Sendable {
  /// Canonical JSON; nil unsets the register.
  public let value: [UInt8]?
  /// The commits whose writes of this register it replaces: the heads as its writer saw them, sorted.
  public let replaces: [Digest]

  public init(value: [UInt8]?, replaces: [Digest]) {
    self.value = value
    self.replaces = replaces
  }
}

/// Writes of some registers of one generation of a keyed record. Without any, it only settles.
public struct RegisterWrite: Hashable, Sendable {
  public let kind: String
  public let id: [UInt8]
  public let generation: Int64
  public let writes: [RegisterKey: WrittenValue]
  /// Deletes, and heads of other generations, that the writer knew and that no change settled yet, sorted.
  public let settles: [Digest]
  /// Whether this resolves a conflict; heads that are all resolutions are not resolved again by a strategy.
  public let isResolution: Bool
  /// In place of the commit's.
  public let stamp: Stamp?
  public let origin: Origin?

  public init(
    kind: String, id: [UInt8], generation: Int64, writes: [RegisterKey: WrittenValue], settles: [Digest] = [],
    isResolution: Bool = false, stamp: Stamp? = nil, origin: Origin? = nil
  ) {
    self.kind = kind
    self.id = id
    self.generation = generation
    self.writes = writes
    self.settles = settles
    self.isResolution = isResolution
    self.stamp = stamp
    self.origin = origin
  }

  public var name: RecordName { RecordName(family: .keys, kind: kind, id: id) }
}

/// The delete of a keyed record: of this generation and all below.
public struct RecordDelete: Hashable, Sendable {
  public let kind: String
  public let id: [UInt8]
  public let generation: Int64
  /// Deletes and heads that the writer knew and that no change settled yet, sorted.
  public let settles: [Digest]
  /// In place of the commit's: raised above every write that the deleting device knew, or the origin's.
  public let stamp: Stamp?
  public let origin: Origin?

  public init(
    kind: String, id: [UInt8], generation: Int64, settles: [Digest] = [], stamp: Stamp? = nil,
    origin: Origin? = nil
  ) {
    self.kind = kind
    self.id = id
    self.generation = generation
    self.settles = settles
    self.stamp = stamp
    self.origin = origin
  }

  public var name: RecordName { RecordName(family: .keys, kind: kind, id: id) }
}
