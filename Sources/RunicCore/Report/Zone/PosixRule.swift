/// A rule of POSIX, as the variable `TZ` and the footer of a TZif file hold it (RFC 9636, section 3.3.1).
struct PosixRule: Hashable, Sendable {
  /// When in a year the clocks are changed.
  struct Change: Hashable, Sendable {
    enum Day: Hashable, Sendable {
      /// 1 to 365, the leap day not counted.
      case julian(Int)
      /// 0 to 365.
      case zeroBased(Int)
      /// Month, week 1 to 5 (5: the last), day of the week, Sunday 0.
      case weekday(month: Int, week: Int, day: Int)
    }

    let day: Day
    /// Seconds after midnight of that day, which may be negative or past its end.
    let time: Int64
  }

  struct Daylight: Hashable, Sendable {
    let offset: Int64
    let begin: Change
    let end: Change
  }

  /// Seconds to add to UTC.
  let standardOffset: Int64
  let daylight: Daylight?

  init?(_ text: [UInt8]) {
    guard let rule = PosixRuleReader.read(text) else { return nil }
    (standardOffset, daylight) = rule
  }

  /// The stretch around an instant: the next change of this year or of a neighbour of it ends it.
  func span(at seconds: Int64) -> ZoneRules.Span {
    guard let daylight else {
      return ZoneRules.Span(range: -ZoneRules.horizon..<ZoneRules.horizon, offset: standardOffset)
    }
    let year = Self.year(of: seconds)
    var begin = (time: -ZoneRules.horizon, offset: standardOffset)
    var end = ZoneRules.horizon
    for change in (year - 1...year + 1).flatMap({ changes(in: $0, daylight) }).sorted(by: { $0.0 < $1.0 }) {
      if change.0 > seconds {
        end = change.0
        break
      }
      begin = (change.0, change.1)
    }
    return ZoneRules.Span(range: begin.time..<max(end, begin.time + 1), offset: begin.offset)
  }

  /// The instants of the year at which an offset begins.
  private func changes(in year: Int64, _ daylight: Daylight) -> [(Int64, Int64)] {
    [
      (daylight.begin.seconds(in: year) - standardOffset, daylight.offset),
      (daylight.end.seconds(in: year) - daylight.offset, standardOffset),
    ]
  }

  private static func year(of seconds: Int64) -> Int64 {
    Int64(CivilDate(daysSince1970: seconds.flooredQuotient(86_400)).year)
  }
}

extension PosixRule.Change {
  /// Local seconds since 1970 of this year's change.
  fileprivate func seconds(in year: Int64) -> Int64 { dayNumber(in: year) * 86_400 + time }

  private func dayNumber(in year: Int64) -> Int64 {
    let newYear = CivilDate.number(year: year, month: 1, day: 1)
    switch day {
    case .zeroBased(let day): return newYear + Int64(day)
    case .julian(let day): return newYear + Int64(day) - 1 + (day > 59 && CivilDate.isLeap(year) ? 1 : 0)
    case .weekday(let month, let week, let weekday):
      let first = CivilDate.number(year: year, month: Int64(month), day: 1)
      let ahead = (Int64(weekday) - CivilDate.weekday(first) + 7) % 7
      let day = first + ahead + Int64(week - 1) * 7
      let next =
        month == 12
        ? CivilDate.number(year: year + 1, month: 1, day: 1)
        : CivilDate.number(year: year, month: Int64(month) + 1, day: 1)
      return day < next ? day : day - 7
    }
  }
}

/// Takes a rule apart, byte by byte.
private struct PosixRuleReader {
  private var rest: ArraySlice<UInt8>

  /// Of a rule that says nothing of when the clocks are changed, which POSIX leaves to the system: as most have it.
  private static let usualChanges = Array(",M3.2.0,M11.1.0".utf8)

  private init(_ text: [UInt8]) { rest = text[...] }

  static func read(_ text: [UInt8]) -> (standard: Int64, daylight: PosixRule.Daylight?)? {
    guard text.count <= 255 else { return nil }
    var reader = PosixRuleReader(text)
    guard reader.takeName(), let standard = reader.offset() else { return nil }
    if reader.rest.isEmpty { return (-standard, nil) }
    guard reader.takeName() else { return nil }
    var daylight = -standard + 3600
    if let next = reader.rest.first, next != UInt8(ascii: ",") {
      guard let offset = reader.offset() else { return nil }
      daylight = -offset
    }
    if reader.rest.isEmpty { reader.rest = usualChanges[...] }
    guard reader.take(","), let begin = reader.change(), reader.take(","), let end = reader.change(),
      reader.rest.isEmpty
    else { return nil }
    return (-standard, PosixRule.Daylight(offset: daylight, begin: begin, end: end))
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Three letters or more, or letters, digits and signs between `<` and `>`.
  private mutating func takeName() -> Bool {
    let isQuoted = take("<")
    let name = rest.prefix { byte in
      Self.isLetter(byte) || (isQuoted && (Self.isDigit(byte) || byte == 0x2B || byte == 0x2D))
    }
    rest = rest[name.endIndex...]
    return name.count >= 3 && (!isQuoted || take(">"))
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private mutating func number(_ bounds: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { Self.isDigit($0) }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest[digits.endIndex...]
    let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return bounds.contains(value) ? value : nil
  }

  /// `[+-]hh[:mm[:ss]]`, in seconds.
  private mutating func clock(hours: ClosedRange<Int>) -> Int64? {
    let sign: Int64 = take("-") ? -1 : 1
    if sign == 1 { _ = take("+") }
    guard let hour = number(hours) else { return nil }
    var seconds = Int64(hour) * 3600
    for unit in [60, 1] as [Int64] where take(":") {
      guard let part = number(0...59) else { return nil }
      seconds += Int64(part) * unit
    }
    return sign * seconds
  }

  private mutating func offset() -> Int64? { clock(hours: 0...24) }

  private mutating func change() -> PosixRule.Change? {
    guard let day = day() else { return nil }
    guard take("/") else { return PosixRule.Change(day: day, time: 7200) }
    return clock(hours: 0...167).map { PosixRule.Change(day: day, time: $0) }
  }

  private mutating func day() -> PosixRule.Change.Day? {
    if take("J") { return number(1...365).map { .julian($0) } }
    guard take("M") else { return number(0...365).map { .zeroBased($0) } }
    guard let month = number(1...12), take("."), let week = number(1...5), take("."),
      let day = number(0...6)
    else { return nil }
    return .weekday(month: month, week: week, day: day)
  }
}
