import ObjectStore

/// The shown payload of a keyed record, in parts.
public struct ShownRecord: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public let key: [UInt8]
    /// Canonical JSON; nil where the key is unset and so hides one of the whole object.
    public let value: [UInt8]?

    public init(key: [UInt8], value: [UInt8]?) {
      self.key = key
      self.value = value
    }
  }

  /// The register that holds the whole payload, a canonical JSON object, where there is one.
  public let whole: [UInt8]?
  /// The registers of single keys, in RFC 8785 order.
  public let registers: [Member]

  public init(whole: [UInt8]?, registers: [Member]) {
    self.whole = whole
    self.registers = registers
  }

  /// The members of the payload in RFC 8785 order: the whole object, overlaid by the keys.
  ///
  /// - Parameter split: takes a canonical JSON object apart into its members.
  public func members(
    splitting split: ([UInt8]) throws -> [(key: [UInt8], value: [UInt8])]
  ) rethrows -> [(key: [UInt8], value: [UInt8])] {
    var merged: [[UInt8]: [UInt8]] = [:]
    if let whole {
      for (key, value) in try split(whole) { merged[key] = value }
    }
    for member in registers { merged[member.key] = member.value }
    return merged.sorted { RegisterKey.key($0.key) < .key($1.key) }.map { (key: $0.key, value: $0.value) }
  }
}

extension KeyedState {
  /// The generation that is shown: the newest one that lives; nil where the record is deleted or unknown.
  public var shownGeneration: Int64? {
    latestWrites.keys.filter(lives).max()
  }

  /// The newest generation that any write or delete names, 0 where there is none.
  public var newestGeneration: Int64 {
    max(latestWrites.keys.max() ?? 0, deletes.lazy.map(\.generation).max() ?? 0)
  }

  /// A generation lives while its latest write is not earlier than its latest delete.
  private func lives(_ generation: Int64) -> Bool {
    guard let latest = latestWrites[generation] else { return false }
    return deletes.allSatisfy { $0.generation < generation || $0.stamp <= latest }
  }

  /// Whether anything is known of the record, shown or not.
  public var isKnown: Bool { !latestWrites.isEmpty || !deletes.isEmpty }

  /// Whether the record has been there and is not shown.
  public var isDeleted: Bool { isKnown && shownGeneration == nil }

  /// All heads, of every generation, sorted by register and commit.
  public var heads: [RegisterHeads] { registers }

  /// The deletes that can still matter, sorted by commit.
  public var deletions: [Deletion] { deletes }

  /// The latest delete, where there was one.
  public var latestDeletion: Deletion? {
    deletes.max { ($0.stamp, $1.commit) < ($1.stamp, $0.commit) }
  }

  /// The registers of one generation.
  func registers(of generation: Int64) -> ArraySlice<RegisterHeads> {
    let start = position(of: Register(generation: generation, key: .whole)).place
    return registers[start...].prefix { $0.register.generation == generation }
  }

  /// The heads of a register of the shown generation, sorted by commit.
  public func heads(of key: RegisterKey) -> [RegisterHead] {
    guard let generation = shownGeneration else { return [] }
    let (place, isThere) = position(of: Register(generation: generation, key: key))
    return isThere ? registers[place].heads : []
  }

  /// The head of a register that is shown; its value is nil where the register is unset.
  public func shownHead(of key: RegisterKey) -> RegisterHead? {
    RegisterHeads(register: Register(generation: 0, key: key), heads: heads(of: key)).shown
  }

  /// The value that a register shows.
  public func shownValue(_ key: RegisterKey) -> [UInt8]? { shownHead(of: key)?.value }

  /// The latest of the heads that are shown: whose device and time the record as a whole bears.
  public var latestShownHead: RegisterHead? {
    guard let generation = shownGeneration else { return nil }
    let shown = registers(of: generation).compactMap(\.shown)
    return shown.max { ($0.stamp, $1.commit) < ($1.stamp, $0.commit) }
  }

  /// What the record shows; nil where it is deleted or unknown.
  public var shown: ShownRecord? {
    guard let generation = shownGeneration else { return nil }
    return shown(of: generation)
  }

  /// What a generation shows, or would if it lived.
  func shown(of generation: Int64) -> ShownRecord {
    var whole: [UInt8]?
    var members: [ShownRecord.Member] = []
    for entry in registers(of: generation) {
      switch entry.register.key {
      case .whole: whole = entry.shown?.value
      case .key(let key): members.append(ShownRecord.Member(key: key, value: entry.shown?.value))
      }
    }
    return ShownRecord(whole: whole, registers: members)
  }
}
