import CanonicalJSON
import ObjectStore

extension Snapshot {
  /// The newest reading of each window of each account. One walk over all readings.
  ///
  /// - Parameter now: in milliseconds since 1970.
  public func quotas(now: Int64) throws -> [QuotaStanding] {
    var board = QuotaBoard(now: now)
    try forEachPayload(of: BuiltInName.usage) { board.add(payload: $0, device: $1) }
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
