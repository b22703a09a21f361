/// Something that `watch` tells: one line each.
public enum WatchEvent {
  case started(remotes: [String], files: [String])
  /// The configuration was read again.
  case reread
  /// The machine slept, or its clock was set ahead: milliseconds.
  case woke(after: Int64)
  /// Something was recorded on this device by somebody else than this process.
  case recorded
  /// Of a tracked file, something was taken, written or wrong.
  case tracked(TrackReport)
  case collected(CollectOutcome)
  /// A remote shows heads that are not known here, of these devices.
  case remoteChanged(remote: String, devices: [String])
  /// A round that moved something, or found something.
  case synced(SyncOutcome)
  /// A folder cannot be reached; it is looked for with every poll.
  case away(remote: String)
  case back(remote: String)
  /// What failed, and milliseconds until the next try. Without a remote: something on this device.
  case failed(remote: String?, error: any Error, retry: Int64?)
  case stopped
}

/// What a person, or the system, wants of a running `watch`.
public enum WatchCall: Sendable {
  case stop, reread
}
