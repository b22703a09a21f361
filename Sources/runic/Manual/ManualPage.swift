/// A page of the manual as data: what `help` prints as plain text and the man pages hold as man(7) macros.
struct ManualPage {
  enum Block {
    case paragraph(String)
    /// Names and what they are, each beside the other.
    case terms([(name: String, text: String)])
    /// A line to type, and what it does.
    case example(Example)
  }

  struct Section {
    /// Lower case, as help shows it; man pages write it in capitals.
    let title: String
    let blocks: [Block]
  }

  /// The file's name without the number: `runic-remote-add`.
  let name: String
  /// What the page is about, as it is typed: `remote add`.
  let title: String
  /// 1 for commands, 7 for the rest.
  let volume: Int
  let summary: String
  /// What is typed, as parts that a line may be broken between; empty for pages about no command.
  let synopsis: [String]
  let sections: [Section]

  var fileName: String { "\(name).\(volume)" }
}

extension ManualPage {
  /// The page of one command.
  init(_ command: CommandDescription) {
    name = "runic-" + command.name.joined(separator: "-")
    title = command.title
    volume = 1
    summary = command.summary
    synopsis = ["runic \(command.title)"] + Self.usageParts(command)
    let flags = command.flags.map { ($0.column, $0.summary + Self.addition($0.choices)) }
    let arguments = command.arguments.map { ($0.usage, $0.meaning) }
    let candidates = [
      Section(title: "description", blocks: command.details.map(Block.paragraph)),
      Section(title: "arguments", blocks: Self.terms(arguments)),
      Section(title: "flags", blocks: Self.terms(flags)), Self.everywhere,
      Self.exitStatus(command.allExitStatus),
      Section(title: "examples", blocks: command.examples.map(Block.example)),
    ]
    sections = candidates.filter { !$0.blocks.isEmpty }
  }

  static let everywhere = Section(
    title: "everywhere", blocks: terms(GlobalFlags.all.map { ($0.column, $0.summary) }))

  static func exitStatus(_ list: [ExitStatus]) -> Section {
    Section(title: "exit status", blocks: terms(list.map { (String($0.rawValue), $0.meaning) }))
  }

  static func terms(_ rows: [(String, String)]) -> [Block] {
    rows.isEmpty ? [] : [.terms(rows.map { (name: $0.0, text: $0.1) })]
  }

  private static func addition(_ choices: [String]) -> String {
    choices.isEmpty ? "" : ": " + choices.joined(separator: ", ")
  }

  private static func usageParts(_ command: CommandDescription) -> [String] {
    let grouped = command.exclusive.flatMap { $0 }
    let sets = command.exclusive.map { set in
      let usages = set.compactMap { name in command.flags.first { $0.long == name }?.usage }
      return "[" + usages.joined(separator: " | ") + "]"
    }
    let single = command.flags.filter { !grouped.contains($0.long) }
    return command.arguments.map(\.usage) + sets
      + single.map { "[\($0.usage)]" + ($0.isRepeatable ? "…" : "") }
  }
}

extension Flag {
  /// As lists of flags show it: `-n, --count N`.
  var column: String { (short.map { "\($0), " } ?? "") + usage }
}

extension Argument {
  /// What may stand there.
  var meaning: String {
    if choices == ["-"] { return "standard input, in place of the rest" }
    return choices.isEmpty ? kind.meaning : "one of: \(choices.joined(separator: ", "))"
  }
}
