import ObjectStore

/// `runic __man DIR`: writes the man pages.
let manualCommand = Command(
  description: CommandDescription(
    "__man", summary: "write the man pages into a folder", group: .program,
    arguments: [Argument("DIR", .required, kind: .directory)], isHidden: true)
) { invocation, context in
  let folder = Session.absolute(try invocation.required(0))
  let manual = Manual(context.commands)
  for page in manual.pages {
    let file = manual.file(of: page)
    let path = "\(folder)/\(file.name)"
    try context.fileSystem.writeDurably(
      Array(file.text.utf8), to: path, by: path + ".part", permissions: 0o644)
  }
  return .done
}
