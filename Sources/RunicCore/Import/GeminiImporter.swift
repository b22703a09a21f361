/// Gemini CLI (`docs/import.md`, "Gemini CLI"): chats as JSON Lines, in older versions as one document.
struct GeminiImporter: LogImporter {
  let name = "gemini"
  let providers = ["gemini", "gemini-cli"]
  let revision: Int64 = 2

  func logs(in search: LogSearch) -> [LogFile] {
    guard let home = search.variable("GEMINI_CLI_HOME") ?? search.variable("HOME") else { return [] }
    return search.folders(in: "\(home)/.gemini/tmp").flatMap { folder in
      search.files(below: "\(folder)/chats", depth: 1) { $0.hasSuffix(".jsonl") || $0.hasSuffix(".json") }
        .map { LogFile($0) }
    }
  }

  func recognizes(_ file: NamedLog) -> Bool {
    file.mentions("\"gemini\"", "\"projectHash\"") && !file.mentions("\"parentUuid\"", "\"session_meta\"")
  }

  func read(_ input: LogInput) throws {
    var chat = GeminiChat()
    if input.log.path.hasSuffix(".json") {
      try input.withDocument { document in
        try chat.read(&document)
        try document.finish()
      }
    } else {
      try input.forEachLine { line in
        try chat.read(&line)
        try line.finish()
      }
    }
    for _ in 0..<chat.timeless { input.skip(.noTime) }
    for _ in 0..<chat.unreadable { input.skip(.unreadableTokens) }
    for request in chat.requests { try input.add(request) }
  }
}

/// The messages of a chat; of those with one id the last stands.
private struct GeminiChat {
  private var messages: [String: GeminiMessage] = [:]
  private var order: [String] = []
  private var session: String?
  private(set) var timeless = 0
  private(set) var unreadable = 0

  /// A line, or the whole document: messages lie in either. What a line takes from view was spent all the
  /// same.
  mutating func read(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    var message = GeminiMessage()
    while let key = try line.nextKey() {
      switch key {
      case "sessionId": session = try line.text()?.name ?? session
      case "messages":
        guard try line.beginArray() else { continue }
        while try line.nextElement() { try readMessage(&line) }
      default: try message.read(key, &line)
      }
    }
    take(message)
  }

  /// One message of many: one that cannot be read does not keep the others from being read.
  private mutating func readMessage(_ line: inout LogCursor) throws(LogSyntaxError) {
    let start = line
    do throws(LogSyntaxError) { take(try GeminiMessage(&line)) } catch {
      guard error.isNoCount else { throw error }
      unreadable += 1
      line = start
      try line.skip()
    }
  }

  private mutating func take(_ message: GeminiMessage) {
    guard message.isAnswer, let tokens = message.tokens, let id = message.id, !tokens.isEmpty else { return }
    guard message.time != nil else { return timeless += 1 }
    guard let known = messages[id] else {
      order.append(id)
      messages[id] = message
      return
    }
    var message = message
    message.form = known.form
    if message == known { return }
    message.form += 1
    messages[id] = message
  }

  var requests: [ImportedRequest] {
    order.compactMap { id in
      guard let message = messages[id], let time = message.time, let tokens = message.tokens else {
        return nil
      }
      var request = ImportedRequest(
        provider: "gemini", tool: "gemini-cli", requestID: id, time: time, counts: tokens.counts)
      request.model = message.model
      request.session = session
      // The last form wins, also over one that was stored before it was written.
      request.place = message.form
      return request
    }
  }
}

private struct GeminiMessage: Equatable {
  var id: String?
  var time: Timestamp?
  var model: String?
  var isAnswer = false
  var tokens: GeminiTokens?
  /// How many forms of the message there were up to this one.
  var form: Int64 = 1

  init() {}

  init(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() { try read(key, &line) }
  }

  mutating func read(_ key: LogText, _ line: inout LogCursor) throws(LogSyntaxError) {
    switch key {
    case "id": id = try line.text()?.name
    case "timestamp": time = try line.text()?.time
    case "type": isAnswer = try line.text().map { $0 == "gemini" } ?? false
    case "model": model = try line.text()?.name
    case "tokens": tokens = try GeminiTokens(&line)
    default: try line.skip()
    }
  }
}

private struct GeminiTokens: Equatable {
  private var input: Int64 = 0
  private var output: Int64 = 0
  private var cached: Int64 = 0
  private var thoughts: Int64 = 0
  private var tool: Int64 = 0
  private var total: Int64?

  /// Nil for what is no object.
  init?(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return nil }
    while let key = try line.nextKey() {
      switch key {
      case "input": input = try line.tokens() ?? 0
      case "output": output = try line.tokens() ?? 0
      case "cached": cached = try line.tokens() ?? 0
      case "thoughts": thoughts = try line.tokens() ?? 0
      case "tool": tool = try line.tokens() ?? 0
      case "total": total = try line.tokens()
      default: try line.skip()
      }
    }
  }

  private var sum: Int64 { input.clampedSum(output).clampedSum(thoughts).clampedSum(tool) }

  var isEmpty: Bool { sum == 0 && cached == 0 }

  /// Where the total is that of the other classes, what was cached is part of the input.
  var counts: TokenCounts {
    var counts = TokenCounts()
    counts.cacheRead = cached
    let plain = total ?? sum == sum ? input.clampedDifference(cached) : input
    counts.input = plain.clampedSum(tool)
    counts.output = output.clampedSum(thoughts)
    counts.reasoning = thoughts
    return counts
  }
}
