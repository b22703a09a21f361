import ObjectStore

/// A register of one generation of a keyed record.
public struct Register: Hashable, Comparable, Sendable {
  public let generation: Int64
  public let key: RegisterKey

  public init(generation: Int64, key: RegisterKey) {
    self.generation = generation
    self.key = key
  }

  public static func < (a: Register, b: Register) -> Bool {
    a.generation != b.generation ? a.generation < b.generation : a.key < b.key
  }
}

/// A write that no other write of its register lists as replaced.
public struct RegisterHead: Hashable, Sendable {
  public let commit: Digest
  /// The device that made the commit; it is `writer.device` unless the write was brought in from elsewhere.
  public let committer: DeviceID
  public let writer: Writer
  public let stamp: Stamp
  /// Canonical JSON; nil where the write unset the register.
  public let value: [UInt8]?
  public let isResolution: Bool
  /// Whether a change lists it as settled: then it is no hidden edit.
  public internal(set) var isSettled: Bool

  public init(
    commit: Digest, committer: DeviceID, writer: Writer, stamp: Stamp, value: [UInt8]?, isResolution: Bool,
    isSettled: Bool
  ) {
    self.commit = commit
    self.committer = committer
    self.writer = writer
    self.stamp = stamp
    self.value = value
    self.isResolution = isResolution
    self.isSettled = isSettled
  }

  /// Whether this head is shown rather than the other: greatest stamp, then greatest bytes with an unset
  /// lowest; of equal values under one stamp the smallest commit hash speaks for them. Never arrival, never a
  /// device.
  func outranks(_ other: RegisterHead) -> Bool {
    if stamp != other.stamp { return stamp > other.stamp }
    if value != other.value { return precedes(other.value, value) }
    return commit < other.commit
  }
}

/// The heads of one register, sorted by commit; never empty.
public struct RegisterHeads: Hashable, Sendable {
  public let register: Register
  public internal(set) var heads: [RegisterHead]

  public init(register: Register, heads: [RegisterHead]) {
    self.register = register
    self.heads = heads
  }

  /// The head that is shown.
  var shown: RegisterHead? {
    heads.dropFirst().reduce(heads.first) { best, head in
      guard let best else { return head }
      return head.outranks(best) ? head : best
    }
  }

  /// One head for each value, the one shown first: equal values count as one.
  var distinct: [RegisterHead] {
    guard heads.count > 1 else { return heads }
    var seen: Set<[UInt8]?> = []
    return heads.sorted { $0.outranks($1) }.filter { seen.insert($0.value).inserted }
  }
}

/// A delete of a keyed record.
public struct Deletion: Hashable, Sendable {
  public let commit: Digest
  public let committer: DeviceID
  public let writer: Writer
  /// It covers this generation and all below.
  public let generation: Int64
  public let stamp: Stamp
  /// Whether a change lists it as settled.
  public internal(set) var isSettled: Bool

  public init(
    commit: Digest, committer: DeviceID, writer: Writer, generation: Int64, stamp: Stamp, isSettled: Bool
  ) {
    self.commit = commit
    self.committer = committer
    self.writer = writer
    self.generation = generation
    self.stamp = stamp
    self.isSettled = isSettled
  }

  /// Whether the other delete adds nothing to this one: no generation dies of it that does not die of this.
  /// Of two that are alike the smaller commit hash covers the other.
  func covers(_ other: Deletion) -> Bool {
    guard commit != other.commit, generation >= other.generation, stamp >= other.stamp else { return false }
    return generation != other.generation || stamp != other.stamp || commit < other.commit
  }
}
