import CanonicalJSON
import ObjectStore

/// A record as it is shown: what `list` and `get` print.
public struct RecordView: Hashable, Sendable {
  public let name: RecordName
  /// Canonical JSON, an object.
  public let payload: [UInt8]
  public let device: DeviceID
  /// What people call that device; its id where nobody ever said.
  public let deviceName: String
  public let stamp: Stamp
  /// Wall time of the commit, in milliseconds since 1970.
  public let time: Int64
  /// Recorded with `--local`: never synced until it is promoted.
  public let isLocal: Bool

  public var fingerprint: Digest { Fingerprint.of(payload, family: name.family, kind: name.kind) }

  public var object: JSONObject { ((try? JSONValue.parse(payload))?.objectValue) ?? [:] }

  /// The value of one key, without a tree for the others.
  public func value(of key: JSONString) -> JSONValue? {
    payload.withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      guard var members = try? cursor.beginObject() else { return nil }
      while let field = try? cursor.nextField(in: &members) {
        if field.key.string == key { return try? JSONValue(canonical: field.value.bytes) }
      }
      return nil
    }
  }

  public init(
    name: RecordName, payload: [UInt8], device: DeviceID, deviceName: String, stamp: Stamp, time: Int64,
    isLocal: Bool = false
  ) {
    self.name = name
    self.payload = payload
    self.device = device
    self.deviceName = deviceName
    self.stamp = stamp
    self.time = time
    self.isLocal = isLocal
  }
}

/// One version of a value that a conflict is about.
public struct ConflictValue: Hashable, Sendable {
  /// Canonical JSON; nil where the key is unset, or the record deleted.
  public let value: [UInt8]?
  public let isDelete: Bool
  public let device: DeviceID
  public let deviceName: String
  public let time: Int64
  public let stamp: Stamp
}

/// Something that a person should look at: concurrent edits of one key, or a delete against an edit.
public struct RecordConflict: Hashable, Sendable {
  public let name: RecordName
  /// Nil where a delete is at stake, or the whole payload of a last-writer-wins record.
  public let key: JSONString?
  /// What is shown: canonical JSON, nil where nothing is.
  public let shown: [UInt8]?
  public let others: [ConflictValue]
  /// Whether a delete is at stake: `resolve --keep` or `--delete` settles it.
  public let concernsDelete: Bool
}

/// What is known of a device.
public struct DeviceView: Hashable, Sendable {
  public let id: DeviceID
  public let name: String
  public let platform: String
  /// The newest commit that is applied here.
  public let commit: CommitName?
  /// Wall time of the newest head that was read.
  public let time: Int64
  /// This repository's own, now or formerly.
  public let isOwn: Bool
  public let isCurrent: Bool
  public let isForked: Bool
  public let isRetired: Bool
  /// The greatest stamp that is too far ahead of the clock here to be followed.
  public let farAhead: Stamp?
}
