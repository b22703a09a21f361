/// What one command is, as data: parsing, `--help`, `help --json`, completions and man pages all read it.
struct CommandDescription: Sendable {
  /// One or two words: `["pull"]`, `["remote", "add"]`; none for what is typed without a command.
  let name: [String]
  /// One line, lower case, without a full stop.
  let summary: String
  let group: CommandGroup
  /// In the order in which they are typed; only the last one may repeat.
  let arguments: [Argument]
  let flags: [Flag]
  /// Sets of flags of which at most one may be given.
  let exclusive: [[String]]
  /// What the command can end with, beside the statuses that every command shares. One that can find no repository
  /// opens one, and so can end with whatever opening does: damage and a wrong key are not said again.
  let exitStatus: [ExitStatus]
  /// Paragraphs for the help text and the man page.
  let details: [String]
  let examples: [Example]
  /// Left out of overviews: for the shell's completion and the like.
  let isHidden: Bool

  init(
    _ name: String..., summary: String, group: CommandGroup, arguments: [Argument] = [], flags: [Flag] = [],
    exclusive: [[String]] = [], exitStatus: [ExitStatus] = [], details: [String] = [],
    examples: [Example] = [], isHidden: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.group = group
    self.arguments = arguments
    self.flags = flags
    self.exclusive = exclusive
    self.exitStatus = exitStatus
    self.details = details
    self.examples = examples
    self.isHidden = isHidden
  }

  /// The words as they are typed.
  var title: String { name.joined(separator: " ") }

  /// Every status that the command can end with, the common ones included, in numeric order.
  var allExitStatus: [ExitStatus] {
    var listed: [ExitStatus] = [.done, .failed, .usage, .interrupted] + exitStatus
    if listed.contains(.noRepository) { listed += [.damaged, .wrongKey] }
    return ExitStatus.allCases.filter { listed.contains($0) }
  }

  /// The flag by that spelling, `--since` or `-n`, the global ones included.
  func flag(_ spelling: String) -> Flag? {
    flags.first { $0.isSpelled(spelling) } ?? GlobalFlags.all.first { $0.isSpelled(spelling) }
  }
}

/// The heading under which the overview lists a command; the raw value is that heading.
enum CommandGroup: String, CaseIterable, Sendable {
  case start = "begin"
  case record = "record"
  case look = "look"
  case sync = "bring together"
  case settle = "settle conflicts"
  case maintain = "keep in order"
  case configure = "set up"
  case program = "the program"
}

/// What sort of thing a value is, so that the shell can offer those that exist and man pages can say what is meant.
enum ValueKind: String, CaseIterable, Sendable {
  /// A switch has no value; nothing else has this sort.
  case none
  /// What exists and can be listed.
  case remote, kind, recordID, recordKey, device, configKey, configValue, keySlot, commit, provider, command
  /// A file of the store, by its digest.
  case storeFile
  /// What lies in the file system; an address may also be of another machine.
  case file, directory, address
  /// `KEY=VALUE` of a record.
  case assignment
  /// A tool whose logs are read, or a file.
  case logSource
  /// A way in which alerts reach people.
  case channel
  /// One of a few fixed words.
  case choice
  /// What only the user knows: nothing is offered.
  case text, number, time, zone, newName, fingerprint
}

/// A positional argument.
struct Argument: Sendable {
  enum Presence: Sendable {
    case required, optional
    /// Any number, none included.
    case repeating
    /// One or more.
    case requiredRepeating
  }

  /// As usage lines show it: `REMOTE`, `KEY=VALUE`.
  let name: String
  let presence: Presence
  let kind: ValueKind
  /// The words it may be, where they are few and fixed; nothing else is taken then.
  let choices: [String]

  init(_ name: String, _ presence: Presence, kind: ValueKind = .none, choices: [String] = []) {
    self.name = name
    self.presence = presence
    self.kind = choices.isEmpty ? kind : .choice
    self.choices = choices
  }

  var isRequired: Bool { presence == .required || presence == .requiredRepeating }
  var isRepeating: Bool { presence == .repeating || presence == .requiredRepeating }

  var usage: String {
    switch presence {
    case .required: name
    case .optional: "[\(name)]"
    case .repeating: "[\(name)…]"
    case .requiredRepeating: "\(name)…"
    }
  }
}

/// A flag, with or without a value.
struct Flag: Sendable {
  /// With its dashes: `--since`.
  let long: String
  /// With its dash: `-n`.
  let short: String?
  /// The value's name in usage lines; nil for a switch.
  let value: String?
  let isRepeatable: Bool
  let summary: String
  let kind: ValueKind
  let choices: [String]

  init(
    _ long: String, short: String? = nil, value: String? = nil, repeatable: Bool = false,
    kind: ValueKind = .none,
    choices: [String] = [], _ summary: String
  ) {
    self.long = long
    self.short = short
    self.value = value
    self.isRepeatable = repeatable
    self.summary = summary
    self.kind = choices.isEmpty ? kind : .choice
    self.choices = choices
  }

  func isSpelled(_ spelling: String) -> Bool { long == spelling || short == spelling }

  /// `--since T`.
  var usage: String { value.map { "\(long) \($0)" } ?? long }
}

/// A command line to copy, and what it does.
struct Example: Sendable {
  let line: String
  let purpose: String

  init(_ line: String, _ purpose: String) {
    self.line = line
    self.purpose = purpose
  }
}
