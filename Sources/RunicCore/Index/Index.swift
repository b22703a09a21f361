import CanonicalJSON
import ObjectStore

/// The state of all records, cached: derived from the store, brought up to date where it is behind, made anew
/// where it is gone or beside.
///
/// Changes gather in `pending` and are visible at once; `save` makes them last together with what they came
/// from, so that the table never shows a commit in part.
final class Index {
  private(set) var table: SortedTable
  private let reopen: () throws -> SortedTable
  private let erase: () throws -> Void
  /// The wall time of whoever uses it, in milliseconds.
  var now: Int64
  let laws: EngineLaws
  private var pending = Memtable()
  // Kept between changes: a bulk makes no allocation for each.
  private var keyScratch: [UInt8] = []
  private var stateScratch = StateWriter()
  private(set) var logs: [DeviceID: DeviceLog] = [:]
  private var changedLogs: Set<DeviceID> = []
  var clock: HybridClock
  /// The exclusive or of the digests of all heads that were read: equal sets give equal values.
  private(set) var heads: Digest
  /// The heads that the last look at the store found damaged, and those of which it could not read all objects.
  var damagedHeads: [HeadName] = []
  var incompleteHeads: [Head] = []
  /// The kinds that are declared, once somebody asked; nil since a declaration changed.
  var kinds: KindRegistry?
  /// The keyed records that were changed, and how many changes were read from logs: what a merge brought.
  var touched: Set<RecordName> = []
  var added = AddedRecords()
  var applied: Int64 = 0
  /// Is told of each record that a change read from a log is about.
  var onMerge: ((RecordName) -> Void)?
  /// Called after each object whose commits were brought in.
  var progress: (@Sendable (Progress) -> Void)?
  /// What to do with what gathered when it grows large: to show it, or to put it aside until `save`.
  var whenFull: (Index) throws -> Void = { try $0.save() }

  /// Opens the index in a folder; an unreadable one is removed and begun anew.
  ///
  /// - Parameter mayErase: whether the caller holds the repository's lock; without it, an unreadable index is an
  ///   error for the caller to come back with the lock.
  init(folder: String, environment: Environment, mayErase: Bool) throws {
    now = environment.clock.now()
    laws = environment.laws
    let fileSystem = environment.fileSystem
    reopen = { try SortedTable(folder: folder, fileSystem: fileSystem, combine: Self.combine) }
    erase = { try SortedTable.destroy(folder: folder, fileSystem: fileSystem) }
    do {
      table = try reopen()
      guard let meta = Metadata(bytes: table.metadata) else { throw TableError.damaged(file: "metadata") }
      (clock, heads) = (HybridClock(greatest: meta.greatest, tolerance: laws.tolerance), meta.heads)
    } catch let error as TableError {
      guard mayErase else { throw error }
      try erase()
      table = try reopen()
      (clock, heads) = (HybridClock(tolerance: laws.tolerance), .zero)
    }
    try loadLogs()
  }

  /// Whether nothing was ever saved: the index is new, or was deleted.
  var isEmpty: Bool { table.metadata.isEmpty }

  /// Begins anew, for a store that this index is beside of.
  func forgetEverything() throws {
    try erase()
    table = try reopen()
    (clock, heads, logs) = (HybridClock(tolerance: laws.tolerance), .zero, [:])
    forget()
  }

  private func loadLogs() throws {
    try table.scan(prefix: [IndexKey.log]) { key, value in
      guard let device = DeviceID(bytes: key.dropFirst()), let log = DeviceLog(bytes: Array(value)) else {
        return true
      }
      logs[device] = log
      return true
    }
  }

  /// Two states of one history record become one; of everything else the newer stands.
  private static func combine(key: [UInt8], newer: [UInt8], older: [UInt8]) throws -> [UInt8] {
    guard key.first == IndexKey.history else { return newer }
    var state = try HistoryState(decoding: older)
    state.merge(try HistoryState(decoding: newer))
    return state.encode()
  }

  // MARK: - Reading

  func value(_ key: [UInt8]) throws -> [UInt8]? {
    guard let found = pending[key] else { return try table.get(key) }
    switch found.kind {
    case .full: return found.bytes
    case .tombstone: return nil
    case .operand:
      guard let older = try table.get(key) else { return found.bytes }
      return try Self.combine(key: key, newer: found.bytes, older: older)
    }
  }

  func place(of hash: Digest) throws -> CommitPlace? {
    try value(IndexKey.commit(hash)).flatMap(CommitPlace.init(bytes:))
  }

  /// The place of a commit that a head or an object names, if it stands there in that device's log: a device may
  /// name another one's commit, and it makes it none of its own.
  func place(of commit: CommitName, in device: DeviceID) throws -> CommitPlace? {
    guard let place = try place(of: commit.hash), place.device == device, place.sequence == commit.sequence
    else { return nil }
    return place
  }

  /// Whether everything up to a head is in.
  func holds(_ head: Head) throws -> Bool { try place(of: head.commit, in: head.device) != nil }

  func history(_ name: RecordName) throws -> HistoryState? {
    try value(IndexKey.record(name)).map { try HistoryState(decoding: $0) }
  }

  func keyed(_ name: RecordName) throws -> KeyedState? {
    try value(IndexKey.record(name)).map { try KeyedState(decoding: $0) }
  }

  // MARK: - Writing

  func set(_ key: [UInt8], _ change: SortedTable.Change) throws {
    if key.first == IndexKey.keyed, key.starts(with: IndexKey.declarations) { kinds = nil }
    try pending.apply(key, change.stored, combine: Self.combine)
  }

  /// Joins what is known of a history record with what is there.
  func merge(_ state: HistoryState, of name: RecordName) throws {
    keyScratch.removeAll(keepingCapacity: true)
    IndexKey.append(name, to: &keyScratch)
    stateScratch.clear()
    state.encode(to: &stateScratch)
    try keyScratch.withUnsafeBytes { key in
      try stateScratch.bytes.withUnsafeBytes { state in
        try pending.apply(.operand, key, state, combine: Self.combine)
      }
    }
  }

  func update(_ device: DeviceID, _ change: (inout DeviceLog) -> Void) {
    change(&logs[device, default: DeviceLog()])
    changedLogs.insert(device)
  }

  /// Notes heads that came to the store or left it.
  func note(heads names: some Sequence<HeadName>) {
    for name in names { heads = heads.exclusiveOr(name.digest) }
  }

  /// Forgets which heads were read, before they are looked at anew.
  func forgetHeads() { heads = .zero }

  func follow(_ stamp: Stamp, of device: DeviceID) {
    guard stamp > clock.greatest || !clock.follows(clock.greatest, now: now) else { return }
    if clock.follows(stamp, now: now) {
      _ = clock.follow(CollectionOfOne(stamp), now: now)
    } else if stamp > (logs[device]?.farAhead ?? .zero) {
      update(device) { $0.farAhead = stamp }
    }
  }

  /// Whether so much has gathered that it should go to the table before more comes.
  private var isFull: Bool { pending.size > Self.pendingLimit }
  private static let pendingLimit = 8 << 20

  func saveIfFull() throws {
    if isFull { try whenFull(self) }
  }

  /// Everything that gathered, in the table: there for the next opening, all of it or nothing.
  ///
  /// - Parameter inOrder: whether the table is put in order with it, whatever that costs.
  func save(inOrder: Bool = false) throws {
    guard hasChanges else { return }
    for device in changedLogs {
      if let log = logs[device] { try set(IndexKey.log(device), .put(log.bytes)) }
    }
    try table.commit(pending, metadata: metadata.bytes, inOrder: inOrder)
    forget()
  }

  /// Shows what gathered where nothing can be written: only until this index goes.
  func hold() throws {
    try table.hold(pending)
    forget()
  }

  /// Puts what gathered aside into the table without showing it: only the next `save` does.
  func stage() throws {
    try table.stage(pending)
    pending.removeAll()
  }

  /// Drops what was not saved, put aside or not, and the memory that it took.
  func forget() {
    pending = Memtable()
    changedLogs = []
  }

  private var metadata: Metadata { Metadata(greatest: clock.greatest, heads: heads) }

  /// Whether something is not in the table yet.
  var hasPending: Bool { !pending.isEmpty }

  private var hasChanges: Bool {
    !pending.isEmpty || !changedLogs.isEmpty || Metadata(bytes: table.metadata) != metadata
  }
}

/// What the table keeps beside its entries, together with each batch.
private struct Metadata: Equatable {
  var greatest: Stamp
  var heads: Digest

  init(greatest: Stamp, heads: Digest) {
    self.greatest = greatest
    self.heads = heads
  }

  private static let version = 3

  init?(bytes: [UInt8]) {
    guard !bytes.isEmpty else {
      self.init(greatest: .zero, heads: .zero)
      return
    }
    guard let object = (try? JSONValue.parse(bytes))?.objectValue,
      object["version"]?.intValue == Int64(Self.version),
      let clock = object["clock"]?.textValue.flatMap({ Stamp(hex: $0) }),
      let heads = object["heads"]?.textValue.flatMap({ Digest(hex: $0) })
    else { return nil }
    self.init(greatest: clock, heads: heads)
  }

  var bytes: [UInt8] {
    let object: JSONObject = [
      "clock": .string(JSONString(greatest.hex)), "heads": .string(JSONString(heads.hex)),
      "version": .integer(Int64(Self.version)),
    ]
    return object.canonicalBytes
  }
}

extension Digest {
  static let zero = [UInt8](repeating: 0, count: byteCount).withUnsafeBytes { Digest(exactly: $0) }

  func exclusiveOr(_ other: Digest) -> Digest {
    withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { result in
          for index in result.indices { result[index] = one[index] ^ other[index] }
          return Digest(exactly: UnsafeRawBufferPointer(result))
        }
      }
    }
  }
}
