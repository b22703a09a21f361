/// Tells what each event of a session adds, where events show cumulative totals.
///
/// A file may show more than one counter in turn: each event belongs to the counter that its own `last` leads
/// to. To subtract one counter from another would add what nobody used.
///
/// That an event is of another counter may only show by a later one, so what is told of a log that still grows can
/// be wrong. `evidence` is greater then when the log has grown and the answer is another one, and the same where
/// nothing new was told.
struct CodexCounters {
  private let events: [CodexRollout.Event]
  /// Whether the counters may have begun in another file.
  private let isContinued: Bool
  /// The newest state of each counter, by its sum.
  private var counters: [Int64: CodexTotals] = [:]
  private var seen: Set<CodexTotals> = []
  private var highest = CodexTotals()
  /// The places of the events that a state of that sum leads to, the first one last.
  private var continuations: [Int64: [Int]]
  /// How many events it took to tell what those up to now add; 0 where each was told by those before it.
  private(set) var evidence = 0

  init(_ events: [CodexRollout.Event], isContinued: Bool) {
    self.events = events
    self.isContinued = isContinued
    var continuations: [Int64: [Int]] = [:]
    for (place, event) in events.enumerated().reversed() {
      guard let last = event.last, last.sum > 0 else { continue }
      continuations[event.total.sum.clampedDifference(last.sum), default: []].append(place)
    }
    self.continuations = continuations
  }

  /// What the event at a place adds; nil where it adds nothing. Places are asked for in order.
  mutating func advance(_ place: Int) -> CodexTotals? {
    let event = events[place]
    guard event.total.sum > 0 else { return nil }
    guard seen.insert(event.total).inserted else {
      // Told again, or gone back to: what comes next may lead on from there.
      counters[event.total.sum] = event.total
      return nil
    }
    let isFirst = counters.isEmpty
    defer { if event.total.sum > highest.sum { highest = event.total } }
    guard let last = event.last, last.sum > 0 else { return difference(event) }
    let before = event.total.sum.clampedDifference(last.sum)
    if counters.removeValue(forKey: before) != nil || before == 0 {
      counters[event.total.sum] = event.total
      return last
    }
    return stray(event, last, place, isFirst)
  }

  /// An event that no known counter leads to: another counter, or one of which events are missing.
  private mutating func stray(
    _ event: CodexRollout.Event, _ last: CodexTotals, _ place: Int, _ isFirst: Bool
  ) -> CodexTotals? {
    if isFirst ? isContinued : goesOn(after: place) {
      counters[event.total.sum] = event.total
      return last
    }
    return difference(event)
  }

  /// Whether the highest counter goes on after a place.
  private mutating func goesOn(after place: Int) -> Bool {
    while let next = continuations[highest.sum]?.last {
      if next > place {
        evidence = max(evidence, next + 1)
        return true
      }
      // Places are asked for in order: what lies behind is not asked for again.
      continuations[highest.sum]?.removeLast()
    }
    return false
  }

  private mutating func difference(_ event: CodexRollout.Event) -> CodexTotals? {
    defer { counters[event.total.sum] = event.total }
    guard event.total.sum > highest.sum else { return nil }
    counters[highest.sum] = nil
    return event.total.since(highest)
  }
}
