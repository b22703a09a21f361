import ObjectStore
import RunicCore

extension Invocation {
  /// What `--since` and `--until` leave, in milliseconds since 1970; the end is not included.
  ///
  /// A day is a day of the zone and whole at both ends; anything else is a time as everywhere.
  ///
  /// - Parameter zone: looked for only where a day is named.
  func timeRange(now: Int64, in zone: () throws -> ZoneRules) throws -> Range<Int64> {
    let since = try instant("--since", now: now, in: zone) ?? -Self.horizon
    let until = try endOfDay("--until", zone) ?? instant("--until", now: now, in: zone) ?? Self.horizon
    guard since <= until else { throw CommandFailure.usage("--until lies before --since", hint: helpHint) }
    return since..<until
  }

  /// Some 17,000 years either way.
  private static let horizon: Int64 = 1000 << 39

  /// When the day after the one begins that a flag names; nil where it names none.
  private func endOfDay(_ flag: String, _ zone: () throws -> ZoneRules) throws -> Int64? {
    guard let day = self.flag(flag).flatMap({ CivilDate($0)?.daysSince1970 }) else { return nil }
    return try zone().startOfDay(day + 1) * 1000
  }
}
