import CanonicalJSON
import ObjectStore

extension Snapshot {
  /// The newest reading of each window of each account. One walk over all readings.
  ///
  /// - Parameters:
  ///   - now: in milliseconds since 1970.
  ///   - devices: whose readings count; nil: all devices'.
  public func quotas(now: Int64, of devices: Set<DeviceID>? = nil) throws -> [QuotaStanding] {
    var board = QuotaBoard(now: now)
    try forEachPayload(of: BuiltInName.usage) { payload, device in
      if let devices {
        guard device.count == DeviceID.byteCount, devices.contains(DeviceID(exactly: device)) else { return }
      }
      board.add(payload: payload, device: device)
    }
    return board.standings
  }

  /// Where the windows of all enabled alerts stand.
  public func alertStandings(now: Int64) throws -> [AlertStanding] {
    var rules: [AlertRule] = []
    try forEachRecord(of: BuiltInName.alert, .keys) { record in
      rules.append(AlertRule(record.object, id: record.name.id))
      return true
    }
    return AlertStanding.all(rules: rules, quotas: try quotas(now: now))
  }

  /// The user's preferences, with this device's own defaults.
  public func preferences() throws -> JSONObject {
    let id = Array((Kind.preferences.defaultID ?? "").utf8)
    let name = RecordName(family: .keys, kind: BuiltInName.preferences, id: id)
    let stored = try record(name)?.object ?? [:]
    var full = repository.configuration.defaults(of: name)
    for (key, value) in stored { full[key] = value }
    return full
  }
}
