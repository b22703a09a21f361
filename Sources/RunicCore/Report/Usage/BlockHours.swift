/// The hours with use, and what the devices that a report asks for used in each.
///
/// Blocks are laid over all of them: they are windows of the account, whatever range and devices the report shows.
struct BlockHours {
  private var index = KeyIndex()
  private var sums: [UsageSum] = []

  /// Takes in a request of any time.
  ///
  /// - Parameter isWanted: whether its device is asked for; the hour has use in any case.
  mutating func add(
    _ request: TokenCounts, at seconds: Int64, _ charge: Charge, isLogged: Bool, isWanted: Bool
  ) {
    let (place, isNew) = index.number(UInt64(bitPattern: seconds.flooredQuotient(3600)))
    if isNew { sums.append(UsageSum()) }
    if isWanted { sums[place].add(request, at: seconds, charge, isLogged: isLogged) }
  }

  /// The block that each hour (since 1970) lies in.
  ///
  /// - Parameter now: seconds since 1970.
  func blocks(now: Int64) -> [Int64: UsageBlock] {
    let hours = zip(index.keys.map { Int64(bitPattern: $0) }, sums).sorted { $0.0 < $1.0 }
    let starts = UsageBlock.starts(of: hours.map(\.0))
    var whole: [Int64: UsageSum] = [:]
    for (start, (_, sum)) in zip(starts, hours) { whole[start, default: UsageSum()] += sum }
    let blocks = whole.map { start, sum in (start, UsageBlock(startHour: start, sum: sum, now: now)) }
    let byStart = Dictionary(uniqueKeysWithValues: blocks)
    var byHour: [Int64: UsageBlock] = [:]
    for (start, (hour, _)) in zip(starts, hours) { byHour[hour] = byStart[start] }
    return byHour
  }
}
