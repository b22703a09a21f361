import ObjectStore

/// A row of a table of `ccusage`.
struct CCUsageRow {
  /// The numbers of the whole row, and where it is broken down, of each model.
  private var whole = CCUsageNumbers()
  private var byModel: [CCUsageNumbers] = []
  private var period: String?
  private var session: String?
  private var activity: String?
  private var models: [String] = []
  private(set) var isGap = false

  init(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "date", "week", "month", "period", "startTime": period = try line.text()?.name
      case "sessionId", "session": session = try line.text()?.name
      case "lastActivity": activity = try line.text()?.name
      case "isGap": isGap = try line.bool() ?? false
      case "modelsUsed", "models": try readModels(&line)
      case "modelBreakdowns":
        guard try line.beginArray() else { continue }
        while try line.nextElement() { byModel.append(try CCUsageNumbers(&line, model: nil)) }
      case "tokenCounts":
        guard try line.beginObject() else { continue }
        while let key = try line.nextKey() { try whole.read(key, &line) }
      default: try whole.read(key, &line)
      }
    }
  }

  /// Names, or numbers by name.
  private mutating func readModels(_ line: inout LogCursor) throws(LogSyntaxError) {
    if try line.isAtObject() {
      guard try line.beginObject() else { return }
      while let key = try line.nextKey() {
        let name = key.name
        byModel.append(try CCUsageNumbers(&line, model: name))
      }
    } else if try line.beginArray() {
      while try line.nextElement() {
        if let name = try line.text()?.name { models.append(name) }
      }
    }
  }

  /// A row whose numbers cannot all be told is no row of zeros.
  var hasUnknownTokens: Bool { parts.contains { !$0.isUnderstood } }

  /// The parts of the row to be stored.
  var parts: [CCUsageNumbers] {
    if !byModel.isEmpty { return byModel }
    var whole = whole
    if models.count == 1 { whole.model = models[0] }
    return [whole]
  }

  /// What the row is about, as printed.
  var name: String { session ?? period ?? activity ?? "" }

  var sessionID: String? { session }

  /// A block's begin; a day's noon in UTC, which lies in that day nearly everywhere, as the row tells no
  /// zone; the noon of a longer time's first day.
  var time: Timestamp? {
    guard let text = period ?? activity else { return nil }
    if let time = Timestamp(text) { return time }
    let day = text.utf8.count == 7 ? "\(text)-01" : text
    return Timestamp("\(day)T12:00:00Z")
  }
}

/// The numbers of a row or of one model in it.
struct CCUsageNumbers {
  var model: String?
  private var counts = TokenCounts()
  private var cost: Double?
  private var hasInput = false
  private var hasOutput = false
  private var hasUnknown = false
  /// The program for Codex counts what was cached as input too.
  private var cachedInput: Int64?

  init() {}

  init(_ line: inout LogCursor, model: String?) throws(LogSyntaxError) {
    self.model = model
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() { try read(key, &line) }
  }

  /// Whose requests the rows sum up: Claude Code's, or Codex's.
  static let providers = ["anthropic", "openai"]

  var isUnderstood: Bool { hasInput && hasOutput && !hasUnknown }

  mutating func read(_ key: LogText, _ line: inout LogCursor) throws(LogSyntaxError) {
    switch key {
    case "inputTokens", "input_tokens": (counts.input, hasInput) = try Self.count(&line)
    case "outputTokens", "output_tokens": (counts.output, hasOutput) = try Self.count(&line)
    case "cacheReadTokens", "cacheReadInputTokens", "cache_read_tokens":
      counts.cacheRead = try known(&line) ?? 0
    case "cacheCreationTokens", "cacheCreationInputTokens", "cache_creation_tokens":
      counts.cacheWrite = try known(&line) ?? 0
    case "cachedInputTokens": cachedInput = try known(&line)
    case "reasoningOutputTokens": counts.reasoning = try known(&line) ?? 0
    case "totalCost", "costUSD", "cost": cost = try line.number()
    case "modelName": model = try line.text()?.name
    case "totalTokens", "total_tokens": try line.skip()
    default:
      if Self.looksLikeTokens(key) { hasUnknown = true }
      try line.skip()
    }
  }

  private static func count(_ line: inout LogCursor) throws(LogSyntaxError) -> (Int64, Bool) {
    let count = try line.count()
    return (count ?? 0, count != nil)
  }

  /// A count that may be missing; one that nobody can tell makes the row unknown.
  private mutating func known(_ line: inout LogCursor) throws(LogSyntaxError) -> Int64? {
    do throws(LogSyntaxError) { return try line.tokens() } catch {
      guard error.isNoCount else { throw error }
      hasUnknown = true
      return nil
    }
  }

  private static func looksLikeTokens(_ key: LogText) -> Bool {
    key.bytes.contains("okens")
  }

  func request(of row: CCUsageRow, in table: String, at time: Timestamp) -> ImportedRequest {
    var counts = counts
    if let cachedInput {
      counts.cacheRead = min(cachedInput, counts.input)
      counts.input = counts.input.clampedDifference(counts.cacheRead)
    }
    let numbers = [counts.input, counts.output, counts.cacheRead, counts.cacheWrite].map(String.init)
    let facts = [table, row.name, model ?? ""] + numbers
    var request = ImportedRequest(
      provider: Self.providers[cachedInput == nil ? 0 : 1], tool: "ccusage",
      requestID: CoarseRow.idPrefix + facts.joined(separator: "/"), time: time, counts: counts)
    request.model = model
    request.session = row.sessionID
    request.cost = cost
    request.coarse = CoarseRow(provenance: "ccusage/\(table)", period: row.name)
    return request
  }
}
