import ObjectStore

/// What a remote shows before anything is decided: its heads, and what the ones say that are new here.
struct RemoteSurvey {
  /// All heads that are listed, with their lengths, but for those that were found damaged.
  var listed: [HeadName: Int64] = [:]
  /// The lengths of all that are listed.
  private(set) var lengths: [HeadName: Int64] = [:]
  /// The newest verified head of each device that is listed, read now or before.
  private(set) var shown: [DeviceID: HeadName] = [:]
  /// Heads that were read now, whole and verified.
  var fresh: [HeadName: Head] = [:]
  /// Where the files of fresh heads lie on this side.
  var files: [HeadName: String] = [:]
  var damaged: [TreeName] = []
  /// Heads that are whole and need a newer version or another key to be read.
  var unread: [HeadName: UnreadHead] = [:]
  /// Names of heads that are whole, but no heads of this repository's: strangers.
  var strangers: [HeadName] = []

  /// How far each device's log is taken to reach there: a log that needs a newer version or another key is pending, and
  /// not rolled back.
  var newestSequences: [DeviceID: Int64] {
    SyncPlan.newestSequences(Array(shown.values) + Array(unread.keys))
  }

  /// What is remembered of those that could not be read: a hostile remote can list any number.
  var keptUnread: [HeadName: UnreadHead] {
    Dictionary(uniqueKeysWithValues: unread.sorted { $0.key < $1.key }.suffix(Self.unreadLimit).map { $0 })
  }

  private static let unreadLimit = 64

  /// Checks the marker, lists the heads and reads those that this device does not know: one call of the remote.
  ///
  /// - Parameter folder: makes the folder that heads are fetched into.
  static func take(
    _ remote: any Remote, repository: Repository, snapshot: Snapshot, folder: () throws -> String
  ) throws -> RemoteSurvey {
    let kept = Set(try repository.store.headNames())
    let known = KnownHeads {
      try kept.contains($0) || snapshot.index.wasRead($0)
    } lengths: {
      try repository.lengths(of: kept).merging(snapshot.index.readHeads()) { here, _ in here }
    }
    let sight = try remote.look(known: known, into: folder)
    try repository.check(marker: sight.marker)
    var survey = RemoteSurvey(listed: sight.heads, lengths: sight.heads)
    for file in sight.fetched { try survey.read(file, repository: repository) }
    let fresh = survey.fresh
    survey.shown = try SyncPlan.newest(survey.listed.keys) {
      try fresh[$0] != nil || kept.contains($0) || snapshot.index.wasVerified($0)
    }
    return survey
  }

  private mutating func read(_ file: LocalFile, repository: Repository) throws {
    guard case .head(let name) = file.name else { return }
    guard let bytes = try repository.wholeBytes(of: file) else {
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
      case .newerFormat(let version): unread[name] = UnreadHead(format: version)
      case .keyNotHeld(let key): unread[name] = UnreadHead(key: key)
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

extension Repository {
  /// The lengths of heads that are kept here.
  fileprivate func lengths(of heads: Set<HeadName>) throws -> [HeadName: Int64] {
    var result: [HeadName: Int64] = [:]
    for name in heads { result[name] = try localFile(.head(name)).length }
    return result
  }
}
