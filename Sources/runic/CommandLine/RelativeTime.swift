import RunicCore

/// Times as people say them; the exact ones where more is asked for.
enum RelativeTime {
  private static let units: [(name: String, length: Int64)] = [
    ("year", 365 * 86_400), ("month", 30 * 86_400), ("week", 7 * 86_400), ("day", 86_400), ("hour", 3600),
    ("minute", 60),
  ]

  /// `3 minutes ago`, `in 2 days`, `just now` within a minute. Both in milliseconds since 1970.
  static func words(_ time: Int64, now: Int64) -> String {
    let distance = now.subtractingReportingOverflow(time).partialValue
    let seconds = Int64(clamping: distance.magnitude / 1000)
    guard let unit = units.first(where: { seconds >= $0.length }) else { return "just now" }
    let length = counted(seconds / unit.length, unit.name)
    return distance < 0 ? "in \(length)" : "\(length) ago"
  }
}

extension Context {
  /// A time for a table or a line: relative, and exact under `--verbose`.
  func time(_ milliseconds: Int64) -> String {
    output.style.isVerbose
      ? Timestamp.text(milliseconds: milliseconds) : RelativeTime.words(milliseconds, now: now())
  }
}
