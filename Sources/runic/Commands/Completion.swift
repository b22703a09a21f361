import CanonicalJSON

/// `runic completion SHELL`.
let completionCommand = Command(
  description: CommandDescription(
    "completion", summary: "print the script that completes runic in a shell", group: .program,
    arguments: [Argument("SHELL", .required, choices: CompletionShell.allCases.map(\.rawValue))],
    details: [
      "'make install' and the Debian package put the scripts where the shells look for them. By hand: bash reads "
        + "~/.local/share/bash-completion/completions/runic, fish ~/.config/fish/completions/runic.fish, zsh a file "
        + "_runic in any folder of its fpath.",
      "The scripts ask the program what may come next, so they fit every version of it. Nothing is asked of a "
        + "remote, and never for a passphrase.",
    ],
    examples: [
      Example("source <(runic completion bash)", "completes in this bash"),
      Example(
        "mkdir -p ~/.config/fish/completions && runic completion fish > ~/.config/fish/completions/runic.fish",
        "completes in every fish from now on"
      ),
    ])
) { invocation, context in
  guard let shell = CompletionShell(rawValue: try invocation.required(0)) else { return .usage }
  if context.output.style.wantsJSON {
    context.output.json([
      "file": .text(shell.fileName), "script": .text(shell.script), "shell": .text(shell.rawValue),
    ])
  } else {
    context.output.write(Array(shell.script.utf8))
  }
  return .done
}
