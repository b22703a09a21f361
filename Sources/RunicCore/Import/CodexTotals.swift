/// A usage object of Codex: a counter's state, or what one request used.
struct CodexTotals: Hashable {
  /// Cache included.
  var input: Int64 = 0
  var cached: Int64 = 0
  /// Reasoning included.
  var output: Int64 = 0
  var reasoning: Int64 = 0

  init() {}

  /// Nil for what is no object.
  init?(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return nil }
    while let key = try line.nextKey() {
      switch key {
      case "input_tokens": input = try line.tokens() ?? 0
      case "cached_input_tokens": cached = try line.tokens() ?? 0
      case "output_tokens": output = try line.tokens() ?? 0
      case "reasoning_output_tokens": reasoning = try line.tokens() ?? 0
      default: try line.skip()
      }
    }
  }

  var sum: Int64 { input.clampedSum(output) }

  /// What stands in a request's id.
  var text: String { "\(input).\(cached).\(output).\(reasoning)" }

  /// What came on top of an earlier state, no class below 0.
  func since(_ earlier: CodexTotals) -> CodexTotals {
    var difference = CodexTotals()
    difference.input = input.clampedDifference(earlier.input)
    difference.cached = cached.clampedDifference(earlier.cached)
    difference.output = output.clampedDifference(earlier.output)
    difference.reasoning = reasoning.clampedDifference(earlier.reasoning)
    return difference
  }

  var counts: TokenCounts {
    var counts = TokenCounts()
    counts.cacheRead = min(cached, input)
    counts.input = input &- counts.cacheRead
    counts.output = output
    counts.reasoning = min(reasoning, output)
    return counts
  }
}

/// What `session_meta` and `turn_context` say.
struct CodexIntroduction {
  private(set) var id: String?
  private(set) var model: String?
  private(set) var project: String?
  private(set) var parent: String?
  private(set) var isFork = false

  init(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "id": id = try line.text()?.name
      case "model": model = try line.text()?.name
      case "cwd": project = try line.text()?.name
      case "forked_from_id": note(parent: try line.text()?.name)
      case "parent_thread_id": note(parent: try line.text()?.name)
      case "source": try readSource(&line)
      default: try line.skip()
      }
    }
  }

  private mutating func note(parent name: String?) {
    guard let name else { return }
    isFork = true
    parent = parent ?? name
  }

  /// `{"subagent":{"parent_thread_id":…}}` or `{"subagent":{"thread_spawn":{"parent_thread_id":…}}}`.
  ///
  /// - Parameter levels: how much deeper to look: who wrote the line must not choose the depth of the stack.
  private mutating func readSource(_ line: inout LogCursor, levels: Int = 2) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      if key == "subagent" { isFork = true }
      switch key {
      case "parent_thread_id": note(parent: try line.text()?.name)
      case "subagent" where levels > 0: try readSource(&line, levels: levels - 1)
      case "thread_spawn" where levels > 0: try readSource(&line, levels: levels - 1)
      default: try line.skip()
      }
    }
  }
}

/// What a `token_count` event says.
struct CodexCount {
  private(set) var total: CodexTotals?
  private(set) var last: CodexTotals?
  private(set) var primary: QuotaReading.Window?
  private(set) var secondary: QuotaReading.Window?

  /// - Parameter time: of the event.
  init(_ line: inout LogCursor, at time: Timestamp) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "info": try readInfo(&line)
      case "rate_limits": try readLimits(&line, at: time)
      default: try line.skip()
      }
    }
  }

  private mutating func readInfo(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "total_token_usage": total = try CodexTotals(&line)
      case "last_token_usage": last = try CodexTotals(&line)
      default: try line.skip()
      }
    }
  }

  private mutating func readLimits(_ line: inout LogCursor, at time: Timestamp) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "primary": primary = try Self.window(&line, at: time)
      case "secondary": secondary = try Self.window(&line, at: time)
      default: try line.skip()
      }
    }
  }

  private static func window(
    _ line: inout LogCursor, at time: Timestamp
  ) throws(LogSyntaxError) -> QuotaReading.Window? {
    var percent: Double?
    var resets: Double?
    guard try line.beginObject() else { return nil }
    while let key = try line.nextKey() {
      switch key {
      case "used_percent": percent = try line.number()
      case "resets_at": resets = try line.number() ?? resets
      case "resets_in_seconds": resets = try line.number().map { Double(time.seconds) + $0 } ?? resets
      default: try line.skip()
      }
    }
    return QuotaReading.Window(percent: percent, resets: resets.flatMap { Self.end($0, after: time) })
  }

  /// Seconds since 1970 as a time, whole ones; nil for one that is not to come when the reading is made.
  private static func end(_ seconds: Double, after time: Timestamp) -> Timestamp? {
    Int64(exactly: seconds.rounded()).flatMap { $0 > time.seconds ? Timestamp(seconds: $0) : nil }
  }
}
