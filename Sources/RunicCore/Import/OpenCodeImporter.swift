/// OpenCode (`docs/import.md`, "OpenCode"): an SQLite database, before it one JSON file for each message.
struct OpenCodeImporter: LogImporter {
  let name = "opencode"
  /// Each message names its own.
  let providers: [String] = []
  let revision: Int64 = 1

  func logs(in search: LogSearch) -> [LogFile] {
    let data = search.folder("XDG_DATA_HOME", orHome: ".local/share").map { "\($0)/opencode" }
    guard let root = search.variable("OPENCODE_DATA_DIR") ?? data else { return [] }
    let databases = search.files(below: root, depth: 0) { $0.hasPrefix("opencode") && $0.hasSuffix(".db") }
    let messages = search.files(below: "\(root)/storage/message") { $0.hasSuffix(".json") }
    return databases.map { LogFile($0, .sqlite) } + messages.map { LogFile($0) }
  }

  func recognizes(_ file: NamedLog) -> Bool {
    file.isSQLite || (file.mentions("\"providerID\"") && file.mentions("\"modelID\""))
  }

  func read(_ input: LogInput) throws {
    let take = { (document: inout LogCursor) in
      let message = try OpenCodeMessage(&document)
      try document.finish()
      guard message.isAnswer, message.counts.total > 0 else { return }
      guard let request = message.request else { return input.skip(.noTime) }
      // Its tokens are part of what tells it: taken too early, it would be counted again.
      if !message.isDone, input.isRecent(request.time, within: Self.longestAnswer) {
        return input.leaveForLater(.unfinishedAnswer)
      }
      try input.add(request)
    }
    guard input.log.form == .sqlite else { return try input.withDocument(take) }
    try input.forEachRow(of: Self.query, take)
  }

  /// How long an answer may be in the making, in milliseconds; one that is not done by then never will be.
  private static let longestAnswer: Int64 = 6 * 3_600_000

  /// The database itself leaves out everything but the facts, so nothing else of a message leaves it. A row
  /// that is no JSON comes as what is no JSON, to be counted; what would end the query, such as bytes where a text
  /// is meant, does not get into it.
  private static let query = """
    SELECT CASE WHEN typeof(data) = 'text' AND json_valid(data) THEN json_object(
      'role', json_extract(data, '$.role'), 'providerID', json_extract(data, '$.providerID'),
      'modelID', json_extract(data, '$.modelID'), 'cost', json_extract(data, '$.cost'),
      'sessionID', coalesce(json_extract(data, '$.sessionID'), CAST(session_id AS TEXT)),
      'time', json_object('created', json_extract(data, '$.time.created'),
        'completed', json_extract(data, '$.time.completed')),
      'path', json_object('cwd', json_extract(data, '$.path.cwd')),
      'tokens', CASE json_type(data, '$.tokens') WHEN 'object' THEN json(json_extract(data, '$.tokens')) END)
      ELSE '!' END FROM message
    """
}

private struct OpenCodeMessage {
  private(set) var isAnswer = false
  private(set) var counts = TokenCounts()
  private var provider: String?
  private var model: String?
  private var session: String?
  private var project: String?
  private var cost: Double?
  private var created: Timestamp?
  private(set) var isDone = false

  init(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { throw LogSyntaxError(position: 0) }
    while let key = try line.nextKey() {
      switch key {
      case "role": isAnswer = try line.text().map { $0 == "assistant" } ?? false
      case "providerID": provider = try line.text()?.name
      case "modelID": model = try line.text()?.name
      case "sessionID": session = try line.text()?.name
      case "cost": cost = try line.number()
      case "tokens": try readTokens(&line)
      case "time": try readTimes(&line)
      case "path":
        project = try Self.member("cwd", &line) { line throws(LogSyntaxError) in
          try line.text()?.name
        }
      default: try line.skip()
      }
    }
  }

  private mutating func readTimes(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "created": created = try line.count().flatMap { Timestamp(milliseconds: $0) }
      case "completed": isDone = try line.count() != nil
      default: try line.skip()
      }
    }
  }

  private static func member<Value>(
    _ name: StaticString, _ line: inout LogCursor,
    _ read: (inout LogCursor) throws(LogSyntaxError) -> Value?
  ) throws(LogSyntaxError) -> Value? {
    var value: Value?
    guard try line.beginObject() else { return nil }
    while let key = try line.nextKey() {
      if key == name { value = try read(&line) } else { try line.skip() }
    }
    return value
  }

  private mutating func readTokens(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "input": counts.input = try line.tokens() ?? 0
      case "output": counts.output = try line.tokens() ?? 0
      case "reasoning": counts.reasoning = try line.tokens() ?? 0
      case "cache": try readCache(&line)
      default: try line.skip()
      }
    }
    // Here reasoning is beside output, not in it.
    counts.output = counts.output.clampedSum(counts.reasoning)
  }

  private mutating func readCache(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "read": counts.cacheRead = try line.tokens() ?? 0
      case "write": counts.cacheWrite = try line.tokens() ?? 0
      default: try line.skip()
      }
    }
  }

  /// A fork copies messages under new ids, so the facts alone tell one from another. Nil without a time.
  var request: ImportedRequest? {
    guard let created else { return nil }
    let facts = [counts.input, counts.output, counts.reasoning, counts.cacheRead, counts.cacheWrite]
    let id = ["\(created.milliseconds)", model ?? ""] + facts.map(String.init)
    var request = ImportedRequest(
      provider: provider ?? "opencode", tool: "opencode", requestID: id.joined(separator: "/"), time: created,
      counts: counts)
    request.model = model
    request.session = session
    request.project = project
    request.cost = cost
    return request
  }
}
