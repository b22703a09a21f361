/// The logs of one run of an importer, for tools whose logs repeat one another.
public final class LogSiblings {
  public let logs: [LogFile]
  private var byKey: [String: [LogFile]]?

  public init(_ logs: [LogFile]) { self.logs = logs }

  /// The logs that have a key.
  ///
  /// - Parameter key: of a log, always by the same rule: each is asked for once in a run.
  /// - Complexity: O(number of logs) the first time, then O(1).
  public func logs(withKey wanted: String, by key: (LogFile) -> String) -> [LogFile] {
    let known = byKey ?? Dictionary(grouping: logs, by: key)
    byKey = known
    return known[wanted] ?? []
  }
}
