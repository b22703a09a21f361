import ObjectStore

extension SyncWarning {
  /// One line for people: what the command line says of it, and what an app finds in `SyncResult.warnings`.
  package var words: String {
    switch self {
    case .rolledBack(_, let name, let from, let to, let pulls):
      "rolled back: it showed commit \(from) of \(name) and shows \(to == 0 ? "none" : "\(to)") now"
        + (pulls > 1 ? ", again" : "; a push by a device that knows more mends it")
    case .forked(_, let name):
      "\(name) was cloned, or restored from a backup: its log has two branches, both are kept"
    case .newIdentity(let formerly, let now):
      "this device was cloned, or restored from a backup: it goes on as \(now), no longer as \(formerly)"
    case .damaged(let file): "damaged: \(file)"
    case .farAhead(_, let name, let stamp):
      "the clock of \(name) is far ahead: \(Self.time(stamp))"
    case .unreadable(_, let name, let object, let broken):
      "the log of \(name) cannot be read from \(object) on"
        + (broken.map { ": \($0.words); \(FormatError.cureOfBroken)" } ?? "")
    case .slow(let remote, let seconds):
      "'\(remote)' is slow: its last ten syncs took \(Self.whole(seconds)) s on average"
    case .waitingKeys(let path, let count):
      "'\(path)' differs from its record in \(count == 1 ? "1 key" : "\(count) keys"):"
        + " 'runic track FILE --take-file' or '--take-record' picks a side"
    }
  }

  private static func whole(_ seconds: Double) -> Int64 { Int64(exactly: min(seconds, 1e9).rounded()) ?? 0 }

  private static func time(_ stamp: Stamp) -> String {
    Timestamp(milliseconds: stamp.milliseconds)?.text ?? "after the year 9999"
  }
}
