/// What one rollout file says: whose it is, and how its counters moved.
struct CodexRollout {
  /// A moment at which a counter was shown.
  struct Event {
    let time: Timestamp
    let total: CodexTotals
    /// What the last request used; nil where the event does not say.
    let last: CodexTotals?
    let model: String?
    /// The tier that was asked for, where it is not the standard one.
    let serviceTier: String?
  }

  /// From the file's name where the log itself says nothing.
  private(set) var session: String
  /// The session that this one was forked from or spawned by.
  private(set) var parent: String?
  private(set) var events: [Event] = []
  /// Those that show a change, with the number of events before each.
  private var readings: [(reading: QuotaReading, place: Int)] = []
  /// The newest one, where it shows what the last of these does.
  private var repeated: (reading: QuotaReading, place: Int)?
  /// Events without a time that can be read.
  private(set) var timeless = 0
  private var isFork = false
  /// Whether the session began in another file, of which nothing is copied here.
  private var isContinued = false
  private var begin: Timestamp?
  /// How many sessions introduce themselves: in a copied history, more than one.
  private var introductions = 0
  /// Those after the first: forks of forks are few.
  private var introduced: Set<String> = []
  private static let mostAncestors = 16
  private var model: String?
  private var serviceTier: String?
  private var project: String?

  init(fileName: Substring) {
    let thread = Self.session(inName: fileName)
    session = String(thread)
    isContinued = fileName[thread.endIndex...].first == "_"
  }

  /// `<id>` of `rollout-2026-09-05T12-00-00-<id>.jsonl`, and of `…-<id>_<id of the file>.jsonl`, where a session goes
  /// on in a further file.
  static func session(inName fileName: Substring) -> Substring {
    let stem = fileName.prefix { $0 != "." }
    let id = stem.count > 28 ? stem.dropFirst(28) : stem
    let thread = id.prefix { $0 != "_" }
    return thread.count == uuidLength ? thread : id
  }

  private static let uuidLength = 36

  var totals: Set<CodexTotals> { Set(events.map(\.total)) }
}

// MARK: - Reading

extension CodexRollout {
  /// Takes one line. Most lines are told by their type, which stands near their beginning, and read no
  /// further.
  mutating func read(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return try line.finish() }
    var time: Timestamp?
    var kind = Kind.unknown
    var payload: Int?
    while let key = try line.nextKey() {
      switch key {
      case "timestamp": time = try line.text()?.time
      case "type": kind = Kind(try line.text())
      case "payload":
        payload = line.position
        if kind == .event, try Self.event(line) == nil { return }
        try line.skip()
      default: try line.skip()
      }
      if kind == .other { return }
    }
    try line.finish()
    guard let payload else { return }
    line.move(to: payload)
    try readPayload(&line, kind, time)
  }

  private enum Kind {
    case unknown, session, turn, event, other

    init(_ type: LogText?) {
      switch type {
      case "session_meta"?: self = .session
      case "turn_context"?: self = .turn
      case "event_msg"?: self = .event
      default: self = .other
      }
    }
  }

  private enum EventKind { case count, settings }

  /// Which of the events that matter this is, as the first member that says so tells; nil for any other.
  private static func event(_ line: LogCursor) throws(LogSyntaxError) -> EventKind? {
    var line = line
    guard try line.beginObject() else { return nil }
    while let key = try line.nextKey() {
      guard key == "type" else {
        try line.skip()
        continue
      }
      switch try line.text() {
      case "token_count"?: return .count
      case "thread_settings_applied"?: return .settings
      default: return nil
      }
    }
    return nil
  }

  private mutating func readPayload(
    _ line: inout LogCursor, _ kind: Kind, _ time: Timestamp?
  ) throws(LogSyntaxError) {
    switch kind {
    case .session:
      let introduction = try CodexIntroduction(&line)
      introductions += 1
      if introductions == 1 {
        begin(introduction, time)
      } else if introduced.count < Self.mostAncestors, let id = introduction.id {
        introduced.insert(id)
      }
    case .turn:
      let turn = try CodexIntroduction(&line)
      model = turn.model ?? model
      project = turn.project ?? project
    case .event:
      switch try Self.event(line) {
      case .count:
        guard let time else { return timeless += 1 }
        take(try CodexCount(&line, at: time), at: time)
      case .settings:
        let settings = try CodexSettings(&line)
        model = settings.model ?? model
        serviceTier = settings.serviceTier
      case nil: break
      }
    case .unknown, .other: break
    }
  }

  private mutating func begin(_ introduction: CodexIntroduction, _ time: Timestamp?) {
    session = introduction.id ?? session
    project = introduction.project
    parent = introduction.parent
    isFork = introduction.isFork
    isContinued = isContinued || introduction.isContinued
    begin = time
  }

  private mutating func take(_ count: CodexCount, at time: Timestamp) {
    if let total = count.total {
      events.append(Event(time: time, total: total, last: count.last, model: model, serviceTier: serviceTier))
    }
    guard let primary = count.primary else { return }
    let reading = QuotaReading(provider: "codex", time: time, primary: primary, secondary: count.secondary)
    let next = (reading: reading, place: events.count - (count.total == nil ? 0 : 1))
    // Every event repeats what is used: only a change is news, and what holds at the end.
    if let last = readings.last?.reading, last.primary.used == reading.primary.used,
      last.secondary?.used == reading.secondary?.used
    {
      repeated = next
    } else {
      repeated = nil
      readings.append(next)
    }
  }
}

// MARK: - Forks

/// What is known of a history that a fork may have copied.
enum CodexInheritance {
  /// Nobody was asked, for there is nothing that could be a copy.
  case nothing
  /// The totals that the parent's log shows.
  case log(Set<CodexTotals>)
  /// The parent's log is gone or damaged: totals with which requests of sessions before the fork are recorded.
  case records(Set<CodexTotals>)
}

extension CodexRollout {
  /// How long a parent's history may take to be written, in seconds.
  private static let copyingTime: Int64 = 10

  /// The sessions of which a fork may have copied something.
  var ancestors: Set<String> {
    introduced.union(parent.map { [$0] } ?? []).subtracting([session])
  }

  /// The totals at a fork's beginning that may be copies: written when it was made.
  var earlyTotals: [CodexTotals] { early(Self.copyingTime).map(\.total) }

  private func early(_ delay: Int64) -> ArraySlice<Event> {
    guard isFork, let begin else { return [] }
    return events.prefix { $0.time.seconds &- begin.seconds <= delay }
  }

  /// How many events at the beginning are copies of the parent's.
  func copies(_ inherited: CodexInheritance) -> Int {
    let early = early(Self.copyingTime)
    switch inherited {
    case .nothing: return 0
    case .log(let totals): return early.prefix { totals.contains($0.total) }.count
    case .records(let totals):
      // What comes before a copy is one too, also where its own session is not known.
      let known = early.lastIndex { totals.contains($0.total) }.map { $0 + 1 } ?? 0
      return max(known, copiesByForm)
    }
  }

  /// Where nobody can tell, the copied introduction and the one second must do.
  private var copiesByForm: Int { introductions > 1 ? early(1).count : 0 }
}

// MARK: - Requests

extension CodexRollout {
  /// How much newer than the last reading that was taken of a log one has to be that shows the same, in seconds: a
  /// log that is read after every turn would give one for each.
  private static let repetition: Int64 = 600

  /// The quota readings of this session itself, the last one also where it shows no change: that a window stands
  /// where it stood is newer than what another session said in between. A copied one would show an old state as
  /// today's.
  ///
  /// - Parameter taken: the time of the newest that earlier runs took of this log.
  func readings(after copied: Int, taken: Timestamp?) -> [QuotaReading] {
    let changes = readings.filter { $0.place >= copied }.map(\.reading)
    guard let repeated, repeated.place >= copied else { return changes }
    let latest = [taken, changes.last?.time].compactMap { $0?.seconds }.max()
    let isNews = latest.map { repeated.reading.time.seconds.clampedDifference($0) >= Self.repetition } ?? true
    return isNews ? changes + [repeated.reading] : changes
  }

  /// The requests of this session itself.
  func requests(after copied: Int) -> [ImportedRequest] {
    var counters = CodexCounters(events, isContinued: isFork || isContinued)
    var requests: [ImportedRequest] = []
    for (place, event) in events.enumerated() {
      guard let added = counters.advance(place), place >= copied else { continue }
      requests.append(request(event, added, evidence: counters.evidence))
    }
    return requests
  }

  static let provider = "openai"

  static func requestID(_ session: String, _ total: CodexTotals) -> String { "\(session)/\(total.text)" }

  private func request(_ event: Event, _ added: CodexTotals, evidence: Int) -> ImportedRequest {
    var request = ImportedRequest(
      provider: Self.provider, tool: "codex", requestID: Self.requestID(session, event.total),
      time: event.time,
      counts: added.counts)
    request.model = event.model
    request.serviceTier = event.serviceTier
    request.session = session
    request.project = project
    // What more of the log told wins over what less of it did.
    request.place = 1 + Int64(evidence)
    return request
  }
}
