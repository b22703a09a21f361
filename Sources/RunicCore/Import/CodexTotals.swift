/// A usage object of Codex: a counter's state, or what one request used.
struct CodexTotals: Hashable {
  /// What was read from the cache, and written to it, included.
  var input: Int64 = 0
  var cached: Int64 = 0
  var written: Int64 = 0
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
      case "cache_write_input_tokens": written = try line.tokens() ?? 0
      case "output_tokens": output = try line.tokens() ?? 0
      case "reasoning_output_tokens": reasoning = try line.tokens() ?? 0
      default: try line.skip()
      }
    }
  }

  var sum: Int64 { input.clampedSum(output) }

  /// What stands in a request's id: the classes that every version of Codex tells.
  var text: String { "\(input).\(cached).\(output).\(reasoning)" }

  /// What came on top of an earlier state, no class below 0.
  func since(_ earlier: CodexTotals) -> CodexTotals {
    var difference = CodexTotals()
    difference.input = input.clampedDifference(earlier.input)
    difference.cached = cached.clampedDifference(earlier.cached)
    difference.written = written.clampedDifference(earlier.written)
    difference.output = output.clampedDifference(earlier.output)
    difference.reasoning = reasoning.clampedDifference(earlier.reasoning)
    return difference
  }

  var counts: TokenCounts {
    var counts = TokenCounts()
    counts.cacheRead = min(cached, input)
    counts.cacheWrite = min(written, input &- counts.cacheRead)
    counts.input = input &- counts.cacheRead &- counts.cacheWrite
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
  /// Whether the history goes on from another file (since 0.153): the counters do, too.
  private(set) var isContinued = false

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
      case "history_base":
        isContinued = try line.isAtObject()
        try line.skip()
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

/// What a `thread_settings_applied` event says.
struct CodexSettings {
  private(set) var model: String?
  /// Nil for the standard one.
  private(set) var serviceTier: String?

  private static let standardTiers: Set<String> = ["auto", "default", "standard"]

  init(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      if key == "thread_settings" { try readSettings(&line) } else { try line.skip() }
    }
  }

  private mutating func readSettings(_ line: inout LogCursor) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    while let key = try line.nextKey() {
      switch key {
      case "model": model = try line.text()?.name
      case "service_tier":
        let tier = try line.text()?.name
        serviceTier = tier.flatMap { Self.standardTiers.contains($0) ? nil : $0 }
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

  /// Codex tells the limits of single models in events of their own: those are not the account's.
  private mutating func readLimits(_ line: inout LogCursor, at time: Timestamp) throws(LogSyntaxError) {
    guard try line.beginObject() else { return }
    var isAccount = true
    while let key = try line.nextKey() {
      switch key {
      case "primary": primary = try Self.window(&line, at: time)
      case "secondary": secondary = try Self.window(&line, at: time)
      case "limit_id": isAccount = try line.text().map { $0 == "codex" } ?? true
      default: try line.skip()
      }
    }
    if !isAccount { (primary, secondary) = (nil, nil) }
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
