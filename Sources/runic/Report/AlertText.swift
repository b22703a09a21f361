import CanonicalJSON
import ObjectStore
import RunicCore

/// What is said of an alert, to people and to programs.
struct AlertText {
  let deviceNames: [DeviceID: String]
  /// Milliseconds since 1970.
  let now: Int64

  private func owner(_ quota: QuotaStanding) -> String {
    quota.account ?? deviceNames[quota.device] ?? quota.device.hex
  }

  private func age(_ quota: QuotaStanding) -> Int64 { max(0, now / 1000 - quota.seconds) }

  /// `critical: claude at 92% of its primary window (me@example.org, read 5 min ago)`
  func line(_ standing: AlertStanding) -> String {
    let age = age(standing.quota)
    let ended = standing.quota.hasEnded ? ", ended since" : ""
    let read = (age < 60 ? "read now" : "read \(ReportNumbers.age(age)) ago") + ended
    return
      "\(standing.level.rawValue): \(standing.rule.provider) at \(ReportNumbers.percent(standing.ratio)) of its "
      + "\(standing.quota.window.rawValue) window (\(owner(standing.quota)), \(read))"
  }

  func json(_ standing: AlertStanding) -> JSONObject {
    var object = ReportJSON.quota(
      standing.quota, deviceName: deviceNames[standing.quota.device] ?? standing.quota.device.hex,
      age: age(standing.quota))
    object["alert"] = .text(standing.rule.provider)
    object["criticalThreshold"] = ReportJSON.number(standing.rule.critical)
    object["level"] = .text(standing.level.rawValue)
    object["message"] = .text(line(standing))
    object["warningThreshold"] = ReportJSON.number(standing.rule.warning)
    return object
  }

  /// `{"alerts":[…],"level"}`
  func json(_ standings: [AlertStanding], said: [AlertStanding]) -> JSONValue {
    let new = Set(said)
    let alerts = standings.map { standing in
      var object = json(standing)
      object["said"] = .bool(new.contains(standing))
      return JSONValue.object(object)
    }
    return ["alerts": .array(alerts), "level": .text((standings.map(\.level).max() ?? .fine).rawValue)]
  }
}
