/// Prints help as text or, under `--json`, as JSON.
struct HelpPrinter {
  let context: Context

  private var descriptions: [CommandDescription] { context.commands.map(\.description) }

  func overview() -> ExitStatus { show(HelpText.overview(descriptions), descriptions) }

  func group(_ word: String) -> ExitStatus {
    let members = CommandFinder(commands: context.commands).group(word).map(\.description)
    return show(HelpText.group(word, members), members)
  }

  func command(_ description: CommandDescription) -> ExitStatus {
    show(HelpText.command(description), [description])
  }

  /// One of the pages that are about no command, by the word that `help` is given for it; nil for other words.
  func page(_ word: String) -> ExitStatus? {
    switch word {
    case "runic": show(HelpText.page(Manual(context.commands).overview), descriptions)
    case "concepts": show(HelpText.page(Concepts.page), [])
    default: nil
    }
  }

  private func show(_ lines: [String], _ described: [CommandDescription]) -> ExitStatus {
    if context.output.style.wantsJSON {
      context.output.json(HelpJSON.document(described))
    } else {
      for line in lines { context.output.paragraph(line) }
    }
    return .done
  }
}
