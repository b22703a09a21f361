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

  /// - Parameter names: of all its heads there, in order.
  init(_ names: [HeadName], store: Store, index: Index, keys: RepositoryKeys) throws {
    if let newest = names.last, let log = index.logs[newest.device], !log.isForked, log.waiting.isEmpty,
      let head = try? store.head(newest, keys: keys), head.commit == log.newest
    {
      // Of a log with one branch, all of which is here, the newest head says all, and no other need be read.
      current = [Kept(name: newest, head: head, isWhole: true)]
      superseded = names.dropLast()
      return
    }
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

extension Repository {
  /// The heads that the remotes showed last and that this version or these keys cannot read.
  func unreadHeads() throws -> [(key: HeadName, value: UnreadHead)] {
    let all = try readTrust().remotes.values.reduce(into: [:]) { $0.merge($1.unread) { one, _ in one } }
    return all.filter { $0.value.isUnread(with: keys) }.sorted { $0.key < $1.key }
  }
}

extension Snapshot {
  /// The newest commit here of each device.
  var newestSequences: [DeviceID: Int64] { index.logs.compactMapValues { $0.newest?.sequence } }

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

  /// The logs of which something has not arrived or cannot be read, but for those of retired devices.
  func pendingLogs() throws -> [PendingLog] {
    var logs = try pendingHeads().map { head in
      PendingLog(
        device: head.device, deviceName: head.name, have: have(of: head.device), need: head.commit.sequence,
        reason: try fault(for: head))
    }
    for (head, reason) in try repository.unreadHeads() {
      logs.append(
        PendingLog(
          device: head.device, deviceName: name(of: head.device), have: have(of: head.device),
          need: head.sequence, newerFormat: reason.format, key: reason.key))
    }
    return try logs.filter { try !isRetired($0.device) }
  }

  private func have(of device: DeviceID) -> Int64 { index.logs[device]?.newest?.sequence ?? 0 }

  /// Why the first object that a pending head waits for cannot be read though it is here, whole; nil where it has not
  /// arrived.
  private func fault(for head: Head) throws -> FormatError? {
    var before = CommitLine.genesis(repository: repository.id, device: head.device)
    for entry in head.objects {
      if try index.place(of: entry.lastCommit, in: head.device) != nil {
        before = entry.hash
        continue
      }
      guard let file = try? repository.store.read(.object(head.device, entry.digest)) else { return nil }
      var walk = TipWalk(heads: [], keys: repository.keys)
      do { _ = try walk.check(file, entry, of: head.device, after: before) } catch let error as FormatError {
        return error
      }
      return nil
    }
    return nil
  }
}
