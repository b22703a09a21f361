/// Help for people, made from the descriptions.
enum HelpText {
  private static let width = 78

  /// `runic` alone: what there is, by what it is for.
  static func overview(_ commands: [CommandDescription]) -> [String] {
    var lines = [
      "usage: runic [--repo DIR] COMMAND [ARGUMENTS]",
      "",
      "Records usage, preferences and alerts on every machine, offline, and brings them",
      "together, encrypted, through a folder that the machines share.",
    ]
    let visible = commands.filter { !$0.isHidden }
    for group in CommandGroup.allCases {
      let members = visible.filter { $0.group == group }
      if !members.isEmpty { lines += ["", group.rawValue] + list(members) }
    }
    return lines + ["", "'runic COMMAND --help' tells more of a command, 'runic help --json' all of it."]
  }

  /// `runic remote`: the commands that begin with a word.
  static func group(_ word: String, _ commands: [CommandDescription]) -> [String] {
    ["usage: runic \(word) COMMAND [ARGUMENTS]", ""] + list(commands.filter { !$0.isHidden })
      + ["", "'runic \(word) COMMAND --help' tells more."]
  }

  /// `runic CMD --help`.
  static func command(_ command: CommandDescription) -> [String] {
    var lines = usage(command) + ["", "\(command.title): \(command.summary)"]
    for paragraph in command.details { lines += [""] + wrapped(paragraph, indent: 0) }
    lines += section("flags", command.flags.map { (flagColumn($0), $0.summary) })
    lines += section("everywhere", GlobalFlags.all.map { (flagColumn($0), $0.summary) })
    lines += section("exit status", command.allExitStatus.map { (String($0.rawValue), $0.meaning) })
    if !command.examples.isEmpty {
      lines += ["", "examples"]
      for example in command.examples { lines += ["  \(example.line)"] + wrapped(example.purpose, indent: 6) }
    }
    return lines
  }

  /// The usage line, broken where it is long.
  static func usage(_ command: CommandDescription) -> [String] {
    let start = "usage: runic \(command.title)"
    return filled(start: start, usageParts(command), indent: start.count + 1)
  }

  // MARK: - Parts

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

  private static func flagColumn(_ flag: Flag) -> String { (flag.short.map { "\($0), " } ?? "") + flag.usage }

  private static func list(_ commands: [CommandDescription]) -> [String] {
    let left = commands.map(\.title)
    let column = max(16, (left.map(TextWidth.columns).max() ?? 0) + 2)
    return zip(left, commands).map { "  \(padded($0, column))\($1.summary)" }
  }

  private static func section(_ title: String, _ rows: [(String, String)]) -> [String] {
    if rows.isEmpty { return [] }
    let column = min(24, (rows.map { TextWidth.columns($0.0) }.max() ?? 0) + 2)
    return ["", title] + rows.flatMap { row(padded($0.0, column), $0.1, column: column) }
  }

  /// A name and what it is, the text in its own column; under the name where that is too long.
  private static func row(_ left: String, _ text: String, column: Int) -> [String] {
    let indent = column + 2
    let lines = wrapped(text, indent: indent)
    if TextWidth.columns(left) > column { return ["  \(left)"] + lines }
    guard let first = lines.first else { return ["  \(left)"] }
    return ["  \(left)\(first.dropFirst(indent))"] + lines.dropFirst()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TextWidth.columns(text)))
  }

  private static func wrapped(_ text: String, indent: Int) -> [String] {
    let words = text.split(separator: " ").map(String.init)
    guard let first = words.first else { return [] }
    let margin = String(repeating: " ", count: indent)
    return filled(start: margin + first, Array(words.dropFirst()), indent: indent)
  }

  /// Puts parts after the start, a space before each, on as many lines as it takes.
  private static func filled(start: String, _ parts: [String], indent: Int) -> [String] {
    var lines: [String] = []
    var line = start
    for part in parts {
      if TextWidth.columns(line) + 1 + TextWidth.columns(part) > width {
        lines.append(line)
        line = String(repeating: " ", count: indent) + part
      } else {
        line += " " + part
      }
    }
    return lines + [line]
  }
}
