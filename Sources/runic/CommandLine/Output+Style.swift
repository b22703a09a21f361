/// What is known of the terminal before anything is printed.
struct TerminalFacts: Equatable, Sendable {
  var outputIsTerminal = false
  var messagesAreTerminal = false
  /// Columns, as the terminal itself says.
  var columns: Int?
  /// The same of the one behind standard error.
  var messageColumns: Int?
}

extension Output.Style {
  /// What follows from the flags, the environment and the terminal.
  ///
  /// `--color` and `--no-color` decide; then `NO_COLOR` (any text), then `TERM=dumb`, then whether there is a
  /// terminal.
  init(_ invocation: Invocation, environment: Environment, terminal: TerminalFacts) {
    self.init()
    isQuiet = invocation.isQuiet
    isVerbose = invocation.isVerbose
    wantsJSON = invocation.wantsJSON
    let isDumb = environment["TERM"] == "dumb"
    usesColor =
      invocation.isSet("--color")
      || (terminal.outputIsTerminal && !isDumb && environment.nonEmpty("NO_COLOR") == nil
        && !invocation.isSet("--no-color"))
    if terminal.outputIsTerminal {
      let stated = environment.nonEmpty("COLUMNS").flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
      width = stated ?? terminal.columns ?? 80
    }
    progressWidth = width ?? terminal.messageColumns ?? 80
    showsProgress = terminal.messagesAreTerminal && !isDumb && !invocation.hidesProgress && !wantsJSON
  }
}

/// Colours and weights, by what they mean.
enum Emphasis: Sendable {
  case strong, faint, good, warning, bad

  fileprivate var code: String {
    switch self {
    case .strong: "1"
    case .faint: "2"
    case .good: "32"
    case .warning: "33"
    case .bad: "31"
    }
  }
}

extension Output {
  /// The text in that colour, where colours are wanted. Widths are measured before, never after.
  func styled(_ text: String, _ emphasis: Emphasis) -> String {
    style.usesColor ? "\u{1B}[\(emphasis.code)m\(text)\u{1B}[0m" : text
  }
}
