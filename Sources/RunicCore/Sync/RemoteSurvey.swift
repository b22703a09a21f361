import ObjectStore

/// What a remote shows before anything is decided: its heads, and what the ones say that are new here.
struct RemoteSurvey {
  /// All heads that are listed, with their lengths, but for those that were found damaged.
  var listed: [HeadName: Int64] = [:]
  /// Heads that were read now, whole and verified.
  var fresh: [HeadName: Head] = [:]
  /// Where the files of fresh heads lie on this side.
  var files: [HeadName: String] = [:]
  var damaged: [TreeName] = []
  var newer: [HeadName: Int] = [:]
  /// Names of heads that are whole, but no heads of this repository's: strangers.
  var strangers: [HeadName] = []

  /// Lists the heads and reads those that this device does not know, into `folder`; none where it is nil.
  static func take(
    _ remote: any Remote, repository: Repository, snapshot: Snapshot, folder: () throws -> String
  ) throws -> RemoteSurvey {
    var survey = RemoteSurvey()
    for entry in try remote.list([.heads]) {
      if case .head(let name) = entry.name { survey.listed[name] = entry.length }
    }
    let kept = Set(try repository.store.headNames())
    let names = try SyncPlan.headsToRead(listed: survey.listed.keys, kept: kept) {
      try snapshot.index.wasRead($0)
    }
    guard !names.isEmpty else { return survey }
    for file in try remote.fetch(names.map(TreeName.head), into: try folder()) {
      try survey.read(file, repository: repository)
    }
    return survey
  }

  private mutating func read(_ file: LocalFile, repository: Repository) throws {
    guard case .head(let name) = file.name else { return }
    let bytes = try repository.environment.fileSystem.read(file.path, limit: Limits.headFile)
    guard SHA256.hash(bytes) == name.digest else {
      damaged.append(file.name)
      listed[name] = nil
      return
    }
    do throws(FormatError) {
      fresh[name] = try repository.environment.heads.head(
        decoding: bytes, name: name, keys: repository.keys)
      files[name] = file.path
    } catch {
      switch error {
      case .newerFormat(let version): newer[name] = version
      case .foreign:
        strangers.append(name)
        listed[name] = nil
      default:
        // It bears its name and its place, and is none the less no head: made up, or made by another device.
        damaged.append(file.name)
        listed[name] = nil
      }
    }
  }
}

extension Index {
  /// Whether a head was read before, though it is not kept.
  func wasRead(_ head: HeadName) throws -> Bool { try value(IndexKey.seen(head)) != nil }

  /// How many heads of a device are remembered as read.
  private static let remembered = 64

  /// Remembers heads that were read and are not kept, so that no pull reads them again.
  func remember(_ heads: some Sequence<HeadName>) throws {
    var devices: Set<DeviceID> = []
    for head in heads {
      try set(IndexKey.seen(head), .put([]))
      devices.insert(head.device)
    }
    for device in devices { try forgetOldest(of: device) }
  }

  private func forgetOldest(of device: DeviceID) throws {
    var keys: [[UInt8]] = []
    try table.scan(prefix: [IndexKey.seenHead] + Array(device.hex.utf8)) { key, _ in
      keys.append(Array(key))
      return true
    }
    for key in keys.dropLast(Self.remembered) { try set(key, .remove) }
  }
}
