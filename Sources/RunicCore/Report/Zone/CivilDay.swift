/// Days of the Gregorian calendar by number, counted from 1970-01-01, for any year.
enum CivilDay {
  /// Years count from March, so that the leap day is their last; 400 of them have 146,097 days.
  static func number(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year &- 1 : year
    let era = shifted.flooredQuotient(400)
    let yearOfEra = shifted &- era &* 400
    let fromMarch = month > 2 ? month &- 3 : month &+ 9
    let dayOfYear = (153 &* fromMarch &+ 2) / 5 &+ day &- 1
    return era &* 146_097 &+ yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear &- 719_468
  }

  static func isLeap(_ year: Int64) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  /// Sunday 0. The first day of 1970 was a Thursday.
  static func weekday(_ day: Int64) -> Int64 {
    let rest = (day &+ 4) % 7
    return rest < 0 ? rest &+ 7 : rest
  }
}
