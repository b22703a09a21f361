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
    let folder = try TransferFolder(in: self)
    let path = folder.path
    let survey = try withExtendedLifetime(folder) {
      try read { try RemoteSurvey.take(remote, repository: self, snapshot: $0) { path } }
    }
    var writing: RemoteError?
    do throws(RemoteError) { try remote.tryWriting() } catch { writing = error }
    let there = SyncPlan.newestSequences(survey.listed.keys.filter { !survey.strangers.contains($0) })
    let here = try read { $0.index.logs.compactMapValues { $0.newest?.sequence } }
    let known = Set(try readTrust()[remote: setting.name].damaged).union(survey.damaged.map(\.path))
    return RemoteExamination(
      devices: there.count, heads: survey.listed.count,
      ahead: here.reduce(0) { $0 + max(0, $1.value - (there[$1.key] ?? 0)) },
      behind: there.reduce(0) { $0 + max(0, $1.value - (here[$1.key] ?? 0)) }, damaged: known.sorted(),
      writing: writing)
  }
}
