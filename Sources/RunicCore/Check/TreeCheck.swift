import ObjectStore

/// Reads a whole tree and says what is wrong with it.
///
/// Without the key it can tell whether every file has the bytes that its name says; with the key, whether every
/// seal, signature, chain and change is sound, and whether all is there that the newest heads list.
struct TreeCheck {
  let tree: CheckedTree
  /// Nil to check the digests alone.
  let keys: RepositoryKeys?
  /// Whether a device is this repository's own: what is missing of it is not on its way.
  let isOwn: (DeviceID) -> Bool
  /// The SHA-256 of each slot's file, as its record says.
  let slotDigests: [SlotID: Digest]
  private let progress: (@Sendable (Progress) -> Void)?
  /// What was read so far; of a class, since it is counted while the check itself is being changed.
  private final class Seen {
    var files: Int64 = 0
    var bytes: Int64 = 0
  }

  private(set) var report = CheckReport()
  private var lengths: [TreeName: Int64] = [:]
  private let seen = Seen()

  init(
    _ tree: CheckedTree, keys: RepositoryKeys?, slotDigests: [SlotID: Digest] = [:],
    progress: (@Sendable (Progress) -> Void)? = nil,
    isOwn: @escaping (DeviceID) -> Bool
  ) {
    self.tree = tree
    self.keys = keys
    self.slotDigests = slotDigests
    self.progress = progress
    self.isOwn = isOwn
  }

  mutating func run() throws {
    let marker = try tree.marker
    let (files, strangers) = try tree.list()
    report.strangers = strangers
    report.fileCount = files.count
    report.byteCount = files.reduce(0) { $0.addingReportingOverflow($1.length).partialValue }
    for file in files { lengths[file.name] = file.length }
    try check(marker: marker)
    try checkSlots(files)
    let heads = try readHeads(files)
    var checked: Set<TreeName> = []
    if let keys {
      for device in Set(heads.map(\.device)).sorted() {
        try checkLog(heads.filter { $0.device == device }, keys, &checked)
      }
    }
    try checkRest(files, checked)
    report.strangers.sort()
    report.newer.sort()
  }

  /// Hands every file to `body`, and says how far the check is.
  private func forEach(_ files: [RemoteEntry], _ body: (TreeName, [UInt8]?) throws -> Void) throws {
    let all = Int64(lengths.count)
    try tree.forEach(files) { name, bytes in
      try body(name, bytes)
      seen.files += 1
      seen.bytes += Int64(bytes?.count ?? 0)
      progress?(Progress(.checking, done: seen.files, of: all, bytes: seen.bytes))
    }
  }

  // MARK: - Small files

  private mutating func check(marker bytes: [UInt8]) throws {
    let marker: Marker
    do throws(FormatError) { marker = try Marker(decoding: bytes) } catch {
      if case .newerFormat(let version) = error {
        throw RunicError.newerFormat(name: TreeName.marker.path, version: version)
      }
      return report.damaged(TreeName.marker.path, .format(error))
    }
    guard let keys else { return }
    guard marker.repository == keys.repository else {
      throw RunicError.foreignRepository(here: keys.repository, there: marker.repository)
    }
    if !marker.accepts(keys) || marker.bytes != bytes {
      report.damaged(TreeName.marker.path, .format(.authentication))
    }
  }

  private mutating func checkSlots(_ files: [RemoteEntry]) throws {
    let slots = files.filter { $0.name.folder == .keys }
    var found = report
    try forEach(slots) { name, bytes in
      guard let bytes else { return found.damaged(name.path, .format(.length)) }
      do throws(FormatError) {
        let repository: RepositoryID
        switch name {
        case .slot(let id):
          if let digest = slotDigests[id], SHA256.hash(bytes) != digest {
            return found.damaged(name.path, .digest)
          }
          repository = try KeySlot(decoding: bytes, id: id).repository
        case .keyFile(let file): repository = try check(bytes, file)
        case .marker, .head, .object: return
        }
        if let keys, repository != keys.repository { throw .foreign }
      } catch {
        switch error {
        case .foreign: found.strangers.append(name.path)
        case .newerFormat, KeySlot.otherCost: found.newer.append(name.path)
        default: found.damaged(name.path, .format(error))
        }
      }
    }
    report = found
  }

  /// A key file: with its key, that it opens as well.
  private func check(_ bytes: [UInt8], _ name: KeyFileName) throws(FormatError) -> RepositoryID {
    let file = try KeyFile(decoding: bytes, name: name)
    guard let key = keys?[name.key], file.repository == key.repository else { return file.repository }
    do { _ = try file.open(with: key.root) } catch { throw .authentication }
    return file.repository
  }

  /// Decodes all heads that can be; without the key only their digests are looked at.
  private mutating func readHeads(_ files: [RemoteEntry]) throws -> [Head] {
    var heads: [Head] = []
    var found = report
    try forEach(files.filter { $0.name.folder == .heads }) { name, bytes in
      guard case .head(let head) = name else { return }
      guard let bytes, SHA256.hash(bytes) == head.digest else { return found.damaged(name.path, .digest) }
      guard let keys else { return }
      do throws(FormatError) {
        heads.append(try Head(decoding: bytes, name: head, keys: keys))
      } catch {
        Self.note(error, name.path, head.device, &found)
      }
    }
    report = found
    return heads
  }

  /// A file that is whole: what is wrong with its content.
  private static func note(
    _ error: FormatError, _ path: String, _ device: DeviceID, _ report: inout CheckReport
  ) {
    switch error {
    case .foreign: report.strangers.append(path)
    case .newerFormat(let version): report.awaits(path, of: device, newerFormat: version)
    case .keyNotHeld(let key): report.awaits(path, of: device, key: key)
    default: report.damaged(path, .broken(error))
    }
  }

  // MARK: - Logs

  /// Walks over the log of every head of a device that has no descendant.
  private mutating func checkLog(
    _ heads: [Head], _ keys: RepositoryKeys, _ checked: inout Set<TreeName>
  ) throws {
    var walk = TipWalk(heads: heads, keys: keys)
    while let head = walk.nextTip() {
      var before = CommitLine.genesis(repository: keys.repository, device: head.device)
      var listed: [TreeName: (entry: ObjectEntry, before: Digest)] = [:]
      var present: [RemoteEntry] = []
      for entry in head.objects {
        let name = TreeName.object(head.device, entry.digest)
        listed[name] = (entry, before)
        before = entry.hash
        if let length = lengths[name] {
          present.append(RemoteEntry(name: name, length: length))
        } else {
          missing(name, of: head.device)
        }
      }
      var found = report
      try forEach(present) { name, bytes in
        checked.insert(name)
        guard let (entry, before) = listed[name] else { return }
        guard let bytes, SHA256.hash(bytes) == entry.digest else {
          return found.damaged(name.path, .digest)
        }
        do {
          found.commitCount += try walk.check(bytes, entry, of: head.device, after: before)
        } catch let error as FormatError {
          Self.note(error, name.path, head.device, &found)
        }
      }
      report = found
    }
  }

  private mutating func missing(_ name: TreeName, of device: DeviceID) {
    if isOwn(device) { report.damaged(name.path, .missing) } else { report.awaits(name.path, of: device) }
  }

  /// The objects that no newest head lists: replaced ones, and leftovers.
  private mutating func checkRest(_ files: [RemoteEntry], _ checked: Set<TreeName>) throws {
    let rest = files.filter { file in
      if case .object = file.name { return !checked.contains(file.name) }
      return false
    }
    var found = report
    try forEach(rest) { name, bytes in
      guard case .object(let device, let digest) = name else { return }
      guard let bytes, SHA256.hash(bytes) == digest else { return found.damaged(name.path, .digest) }
      guard let keys else { return }
      do throws(FormatError) {
        try Self.open(bytes, device, keys)
      } catch {
        Self.note(error, name.path, device, &found)
      }
    }
    report = found
  }

  private static func open(_ bytes: [UInt8], _ device: DeviceID, _ keys: RepositoryKeys) throws(FormatError) {
    let header = try SealedHeader(decoding: bytes)
    let expected = SealedHeader(
      purpose: .object, key: keys.newest.id, repository: keys.repository, device: device, first: header.first,
      last: header.last)
    var file = bytes
    _ = try SealedFile.open(&file, expecting: expected, keys: keys)
  }
}
