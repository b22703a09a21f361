/// Claude Code (`docs/import.md`, "Claude Code"): JSON Lines below `projects`, sub-agents at any depth.
struct ClaudeImporter: LogImporter {
  let name = "claude"
  let providers = ["claude", "anthropic", "claude-code"]
  let revision: Int64 = 1
  let linesStandAlone = true

  func logs(in search: LogSearch) -> [LogFile] {
    roots(in: search).flatMap { root in
      search.files(below: root) { $0.hasSuffix(".jsonl") }.map { LogFile($0) }
    }
  }

  private func roots(in search: LogSearch) -> [String] {
    if let list = search.variable("CLAUDE_CONFIG_DIR") {
      let folders = list.split(separator: ",").map { $0.drop { $0 == " " }.withoutTrailing([" ", "/"]) }
      return folders.filter { !$0.isEmpty }.map { $0.hasSuffix("/projects") ? $0 : "\($0)/projects" }
    }
    let configuration = search.folder("XDG_CONFIG_HOME", orHome: ".config").map { "\($0)/claude/projects" }
    return [configuration, search.home(".claude/projects")].compactMap { $0 }
  }

  func recognizes(_ file: NamedLog) -> Bool {
    file.path.hasSuffix(".jsonl") && file.mentions("\"sessionId\"") && !file.mentions("\"session_meta\"")
      && file.mentions("\"uuid\"", "\"assistant\"", "\"parentUuid\"")
  }

  func read(_ input: LogInput) throws {
    try input.forEachLine(containing: "\"usage\"") { line in
      guard let line = try ClaudeLine(&line), line.isBilled else { return }
      guard let time = line.time else { return input.skip(.noTime) }
      try input.add(line.request(line.message.usage.counts, model: line.message.model, time: time))
      for (place, advice) in line.message.usage.advice.enumerated() {
        var request = line.request(advice.counts, model: advice.model, time: time)
        request.requestID += "/advisor-\(place)"
        request.cost = nil
        try input.add(request)
      }
      for (place, counts) in line.message.usage.compactions.enumerated() {
        var request = line.request(counts, model: line.message.model, time: time)
        request.requestID += "/compaction-\(place)"
        request.cost = nil
        try input.add(request)
      }
    }
  }
}

extension Substring {
  fileprivate func withoutTrailing(_ marks: Set<Character>) -> String {
    var rest = self
    while let last = rest.last, marks.contains(last) { rest.removeLast() }
    return String(rest)
  }
}

/// A line that may hold a request.
private struct ClaudeLine {
  var message = ClaudeMessage()
  var time: Timestamp?
  private var timeText = ""
  private var session: String?
  private var requestID: String?
  private var project: String?
  private var cost: Double?
  private var isSidechain = false
  private var isError = false

  /// Nil for a line of another type.
  init?(_ line: inout LogCursor) throws(LogSyntaxError) {
    var isAssistant = false
    guard try line.beginObject() else {
      try line.finish()
      return nil
    }
    while let key = try line.nextKey() {
      switch key {
      case "type": isAssistant = try line.text().map { $0 == "assistant" } ?? false
      case "message": message = try ClaudeMessage(&line)
      case "timestamp":
        let text = try line.text()
        time = text?.time
        timeText = text?.string ?? ""
      case "sessionId": session = try line.text()?.name
      case "requestId": requestID = try line.text()?.name
      case "cwd": project = try line.text()?.name
      case "costUSD": cost = try line.number()
      case "isSidechain": isSidechain = try line.bool() ?? false
      case "isApiErrorMessage": isError = try line.bool() ?? false
      default: try line.skip()
      }
    }
    try line.finish()
    guard isAssistant, message.hasUsage else { return nil }
  }

  /// What the program says in the model's place, and errors of the service, cost nothing.
  var isBilled: Bool {
    let isSpoken = !isError && message.model != "<synthetic>"
    return isSpoken || message.usage.counts.total > 0
  }

  /// A sidechain may repeat its parent's message under another request id, so the message's id alone counts
  /// where a request id says that the service itself gave it; gateways use one message id for many answers.
  private var identity: String {
    if requestID != nil, let id = message.id { return id }
    if message.id == nil, let requestID { return requestID }
    return "\(message.id ?? "")/\(session ?? "")/\(time?.text ?? timeText)"
  }

  func request(_ counts: TokenCounts, model: String?, time: Timestamp) -> ImportedRequest {
    var request = ImportedRequest(
      provider: "anthropic", tool: "claude-code", requestID: identity, time: time, counts: counts)
    request.model = model
    request.session = session
    request.project = project
    request.cost = cost
    request.serviceTier = message.usage.serviceTier
    request.speed = message.usage.speed
    // A replay never beats the line that it repeats.
    request.place = isSidechain ? 0 : 1
    return request
  }
}

private struct ClaudeMessage {
  var id: String?
  var model: String?
  var usage = ClaudeUsage()
  var hasUsage = false

  init() {}

  init(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "id": id = try line.text()?.name
      case "model": model = try line.text()?.name
      case "usage":
        hasUsage = try line.isAtObject()
        usage = try ClaudeUsage(&line)
      default: try line.skip()
      }
    }
  }
}

/// A `usage` object: of a message, or of one of its iterations.
private struct ClaudeUsage {
  private(set) var counts = TokenCounts()
  private(set) var serviceTier: String?
  private(set) var speed: String?
  /// The requests that an advisor answered on the way, each with a model of its own.
  private(set) var advice: [(counts: TokenCounts, model: String?)] = []
  /// What the service used to sum up the context on the way.
  private(set) var compactions: [TokenCounts] = []
  private var kind: IterationKind?
  private var model: String?

  init() {}

  /// - Parameter isIteration: an iteration has none of its own: who wrote the line must not choose the depth of
  ///   the stack.
  init(_ line: inout LogCursor, isIteration: Bool = false) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    var written: Int64?
    var parts: (minutes: Int64, hour: Int64) = (0, 0)
    while let key = try line.nextKey() {
      switch key {
      case "input_tokens": counts.input = try line.tokens() ?? 0
      case "output_tokens": counts.output = try line.tokens() ?? 0
      case "cache_read_input_tokens": counts.cacheRead = try line.tokens() ?? 0
      case "cache_creation_input_tokens": written = try line.tokens()
      case "cache_creation": parts = try Self.parts(&line)
      case "service_tier": serviceTier = try Self.special(&line)
      case "speed": speed = try Self.special(&line)
      case "iterations" where !isIteration: try readIterations(&line)
      case "type": kind = IterationKind(try line.text())
      case "model": model = try line.text()?.name
      default: try line.skip()
      }
    }
    // What the breakdown leaves of the total is kept for five minutes, as what is not of an hour is.
    counts.cacheWrite = written ?? parts.minutes.clampedSum(parts.hour)
    counts.cacheWrite1h = min(parts.hour, counts.cacheWrite)
  }

  private static func parts(
    _ line: inout LogCursor
  ) throws(LogSyntaxError) -> (minutes: Int64, hour: Int64) {
    var parts: (minutes: Int64, hour: Int64) = (0, 0)
    guard try line.beginObject() else { return parts }
    while let key = try line.nextKey() {
      switch key {
      case "ephemeral_5m_input_tokens": parts.minutes = try line.tokens() ?? 0
      case "ephemeral_1h_input_tokens": parts.hour = try line.tokens() ?? 0
      default: try line.skip()
      }
    }
    return parts
  }

  /// A tier or speed that is not the standard one.
  private static func special(_ line: inout LogCursor) throws(LogSyntaxError) -> String? {
    guard let name = try line.text()?.name, name != "standard" else { return nil }
    return name
  }

  /// Iterations that the numbers of the line do not hold.
  private enum IterationKind {
    case advice, compaction

    init?(_ type: LogText?) {
      switch type {
      case "advisor_message"?: self = .advice
      case "compaction"?: self = .compaction
      default: return nil
      }
    }
  }

  /// Iterations of type `message` repeat the numbers of the line.
  private mutating func readIterations(_ line: inout LogCursor) throws(LogSyntaxError) {
    (advice, compactions) = ([], [])
    guard try line.beginArray() else { return }
    while try line.nextElement() {
      let iteration = try ClaudeUsage(&line, isIteration: true)
      switch iteration.kind {
      case .advice?: advice.append((iteration.counts, iteration.model))
      case .compaction?: compactions.append(iteration.counts)
      case nil: break
      }
    }
  }
}
