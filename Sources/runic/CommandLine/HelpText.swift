/// Help for people, made from the descriptions.
struct HelpText {
  private static let widest = 78
  /// Below this, what stands beside its name stands under it.
  private static let roomy = 60

  private let width: Int
  private let isForTerminal: Bool

  /// - Parameter columns: of the terminal; nil where there is none.
  init(columns: Int?) {
    width = min(Self.widest, max(20, columns ?? Self.widest))
    isForTerminal = columns != nil
  }

  private var isNarrow: Bool { width < Self.roomy }

  /// `runic` alone: what there is, by what it is for.
  func overview(_ commands: [CommandDescription]) -> [String] {
    var lines = usage("usage: runic", ["[--repo DIR]", "COMMAND", "[ARGUMENTS]"]) + [""]
    lines += wrapped(
      "Records usage, preferences and alerts on every machine, offline, and brings them together, encrypted, "
        + "through a folder that the machines share.")
    let visible = commands.filter { !$0.isHidden }
    for group in CommandGroup.allCases {
      let members = visible.filter { $0.group == group }
      if !members.isEmpty { lines += ["", group.rawValue] + list(members) }
    }
    return lines + [""]
      + wrapped("'runic COMMAND --help' tells more of a command, 'runic help --json' all of it.")
  }

  /// `runic remote`: the commands that begin with a word.
  func group(_ word: String, _ commands: [CommandDescription]) -> [String] {
    usage("usage: runic \(word)", ["COMMAND", "[ARGUMENTS]"]) + [""] + list(commands.filter { !$0.isHidden })
      + [""] + wrapped("'runic \(word) COMMAND --help' tells more.")
  }

  /// `runic CMD --help`, `runic help CMD`.
  func command(_ command: CommandDescription) -> [String] { page(ManualPage(command)) }

  /// A page of the manual as plain text.
  func page(_ page: ManualPage) -> [String] {
    var lines: [String] = []
    if let first = page.synopsis.first {
      lines = usage("usage: \(first)", Array(page.synopsis.dropFirst())) + [""]
    }
    lines += wrapped("\(page.title): \(page.summary)")
    for section in page.sections { lines += self.section(section, isFirst: section.title == "description") }
    return lines
  }

  // MARK: - Parts

  /// What is typed, the parts under each other; a part that is longer than a line is broken at its spaces.
  private func usage(_ start: String, _ parts: [String]) -> [String] {
    let indent = start.count < width / 2 ? start.count + 1 : 4
    let pieces = parts.flatMap { part in
      TextWidth.columns(part) > width - indent ? part.split(separator: " ").map(String.init) : [part]
    }
    return filled(start: start, pieces, indent: indent)
  }

  private func list(_ commands: [CommandDescription]) -> [String] {
    let longest = commands.map { TextWidth.columns($0.title) }.max() ?? 0
    let column = isNarrow ? 12 : max(16, longest + 2)
    return commands.flatMap { row($0.title, $0.summary, column: column) }
  }

  /// A section under its title; the description needs none.
  private func section(_ section: ManualPage.Section, isFirst: Bool) -> [String] {
    var lines = isFirst ? [] : ["", section.title]
    for (index, block) in section.blocks.enumerated() {
      switch block {
      case .paragraph(let text):
        if isFirst || index > 0 { lines.append("") }
        lines += wrapped(text, indent: isFirst ? 0 : 2)
      case .terms(let rows): lines += terms(rows)
      case .example(let example): lines += typed(example.line) + wrapped(example.purpose, indent: 6)
      }
    }
    return lines
  }

  /// A line to type; where it is longer than the terminal is wide,
  /// with `\` at the breaks, as a shell takes it.
  private func typed(_ line: String) -> [String] {
    if !isForTerminal || TextWidth.columns(line) + 2 <= width { return ["  \(line)"] }
    let words = line.split(separator: " ").map(String.init)
    let lines = filled(
      start: "  " + (words.first ?? ""), Array(words.dropFirst()), indent: 4, within: width - 2)
    return lines.dropLast().map { "\($0) \\" } + lines.suffix(1)
  }

  private func terms(_ rows: [(name: String, text: String)]) -> [String] {
    let column = min(isNarrow ? 6 : 24, (rows.map { TextWidth.columns($0.name) }.max() ?? 0) + 2)
    return rows.flatMap { row($0.name, $0.text, column: column) }
  }

  /// A name and what it is, the text in its own column; under the name where that is too long.
  private func row(_ name: String, _ text: String, column: Int) -> [String] {
    let indent = column + 2
    let lines = wrapped(text, indent: indent)
    let room = column - TextWidth.columns(name)
    guard room > 1, let first = lines.first else { return ["  \(name)"] + lines }
    return ["  \(name)" + String(repeating: " ", count: room) + first.dropFirst(indent)] + lines.dropFirst()
  }

  private func wrapped(_ text: String, indent: Int = 0) -> [String] {
    let words = text.split(separator: " ").map(String.init)
    guard let first = words.first else { return [] }
    let margin = String(repeating: " ", count: indent)
    return filled(start: margin + first, Array(words.dropFirst()), indent: indent)
  }

  /// Puts parts after the start, a space before each, on as many lines as it takes.
  private func filled(start: String, _ parts: [String], indent: Int, within limit: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = start
    for part in parts {
      if TextWidth.columns(line) + 1 + TextWidth.columns(part) > limit ?? width {
        lines.append(line)
        line = String(repeating: " ", count: indent) + part
      } else {
        line += " " + part
      }
    }
    return lines + [line]
  }
}
