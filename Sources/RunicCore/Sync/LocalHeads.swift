import ObjectStore

/// The heads of one device in the local store, sorted by what they are still good for.
struct LocalHeads {
  struct Kept {
    let name: HeadName
    let head: Head
    /// Whether every commit up to it is applied.
    let isWhole: Bool
  }

  /// The newest whole head of each branch, and newer ones of which something has not arrived.
  private(set) var current: [Kept] = []
  /// Heads that a current one descends from.
  private(set) var superseded: [HeadName] = []
  /// Heads that cannot be read: what they list is not known.
  private(set) var damaged: [HeadName] = []

  init(of device: DeviceID, store: Store, index: Index, keys: RepositoryKeys) throws {
    try self.init(
      try store.headNames().filter { $0.device == device }, store: store, index: index, keys: keys)
  }

  init(_ names: [HeadName], store: Store, index: Index, keys: RepositoryKeys) throws {
    var tips: Set<Digest> = []
    for name in names.reversed() {
      let head: Head
      do { head = try store.head(name, keys: keys) } catch is DamagedFile {
        damaged.append(name)
        continue
      } catch let error as SystemError where error.isMissing {
        // Another process of this device has dropped it: a newer one is there.
        continue
      }
      let place = try index.place(of: head.commit, in: head.device)
      let log = index.logs[name.device]
      let isTip = place.map { log?.branches[$0.branch].tip == head.commit } ?? true
      // Two heads of one commit say the same; one is enough.
      if isTip, tips.insert(head.commit.hash).inserted {
        current.append(Kept(name: name, head: head, isWhole: place != nil))
      } else {
        superseded.append(name)
      }
    }
  }
}

extension Snapshot {
  /// The current heads in the store of some devices.
  func currentHeads(of devices: some Sequence<DeviceID>) throws -> [LocalHeads.Kept] {
    let names = Dictionary(grouping: try repository.store.headNames(), by: \.device)
    return try devices.flatMap { device in
      try LocalHeads(names[device] ?? [], store: repository.store, index: index, keys: repository.keys)
        .current
    }
  }

  /// Heads that are here though their objects have not all arrived. Reads nothing where nothing waits.
  func pendingHeads() throws -> [Head] {
    let waiting = index.logs.filter { !$0.value.waiting.isEmpty }.keys.sorted()
    return try currentHeads(of: waiting).filter { !$0.isWhole }.map(\.head)
  }

  /// The logs of which something has not arrived, but for those of retired devices.
  func pendingLogs() throws -> [PendingLog] {
    try pendingHeads().compactMap { head in
      let said = RecordName(family: .keys, kind: BuiltInName.device, id: Array(head.device.hex.utf8))
      if try record(said)?.object["retired"]?.boolValue == true { return nil }
      return PendingLog(
        device: head.device, deviceName: head.name,
        have: index.logs[head.device]?.newest?.sequence ?? 0, need: head.commit.sequence)
    }
  }

  /// The logs whose newest head is of a format that this version does not read.
  func pendingLogs(newer: [HeadName: Int]) -> [PendingLog] {
    newer.sorted { $0.key < $1.key }.map { head, version in
      PendingLog(
        device: head.device, deviceName: name(of: head.device),
        have: index.logs[head.device]?.newest?.sequence ?? 0, need: head.sequence, newerFormat: version)
    }
  }
}
