import ObjectStore

/// A device's log of which something has not arrived, or cannot be read by this version.
public struct PendingLog: Hashable, Sendable {
  public let device: DeviceID
  public let deviceName: String
  /// The newest commit that is applied, and the one that is known to be there.
  public let have: Int64
  public let need: Int64
  /// The format that the log needs, where it is a newer one than this version reads.
  public let newerFormat: Int?
  /// The key that the log needs, where it is one that a rotation added and that this device does not hold.
  public let key: KeyID?
  /// The rule that the log breaks from there on, which only the device that wrote it can mend.
  public let broken: FormatError?

  public init(
    device: DeviceID, deviceName: String, have: Int64, need: Int64, newerFormat: Int? = nil,
    key: KeyID? = nil, broken: FormatError? = nil
  ) {
    self.device = device
    self.deviceName = deviceName
    self.have = have
    self.need = need
    self.newerFormat = newerFormat
    self.key = key
    self.broken = broken
  }

  /// - Parameter reason: why what is here of it cannot be read; nil where it has not arrived.
  init(device: DeviceID, deviceName: String, have: Int64, need: Int64, reason: FormatError?) {
    var (format, key, broken): (Int?, KeyID?, FormatError?) = (nil, nil, nil)
    switch reason {
    case .newerFormat(let version): format = version
    case .keyNotHeld(let id): key = id
    default: broken = reason
    }
    self.init(
      device: device, deviceName: deviceName, have: have, need: need, newerFormat: format, key: key,
      broken: broken)
  }
}

/// Something that a person should know of a sync that went through.
public enum SyncWarning: Hashable, Sendable {
  /// The remote shows less of a device than it showed itself; `pulls` counts the pulls that found it so.
  case rolledBack(device: DeviceID, name: String, from: Int64, to: Int64, pulls: Int)
  /// A device's log has two branches: it was cloned, or a backup of it restored, and both wrote.
  case forked(device: DeviceID, name: String)
  /// This repository is such a clone or backup, and goes on under a new identity.
  case newIdentity(formerly: DeviceID, now: DeviceID)
  /// A file at the remote is not what its name says.
  case damaged(file: String)
  /// A device's clock is so far ahead that it is not followed.
  case farAhead(device: DeviceID, name: String, stamp: Stamp)
  /// A device's commits cannot be read from some point on: the rule that they break, where the object is whole.
  case unreadable(device: DeviceID, name: String, object: String, broken: FormatError?)
  /// The last ten syncs with a remote took long, on average.
  case slow(remote: String, seconds: Double)
  /// A tracked file differs from its record in so many keys, and nothing says which side was edited.
  case waitingKeys(path: String, count: Int)
}

/// What a pull or a push did.
public struct SyncOutcome: Sendable {
  public let remote: String
  /// Changes that went to the remote, and that came from it.
  public var pushedCount: Int64 = 0
  public var fetchedCount: Int64 = 0
  /// Files that a push put back, or whole ones in the place of damaged ones, there and here; nil where none was, and
  /// none was asked for.
  public var mendedCount: Int?
  /// Open conflicts, after it.
  public var conflicts = 0
  /// Conflicts that a strategy settled.
  public var conflictsResolved = 0
  public var pending: [PendingLog] = []
  public var warnings: [SyncWarning] = []
  /// Something that ends with status 5, said once: a fork, damage, a rollback that stays.
  public var foundDamage = false
  /// The records that the merge changed, for hooks and observers; of histories the first 1000.
  public var changedRecords: [RecordName] = []
  /// How many it changed.
  public var changedCount = 0
  /// Seconds.
  public var duration: Double = 0
  /// The files that a push would write, of a dry run, or wrote.
  public var files: [String] = []

  public init(remote: String) { self.remote = remote }
}

/// How a push is done.
public struct PushOptions: Sendable {
  /// Only what this device signed.
  public var own = false
  /// Reads and hashes every file there, mends what it can, removes this device's that no head needs.
  public var repair = false
  /// Reads back what was written and compares hashes.
  public var verify = false
  /// Says what would be sent, and sends nothing.
  public var dryRun = false

  public init(own: Bool = false, repair: Bool = false, verify: Bool = false, dryRun: Bool = false) {
    self.own = own
    self.repair = repair
    self.verify = verify
    self.dryRun = dryRun
  }
}

/// A file that was sent did not arrive as it was sent.
public struct FileDidNotArrive: Error, Sendable {
  public let remote: String
  public let name: TreeName
}
