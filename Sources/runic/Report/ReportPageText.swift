import RunicCore

/// Text made harmless in a page.
enum ReportPageText {
  /// Fit for the inside of an element and of a quoted attribute, whatever the text holds: markup means nothing,
  /// controls and marks of writing direction are shown as what they are.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in Escaping.oneLine(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}

/// Markup in the making. Text goes through `text` or an attribute's value, and so is escaped; only `raw` is not.
struct PageWriter {
  private(set) var html = ""

  /// Markup of the program's own.
  mutating func raw(_ markup: String) { html += markup }

  mutating func text(_ text: String) { html += ReportPageText.escaped(text) }

  /// An element on a line of its own.
  mutating func element(
    _ name: StaticString, _ attributes: [(name: StaticString, value: String)] = [],
    _ inside: (inout PageWriter) -> Void
  ) {
    open(name, attributes)
    inside(&self)
    html += "</\(name)>\n"
  }

  mutating func element(
    _ name: StaticString, _ attributes: [(name: StaticString, value: String)] = [], text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  /// An element without an end.
  mutating func open(_ name: StaticString, _ attributes: [(name: StaticString, value: String)] = []) {
    html += "<\(name)"
    for (name, value) in attributes { html += " \(name)=\"\(ReportPageText.escaped(value))\"" }
    html += ">"
  }
}
