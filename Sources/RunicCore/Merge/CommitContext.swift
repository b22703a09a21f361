import ObjectStore

/// What the merge needs to know of the commit that a change stands in.
public struct CommitContext: Hashable, Sendable {
  public let hash: Digest
  public let device: DeviceID
  public let stamp: Stamp
  /// The commit's wall time, milliseconds since 1970.
  public let time: Int64

  public init(hash: Digest, device: DeviceID, stamp: Stamp, time: Int64) {
    self.hash = hash
    self.device = device
    self.stamp = stamp
    self.time = time
  }
}

/// Where a change was first made, if it was brought in from elsewhere (an import, a `join`, a resolution).
public struct Origin: Hashable, Sendable {
  public let device: DeviceID
  /// The device's name as UTF-8 bytes; nil where the device is known by its id.
  public let deviceName: [UInt8]?
  /// Wall time, milliseconds since 1970.
  public let time: Int64
  /// The commit that it was imported from.
  public let commit: Digest?

  public init(device: DeviceID, deviceName: [UInt8]?, time: Int64, commit: Digest? = nil) {
    self.device = device
    self.deviceName = deviceName
    self.time = time
    self.commit = commit
  }
}

/// Who is shown to have made a write, and when.
public struct Writer: Hashable, Sendable {
  public let device: DeviceID
  /// Only where the write was brought in from elsewhere under a name.
  public let deviceName: [UInt8]?
  /// Wall time, milliseconds since 1970.
  public let time: Int64

  public init(device: DeviceID, deviceName: [UInt8]? = nil, time: Int64) {
    self.device = device
    self.deviceName = deviceName
    self.time = time
  }

  /// The origin where there is one, else the commit's own device and time.
  init(_ origin: Origin?, _ context: CommitContext) {
    if let origin {
      self.init(device: origin.device, deviceName: origin.deviceName, time: origin.time)
    } else {
      self.init(device: context.device, time: context.time)
    }
  }
}
