import ObjectStore

/// What a look at a remote finds: it is reachable, and ours, or there would be none.
public struct RemoteExamination: Sendable {
  /// Devices and heads that it shows.
  public let devices: Int
  public let heads: Int
  /// Commits that are here and not there, and the other way round, by the newest head of each device.
  public let ahead: Int64
  public let behind: Int64
  /// Files there that are known to be damaged.
  public let damaged: [String]
  /// Why nothing can be written there; nil where it can.
  public let writing: RemoteError?
}

extension Repository {
  /// Looks at a remote, and tries to write there; applies nothing.
  ///
  /// - Throws: `RemoteError`, `RunicError.foreignRepository`.
  public func examine(_ setting: RemoteSetting) throws -> RemoteExamination {
    let remote = try remote(setting)
    let folder = try TransferFolder.forReading(self)
    let path = folder.path
    let survey = try withExtendedLifetime(folder) {
      try read { try RemoteSurvey.take(remote, repository: self, snapshot: $0) { path } }
    }
    var writing: RemoteError?
    do throws(RemoteError) { try remote.tryWriting() } catch { writing = error }
    let (ahead, behind) = SyncPlan.distance(
      here: try read { $0.newestSequences }, there: survey.shown.mapValues(\.sequence))
    let known = Set(try readTrust()[remote: setting.name].damaged).union(survey.damaged.map(\.path))
    return RemoteExamination(
      devices: survey.newestSequences.count, heads: survey.listed.count, ahead: ahead, behind: behind,
      damaged: known.sorted(), writing: writing)
  }
}
