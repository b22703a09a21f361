/// Prints help as text or, under `--json`, as JSON.
struct HelpPrinter {
  let context: Context

  private var text: HelpText { HelpText(columns: context.output.style.width) }
  private var descriptions: [CommandDescription] { context.commands.map(\.description) }

  func overview() -> ExitStatus { show(text.overview(descriptions), descriptions) }

  func group(_ word: String) -> ExitStatus {
    let members = CommandFinder(context.table).group(word).map(\.description)
    return show(text.group(word, members), members)
  }

  func command(_ description: CommandDescription) -> ExitStatus {
    show(text.command(description), [description])
  }

  /// One of the pages that are about no command, by the word that `help` is given for it; nil for other words.
  func page(_ word: String) -> ExitStatus? {
    switch word {
    case "runic": show(text.page(Manual(context.commands).overview), descriptions)
    case "concepts": show(text.page(Concepts.page), [])
    default: nil
    }
  }

  private func show(_ lines: [String], _ described: [CommandDescription]) -> ExitStatus {
    if context.output.style.wantsJSON {
      context.output.json(HelpJSON.document(described))
    } else {
      for line in lines { context.output.line(line) }
    }
    return .done
  }
}
