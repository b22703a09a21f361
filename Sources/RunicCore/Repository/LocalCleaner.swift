import ObjectStore

/// Keeps a local repository free of what nobody needs: leftovers of a crash, replaced objects, old heads.
struct LocalCleaner {
  let repository: Repository

  private var fileSystem: any FileSystem { repository.environment.fileSystem }
  private var layout: RepositoryLayout { repository.layout }
  private var store: Store { repository.store }

  /// How many replaced objects may gather before their headers are read to find the oldest.
  private static let slack = 8

  // MARK: - Crashes

  /// Says that a writer is at work, so that the next command looks for what it left should it die.
  func announceWriting() throws {
    let file = try OpenFile(layout.writing, .openOrCreate(permissions: 0o600), in: fileSystem)
    _ = consume file
  }

  func announceDone() { fileSystem.removeLeftover(layout.writing) }

  /// Removes what dead processes left: temporary files, transfers that nobody holds, and, where a writer died,
  /// this device's objects that no head came to list. An object that cannot be read is damage, and stays: what a
  /// writer leaves is whole.
  func removeLeftovers() throws {
    let entries = try fileSystem.listIfPresent(layout.temporary)
    for entry in entries where "\(layout.temporary)/\(entry.name)" != layout.writing {
      let path = "\(layout.temporary)/\(entry.name)"
      if path == layout.joining {
        try repository.removeUnfinishedJoins()
      } else if entry.type == .directory {
        try TransferFolder.removeIfAbandoned(path, in: fileSystem)
      } else {
        try fileSystem.removeIfPresent(path)
      }
    }
    guard entries.contains(where: { "\(layout.temporary)/\($0.name)" == layout.writing }) else { return }
    try removeUnlistedObjects()
    announceDone()
  }

  private func removeUnlistedObjects() throws {
    let device = repository.deviceID
    let heads = try store.headNames().filter { $0.device == device }
    // A head that cannot be read may list any of them.
    guard let listed = try? store.listedObjects(of: heads, keys: repository.keys) else { return }
    let newest = heads.last?.sequence ?? 0
    for digest in try store.objectNames(of: device).subtracting(listed) {
      guard let last = header(of: digest)?.last, last > newest else { continue }
      try store.remove(.object(device, digest))
    }
  }

  // MARK: - Growth

  /// Removes this device's objects and heads that a new head makes superfluous, and answers the heads.
  ///
  /// - Parameter exact: removes down to the number that stays at once, at the cost of reading headers.
  @discardableResult
  func removeReplaced(by head: Head, exact: Bool = false) throws -> [HeadName] {
    let own = try store.headNames().filter { $0.device == head.device }
    let old = Array(own.dropLast(Limits.heads))
    for name in old { try store.remove(.head(name)) }
    let objects = try store.objectNames(of: head.device)
    let mayStay = Limits.replacedObjects + (exact ? 0 : Self.slack)
    guard exact || objects.count - head.objects.count > mayStay else { return old }
    let replaced = objects.subtracting(head.objects.map(\.digest))
    let byAge = replaced.map { (digest: $0, last: header(of: $0)?.last ?? 0) }
      .sorted { ($0.last, $0.digest) < ($1.last, $1.digest) }
    for object in byAge.dropLast(Limits.replacedObjects) {
      try store.remove(.object(head.device, object.digest))
    }
    return old
  }

  /// The header of one of this device's objects, as the file says it; nil where none can be read.
  private func header(of digest: Digest) -> SealedHeader? {
    let path = store.path(.object(repository.deviceID, digest))
    guard let file = try? OpenFile(path, .read, in: fileSystem),
      let bytes = try? file.read(SealedHeader.length, at: 0)
    else { return nil }
    return try? SealedHeader(decoding: bytes)
  }
}
