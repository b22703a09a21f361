import CanonicalJSON

/// The days on which the logs of this machine hold requests, whichever device recorded those first.
struct LoggedDays {
  /// In which the tools of this machine tell days.
  let zone: ZoneRules
  /// Counted from 1970-01-01.
  private(set) var all: Set<Int64>
  private var span = ZoneRules.Span(range: 0..<0, offset: 0)
  private var latest: Int64?

  init(_ all: Set<Int64> = [], zone: ZoneRules = .utc) { (self.all, self.zone) = (all, zone) }

  mutating func note(_ time: Timestamp) {
    // Most lie in the same stretch and day as the one before.
    if !span.range.contains(time.seconds) { span = zone.span(at: time.seconds) }
    let day = (time.seconds &+ span.offset).flooredQuotient(86_400)
    if day == latest { return }
    latest = day
    all.insert(day)
  }
}
