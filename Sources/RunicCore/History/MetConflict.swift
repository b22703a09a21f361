import CanonicalJSON

/// What a conflict is about.
public struct ConflictPlace: Hashable, Sendable {
  public let record: RecordName
  /// Nil where a delete is at stake, or the whole payload.
  public let key: JSONString?

  public init(record: RecordName, key: JSONString?) { (self.record, self.key) = (record, key) }
}

/// How a conflict came to its end.
public struct ConflictSettlement: Equatable, Sendable {
  public enum Way: String, Sendable {
    /// By `resolve`, or a strategy.
    case resolved
    /// By an edit that was made after both were seen.
    case edited
    case deleted
  }

  public var way: Way
  /// What people call the device that settled it, and the wall time of its commit.
  public var deviceName: String
  public var time: Int64

  public init(way: Way, deviceName: String, time: Int64) {
    (self.way, self.deviceName, self.time) = (way, deviceName, time)
  }
}

/// A conflict that this device came to see.
public struct MetConflict: Equatable, Sendable {
  public let place: ConflictPlace
  /// When it was first seen, in milliseconds since 1970.
  public let met: Int64
  /// Nil while it is open.
  public var settlement: ConflictSettlement?

  public init(place: ConflictPlace, met: Int64, settlement: ConflictSettlement? = nil) {
    (self.place, self.met, self.settlement) = (place, met, settlement)
  }
}

extension SyncHistory {
  /// Compares what is open with what was: notes what is new, and how that ended which is open no more.
  public mutating func note(
    open: [ConflictPlace], now: Int64, settlement: (ConflictPlace) throws -> ConflictSettlement?
  ) rethrows {
    let present = Set(open)
    for index in conflicts.indices
    where conflicts[index].settlement == nil && !present.contains(conflicts[index].place) {
      conflicts[index].settlement =
        try settlement(conflicts[index].place)
        ?? ConflictSettlement(way: .edited, deviceName: "", time: now)
    }
    let known = Set(conflicts.filter { $0.settlement == nil }.map(\.place))
    var seen = known
    for place in open where seen.insert(place).inserted {
      conflicts.append(MetConflict(place: place, met: now))
    }
    drop()
  }

  /// Of too many, the oldest go, the settled ones first.
  private mutating func drop() {
    var excess = conflicts.count - Self.limit
    guard excess > 0 else { return }
    conflicts.removeAll { conflict in
      guard excess > 0, conflict.settlement != nil else { return false }
      excess -= 1
      return true
    }
    conflicts = conflicts.suffix(Self.limit)
  }
}

extension Snapshot {
  /// How a conflict that is open no more was settled: by the latest write of what it was about.
  func settlement(of place: ConflictPlace) throws -> ConflictSettlement? {
    guard let state = try index.keyed(place.record) else { return nil }
    let register = place.key.map { RegisterKey.key($0.utf8) }
    let head = register.map { state.shownHead(of: $0) } ?? state.latestShownHead
    if let head, state.shownGeneration != nil {
      return ConflictSettlement(
        way: head.isResolution ? .resolved : .edited, deviceName: name(of: head.committer),
        time: try index.place(of: head.commit)?.time ?? head.writer.time)
    }
    return state.latestDeletion.map {
      ConflictSettlement(way: .deleted, deviceName: name(of: $0.committer), time: $0.writer.time)
    }
  }
}
