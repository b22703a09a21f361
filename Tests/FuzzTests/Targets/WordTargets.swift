import CanonicalJSON

@testable import RunicCore
@testable import runic

extension FuzzTarget {
  static let wordTargets = [
    FuzzTarget("arguments", checkArguments),
    FuzzTarget("typed-value", checkTypedValue),
    FuzzTarget("time", checkTime),
    FuzzTarget("zone-file", checkZoneFile),
    FuzzTarget("prices", checkPrices),
  ]

  /// A command line, its words divided by zero bytes.
  private static func checkArguments(_ bytes: [UInt8]) throws {
    let words = bytes.split(separator: 0, omittingEmptySubsequences: false).prefix(64)
      .map { String(decoding: $0, as: UTF8.self) }
    guard case .command(let command, let rest)? = try? CommandFinder(Commands.table).find(words),
      let invocation = try? ArgumentParser.parse(rest, for: command.description)
    else { return }
    let description = command.description
    for flag in invocation.flags {
      let known = try demand("a flag that nobody described") { description.flag(flag.name) }
      try require((known.value == nil) == (flag.value == nil), "\(flag.name) and its value do not fit")
    }
    let isOpen = description.arguments.last?.isRepeating == true
    try require(
      isOpen || invocation.positionals.count <= description.arguments.count, "an argument too many was taken")
  }

  /// `KEY=VALUE` and what else people type; nothing of it may break a line of output.
  private static func checkTypedValue(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    for kind in [Kind.usage, .alert, .preferences] {
      for field in ["theme", "enabledProviders", "primaryUsed", "warningThreshold"] as [JSONString] {
        guard let value = try? kind.value(forField: field, typed: text) else { continue }
        try require(isCanonical(value.canonicalBytes), "a typed value is not canonical")
      }
    }
    let line = Escaping.oneLine(text)
    try require(!line.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "a control character reaches the terminal")
    _ = TextWidth.columns(TextWidth.truncated(text, to: 10))
    _ = Suggestion.nearest(to: text, among: ["record", "report"])
  }

  private static func checkTime(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let time = Instant.parse(text, now: 1_788_696_000_000, in: { .utc }) else {
      return try require(Timestamp(text) == nil, "a time of a payload is none that people may type")
    }
    let copy = try demand("a time that was taken is not taken again") { Timestamp(time.text) }
    try require(copy == time, "a time is written otherwise than it was read")
  }

  private static func checkZoneFile(_ bytes: [UInt8]) throws {
    guard let rules = try? ZoneRules(name: "Fuzz/Zone", decoding: bytes) else { return }
    for seconds in [Int64(-5_000_000_000), 0, 1_788_696_000, 9_000_000_000] {
      let span = rules.span(at: seconds)
      try require((-93_599...93_599).contains(span.offset), "an offset out of bounds")
      _ = rules.startOfDay(rules.day(at: seconds))
    }
  }

  private static func checkPrices(_ bytes: [UInt8]) throws {
    guard let table = try? PriceTable(decoding: bytes) else { return }
    _ = table.price(provider: Array("anthropic".utf8), model: Array("claude-opus-4-20250514".utf8))
  }
}
