/// `runic help [COMMAND]`.
let helpCommand = Command(
  description: CommandDescription(
    "help", summary: "show what there is, or how a command is used", group: .program,
    arguments: [Argument("COMMAND", .repeating, kind: .command)],
    details: [
      "Without a command, lists all of them. With --json, prints every command, its arguments, flags and exit "
        + "statuses: what completions and man pages are made from.",
      "'runic help concepts' tells how records merge and what is promised, 'runic help runic' of the environment, "
        + "files and exit statuses.",
    ],
    examples: [Example("runic help remote add", "shows how a remote is added")])
) { invocation, context in
  let printer = HelpPrinter(context: context)
  let words = invocation.positionals
  guard let first = words.first else { return printer.overview() }
  let finder = CommandFinder(context.table)
  if let command = finder.command(named: words) { return printer.command(command.description) }
  if words.count == 1, let status = printer.page(first) { return status }
  let group = finder.group(first)
  if group.isEmpty { throw finder.unknown(first) }
  if words.count == 1 { return printer.group(first) }
  throw finder.unknown(words.dropFirst().joined(separator: " "), in: first, group)
}
