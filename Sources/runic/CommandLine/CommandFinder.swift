/// Finds the command that an argument list names, wherever flags stand between its words.
struct CommandFinder {
  /// What an argument list names.
  enum Found {
    case command(Command, rest: [String])
    /// The first word of commands of two words, and nothing that makes it one.
    case group(String)
    case nothing
  }

  private let table: CommandTable

  init(_ table: CommandTable) { self.table = table }

  /// The command, and the arguments without the words of its name.
  ///
  /// A name of two words is preferred to its first word alone, so `record usage` is not a kind given to `record`.
  func find(_ arguments: [String]) throws(CommandFailure) -> Found {
    guard let first = wordIndex(in: arguments, from: 0, flags: GlobalFlags.all) else { return .nothing }
    let word = arguments[first]
    let family = table.family(word)
    if family.isEmpty { throw unknown(word) }
    let flags = family.flatMap(\.description.flags) + GlobalFlags.all
    let second = wordIndex(in: arguments, from: first + 1, flags: flags)
    if let second, let command = family.first(where: { $0.description.name == [word, arguments[second]] }) {
      return .command(command, rest: removing([first, second], from: arguments))
    }
    if let command = family.first(where: { $0.description.name == [word] }) {
      return .command(command, rest: removing([first], from: arguments))
    }
    guard let second else { return .group(word) }
    throw unknown(arguments[second], in: word, family)
  }

  /// The command by its words, as `help` is given them.
  func command(named words: [String]) -> Command? {
    words.first.flatMap { table.family($0).first { $0.description.name == words } }
  }

  /// The commands whose name begins with that word.
  func group(_ word: String) -> [Command] { table.family(word) }

  /// Where the next word stands that is neither a flag nor a flag's value; nil past a `--`.
  private func wordIndex(in arguments: [String], from start: Int, flags: [Flag]) -> Int? {
    var index = start
    while index < arguments.count {
      let argument = arguments[index]
      if argument == "--" { return nil }
      if !FlagSyntax.looksLikeFlag(argument) { return index }
      let takesNext = flags.contains { $0.value != nil && $0.isSpelled(argument) }
      index += takesNext ? 2 : 1
    }
    return nil
  }

  private func removing(_ indices: [Int], from arguments: [String]) -> [String] {
    arguments.indices.filter { !indices.contains($0) }.map { arguments[$0] }
  }

  func unknown(_ word: String) -> CommandFailure {
    let visible = table.all.map(\.description).filter { !$0.isHidden }
    let names = visible.compactMap(\.name.first) + visible.filter { $0.name.count > 1 }.map(\.title)
    let nearest = Suggestion.nearest(to: word, among: names)
    return .usage(
      "'\(word)' is no runic command",
      hint: nearest.map { "did you mean 'runic \($0)'?" } ?? "see 'runic help'")
  }

  func unknown(_ word: String, in group: String, _ family: [Command]) -> CommandFailure {
    let names = family.map(\.description).filter { $0.name.count > 1 && !$0.isHidden }.compactMap(\.name.last)
    let nearest = Suggestion.nearest(to: word, among: names)
    return .usage(
      "'\(group) \(word)' is no runic command",
      hint: nearest.map { "did you mean 'runic \(group) \($0)'?" }
        ?? "after '\(group)' comes one of: \(names.joined(separator: ", "))")
  }
}
