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

  /// `runic CMD --help`, `runic help CMD`.
  static func command(_ command: CommandDescription) -> [String] { page(ManualPage(command)) }

  /// A page of the manual as plain text.
  static func page(_ page: ManualPage) -> [String] {
    var lines: [String] = []
    if let first = page.synopsis.first {
      let start = "usage: \(first)"
      lines = filled(start: start, Array(page.synopsis.dropFirst()), indent: start.count + 1) + [""]
    }
    lines += wrapped("\(page.title): \(page.summary)", indent: 0)
    for section in page.sections { lines += self.section(section, isFirst: section.title == "description") }
    return lines
  }

  // MARK: - Parts

  private static func list(_ commands: [CommandDescription]) -> [String] {
    let left = commands.map(\.title)
    let column = max(16, (left.map(TextWidth.columns).max() ?? 0) + 2)
    return zip(left, commands).map { "  \(padded($0, column))\($1.summary)" }
  }

  /// A section under its title; the description needs none.
  private static func section(_ section: ManualPage.Section, isFirst: Bool) -> [String] {
    var lines = isFirst ? [] : ["", section.title]
    for (index, block) in section.blocks.enumerated() {
      switch block {
      case .paragraph(let text):
        if isFirst || index > 0 { lines.append("") }
        lines += wrapped(text, indent: isFirst ? 0 : 2)
      case .terms(let rows): lines += terms(rows)
      case .example(let example):
        lines += ["  \(example.line)"] + wrapped(example.purpose, indent: 6)
      }
    }
    return lines
  }

  private static func terms(_ rows: [(name: String, text: String)]) -> [String] {
    let column = min(24, (rows.map { TextWidth.columns($0.name) }.max() ?? 0) + 2)
    return rows.flatMap { row(padded($0.name, column), $0.text, column: column) }
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
