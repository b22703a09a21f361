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

  private func show(_ lines: [String], _ described: [CommandDescription]) -> ExitStatus {
    if context.output.style.wantsJSON {
      context.output.json(HelpJSON.document(described))
    } else {
      for line in lines { context.output.paragraph(line) }
    }
    return .done
  }
}
