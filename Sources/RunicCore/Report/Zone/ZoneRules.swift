/// What a time zone adds to UTC, at any instant.
public struct ZoneRules: Sendable {
  /// As people call it: `Europe/Berlin`.
  public let name: String
  /// When the offset changes, in seconds since 1970, ascending.
  let transitions: [Int64]
  /// Seconds to add to UTC before the first transition, then after each of them.
  let offsets: [Int64]
  /// What holds after the last transition; nil where its offset does.
  let rule: PosixRule?

  public static let utc = ZoneRules(name: "UTC", transitions: [], offsets: [0], rule: nil)

  /// - Parameter offsets: one more than there are transitions.
  init(name: String, transitions: [Int64], offsets: [Int64], rule: PosixRule?) {
    (self.name, self.transitions, self.offsets, self.rule) = (name, transitions, offsets, rule)
  }

  /// A zone from a rule as the variable `TZ` may hold it: `CET-1CEST,M3.5.0,M10.5.0/3`; nil where it is none.
  public init?(posix text: String) {
    guard let rule = PosixRule(Array(text.utf8)) else { return nil }
    self.init(name: text, transitions: [], offsets: [rule.standardOffset], rule: rule)
  }

  /// The same rules under another name.
  public func named(_ name: String) -> ZoneRules {
    ZoneRules(name: name, transitions: transitions, offsets: offsets, rule: rule)
  }

  /// A stretch of time with one offset.
  public struct Span: Hashable, Sendable {
    /// In seconds since 1970, the end not included.
    public let range: Range<Int64>
    public let offset: Int64
  }

  /// Times further from 1970 than this are nowhere: about 30,000 years.
  static let horizon: Int64 = 1 << 40

  /// The stretch around an instant. O(log transitions).
  public func span(at seconds: Int64) -> Span {
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = low + (high - low) / 2
      if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    let begin = low == 0 ? -Self.horizon : transitions[low - 1]
    if low == transitions.count, let rule {
      let span = rule.span(at: seconds)
      return Span(range: max(begin, span.range.lowerBound)..<span.range.upperBound, offset: span.offset)
    }
    let end = low == transitions.count ? Self.horizon : transitions[low]
    return Span(range: begin..<max(end, begin + 1), offset: offsets[low])
  }

  public func offset(at seconds: Int64) -> Int64 { span(at: seconds).offset }

  /// The day there at an instant, counted from 1970-01-01.
  public func day(at seconds: Int64) -> Int64 { (seconds + offset(at: seconds)).flooredQuotient(86_400) }

  /// The first second of a day there. A day that begins with skipped hours begins after them; one that the clocks
  /// leave again, as they go back just after midnight, begins the first time.
  public func startOfDay(_ day: Int64) -> Int64 {
    let midnight = day * 86_400
    // No zone is further than 26 hours from UTC.
    let end = midnight + 26 * 3600
    var time = midnight - 26 * 3600
    while time < end {
      let span = span(at: time)
      let start = max(time, midnight - span.offset)
      if span.range.contains(start) { return start }
      time = span.range.upperBound
    }
    return end
  }
}
