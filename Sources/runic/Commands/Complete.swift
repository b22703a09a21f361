/// `runic __complete SHELL -- LINE [BREAKS]`: what the shells' scripts ask.
let completeCommand = Command(
  description: CommandDescription(
    "__complete", summary: "say what may come next on a command line", group: .program,
    arguments: [
      Argument("SHELL", .required, choices: CompletionShell.allCases.map(\.rawValue)),
      Argument("LINE", .required, kind: .text), Argument("BREAKS", .optional, kind: .text),
    ], isHidden: true)
) { invocation, context in
  guard let shell = CompletionShell(rawValue: try invocation.required(0)) else { return .done }
  let line = ShellLine(try invocation.required(1), breaks: invocation.positional(2) ?? "")
  // Assignments may stand before the program's name.
  let words = line.words.drop { $0.contains("=") && !$0.contains("/") }.dropFirst()
  let completer = Completer(
    commands: context.commands.map(\.description), values: LiveValues(context: context))
  for candidate in completer.candidates(words: Array(words), current: line.current) {
    if let text = CandidateText.line(candidate, for: shell, line) { context.output.line(text) }
  }
  return .done
}
