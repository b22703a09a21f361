import CanonicalJSON
import RunicCore

/// A command line that fits its description: what was typed, ready to be asked.
struct Invocation: Sendable {
  let command: CommandDescription
  /// The positional arguments, as typed.
  let positionals: [String]
  /// Every flag that was given, by its long name, in order; a switch has no value.
  let flags: [(name: String, value: String?)]

  init(command: CommandDescription, positionals: [String] = [], flags: [(name: String, value: String?)] = [])
  {
    self.command = command
    self.positionals = positionals
    self.flags = flags
  }

  /// Whether the flag was given, with a value or without.
  func isSet(_ name: String) -> Bool {
    assert(command.flag(name) != nil, "\(command.title) does not describe \(name)")
    return flags.contains { $0.name == name }
  }

  /// Whether a flag was given that not every command describes.
  func isSetIfDescribed(_ name: String) -> Bool { flags.contains { $0.name == name } }

  /// The flag's value; nil where it was not given.
  func flag(_ name: String) -> String? { values(name).first }

  /// All values of a repeatable flag, as typed.
  func values(_ name: String) -> [String] {
    assert(command.flag(name)?.value != nil, "\(command.title) does not describe a value for \(name)")
    return flags.filter { $0.name == name }.compactMap(\.value)
  }

  /// The value of a flag that the command cannot do without.
  func requiredFlag(_ name: String) throws(CommandFailure) -> String {
    guard let value = flag(name) else {
      throw .usage("\(command.title): \(name) is missing", hint: helpHint)
    }
    return value
  }

  /// The positional argument at that place; nil where it was not given.
  func positional(_ index: Int) -> String? { positionals.indices.contains(index) ? positionals[index] : nil }

  /// The positional argument at that place, where the description leaves it open but this use needs it.
  func required(_ index: Int) throws(CommandFailure) -> String {
    if let value = positional(index) { return value }
    let arguments = command.arguments
    let name = arguments.indices.contains(index) ? arguments[index].name : "an argument"
    throw .usage("\(command.title): \(name) is missing", hint: helpHint)
  }

  /// The positional arguments from that place on.
  func positionals(from index: Int) -> [String] { Array(positionals.dropFirst(index)) }

  /// The only positional argument is `-`, that is, the input comes on standard input.
  var readsStandardInput: Bool { positionals.last == "-" }

  /// What to type to see how the command is used.
  var helpHint: String { "see 'runic \(command.title) --help'" }
}

// MARK: - Values with a type

extension Invocation {
  /// The flag's value as a whole number.
  func integer(_ name: String, in bounds: ClosedRange<Int64>) throws(CommandFailure) -> Int64? {
    guard let text = flag(name) else { return nil }
    guard let value = Int64(text), bounds.contains(value) else {
      throw outside(name, text, "a whole number", "\(bounds.lowerBound)", "\(bounds.upperBound)")
    }
    return value
  }

  /// The flag's value as a number with or without a fraction.
  func double(_ name: String, in bounds: ClosedRange<Double>) throws(CommandFailure) -> Double? {
    guard let text = flag(name) else { return nil }
    guard let value = Self.plainDouble(text), bounds.contains(value) else {
      let lower = String(decoding: JSONValue(floatLiteral: bounds.lowerBound).canonicalBytes, as: UTF8.self)
      let upper = String(decoding: JSONValue(floatLiteral: bounds.upperBound).canonicalBytes, as: UTF8.self)
      throw outside(name, text, "a number", lower, upper)
    }
    return value
  }

  /// The flag's value as a time, with all the digits that it was typed with; see `Instant.parse`.
  func time(_ name: String, now: Int64, in zone: () throws -> ZoneRules) throws -> Timestamp? {
    guard let text = flag(name) else { return nil }
    guard let time = try Instant.parse(text, now: now, in: zone) else {
      throw CommandFailure.usage(
        "\(name) takes a time of the years 1 to 9999, not '\(text)'",
        hint: "write it like 2026-09-05, 2026-09-05T12:00:00Z, 24h, 7d or 2w")
    }
    return time
  }

  /// The same in milliseconds since 1970, UTC.
  func instant(_ name: String, now: Int64, in zone: () throws -> ZoneRules) throws -> Int64? {
    try time(name, now: now, in: zone)?.milliseconds
  }

  /// The parts of the flag's values, split at commas; empty parts are dropped.
  func list(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: ",").map(String.init) }
  }

  /// A decimal number; no infinities, no hexadecimal digits, nothing but what people write.
  static func plainDouble(_ text: String) -> Double? {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard isPlain, let value = Double(text), value.isFinite else { return nil }
    return value
  }

  private func outside(
    _ name: String, _ text: String, _ type: String, _ lower: String, _ upper: String
  ) -> CommandFailure {
    .usage("\(name) takes \(type) from \(lower) to \(upper), not '\(text)'", hint: helpHint)
  }
}

// MARK: - Flags that every command takes

extension Invocation {
  var wantsJSON: Bool { isSet("--json") }
  var isQuiet: Bool { isSet("--quiet") }
  var isVerbose: Bool { isSet("--verbose") }
  var hidesProgress: Bool { isSet("--no-progress") }
  var passphraseFile: String? { flag("--passphrase-file") }

  /// Seconds to wait for another process on the repository.
  func lockWait() throws(CommandFailure) -> Double { try double("--lock-wait", in: 0...86_400) ?? 30 }
}
