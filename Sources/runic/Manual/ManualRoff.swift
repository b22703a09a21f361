/// Writes a page in the macros of man(7), as mandoc and groff read them.
struct ManualRoff {
  /// The date that the pages bear, and the version.
  static let date = runicReleaseDate

  private var lines: [String] = []
  /// Longer lines are no error, but mandoc asks for less than 80.
  private static let width = 76

  static func text(_ page: ManualPage, titles: [String]) -> String {
    var roff = ManualRoff()
    roff.head(page)
    for section in page.sections { roff.section(section) }
    roff.seeAlso(page, titles)
    return roff.lines.joined(separator: "\n") + "\n"
  }

  private mutating func head(_ page: ManualPage) {
    lines.append(#".\" Made by 'make man' from the command line's own descriptions; not edited by hand."#)
    let title = Self.escaped(page.name.uppercased())
    lines.append(".TH \(title) \(page.volume) \(Self.date) \"runic \(runicVersion)\" \"runic manual\"")
    // Flags are to be copied: no line is broken within one, nor filled up with spaces.
    lines += [".nh", ".ad l", ".SH NAME"]
    fill([Self.escaped(page.name), "\\-"] + Self.words(page.summary))
    guard let first = page.synopsis.first else { return }
    lines.append(".SH SYNOPSIS")
    fill(["\\fB\(Self.escaped(first))\\fR"] + page.synopsis.dropFirst().flatMap(Self.unbroken))
  }

  private mutating func section(_ section: ManualPage.Section) {
    lines.append(".SH \(Self.escaped(section.title.uppercased()))")
    for (index, block) in section.blocks.enumerated() {
      switch block {
      case .paragraph(let text):
        if index > 0 { lines.append(".PP") }
        fill(Self.words(text))
      case .terms(let rows):
        for row in rows {
          lines += [".TP", "\\fB\(Self.escaped(row.name))\\fR"]
          fill(Self.words(row.text))
        }
      case .example(let example):
        if index > 0 { lines.append(".PP") }
        fill(Self.words(example.purpose + ":"))
        lines += [".PP", ".RS 4", ".nf", Self.line(Self.escaped(example.line)), ".fi", ".RE"]
      }
    }
  }

  /// The pages beside this one: of the same group of commands, or the two that tell of the whole.
  private mutating func seeAlso(_ page: ManualPage, _ titles: [String]) {
    let others = (["runic(1)", "runic(7)"] + titles).filter { $0 != "\(page.name)(\(page.volume))" }
    lines.append(".SH SEE ALSO")
    fill(
      others.enumerated().map { index, title in
        let parts = title.split(separator: "(", maxSplits: 1)
        let end = index == others.count - 1 ? "" : ","
        return "\\fB\(Self.escaped(String(parts[0])))\\fR(\(parts[1])\(end)"
      })
  }

  // MARK: - Text

  /// Fills lines, each sentence beginning a new one, as man pages are written.
  private mutating func fill(_ words: [String]) {
    var line = ""
    for word in words {
      if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > Self.width { flush(&line) }
      line += line.isEmpty ? word : " " + word
      if let last = word.last, ".!?".contains(last) { flush(&line) }
    }
    flush(&line)
  }

  private mutating func flush(_ line: inout String) {
    if !line.isEmpty { lines.append(Self.line(line)) }
    line = ""
  }

  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map { escaped(String($0)) }
  }

  /// A part of the synopsis, which no line end shall tear unless it is as long as a line.
  private static func unbroken(_ part: String) -> [String] {
    let whole = words(part).joined(separator: "\\ ")
    return whole.utf8.count > width ? words(part) : [whole]
  }

  /// A line of text that no formatter takes for a request.
  private static func line(_ text: String) -> String {
    text.first == "." || text.hasPrefix("\\(aq") ? "\\&" + text : text
  }

  /// The text with what roff would read as its own, or print as another character, written out.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "…": result += "..."
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result
  }
}
