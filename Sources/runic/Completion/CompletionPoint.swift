/// Where in a command line the cursor stands: what may come next, and what was said before it.
struct CompletionPoint {
  /// What the word under the cursor is.
  enum Place {
    /// A word of a command's name. Commands of one word may go on with an argument.
    case name(soFar: [String])
    case argument
    /// A flag's value; the prefix is what stands before it in the same word.
    case value(Flag, prefix: String)
    case flag
    case nothing
  }

  private(set) var place = Place.nothing
  /// The command, as far as it is settled; with `.name`, the one that the words so far make.
  private(set) var command: CommandDescription?
  private(set) var positionals: [String] = []
  /// The flags before the cursor, by their long names.
  private(set) var flags: [(name: String, value: String?)] = []
  /// What is there of the value under the cursor.
  private(set) var typed = ""
  /// The commands that begin with the first word; all of them where there is none yet.
  private(set) var family: [CommandDescription]

  private var nameWords: [String] = []
  private var isSettled = false
  private var isPastDashes = false
  private var pending: Flag?

  /// - Parameter words: those between the program's name and the cursor's.
  init(words: [String], current: String, commands: [CommandDescription]) {
    family = commands.filter { !$0.isHidden }
    for word in words where !take(word) { return }
    typed = current
    place = placeOfCurrent()
  }

  /// The flags that may still be given.
  ///
  /// - Parameter ofCommandAlone: whether to leave out those that every command takes.
  func openFlags(ofCommandAlone: Bool = false) -> [Flag] {
    let described = command.map(\.flags) ?? []
    let given = flags.map(\.name)
    let excluded = ((command?.exclusive ?? []) + GlobalFlags.exclusive)
      .filter { !Set($0).isDisjoint(with: given) }.flatMap { $0 }
    return (described + (ofCommandAlone ? [] : GlobalFlags.all)).filter { flag in
      flag.isRepeatable || !(given.contains(flag.long) || excluded.contains(flag.long))
    }
  }

  /// The value of a flag before the cursor.
  func flag(_ name: String) -> String? { flags.last { $0.name == name }?.value }

  // MARK: - Words before the cursor

  /// Takes a whole word; false where no command fits any more.
  private mutating func take(_ word: String) -> Bool {
    if let flag = pending {
      flags.append((flag.long, word))
      pending = nil
    } else if !isPastDashes, word == "--" {
      isPastDashes = true
      settle()
    } else if !isPastDashes, FlagSyntax.looksLikeFlag(word) {
      takeFlag(word)
    } else {
      return takeName(word)
    }
    return true
  }

  private mutating func takeFlag(_ word: String) {
    let isLong = word.utf8.starts(with: "--".utf8)
    let (name, value) = isLong ? FlagSyntax.split(word) : (String(word.prefix(2)), nil)
    guard let flag = described(name) else { return }
    let attached = isLong ? value : word.count > 2 ? String(word.dropFirst(2)) : nil
    if flag.value != nil, attached == nil { pending = flag } else { flags.append((flag.long, attached)) }
  }

  private mutating func takeName(_ word: String) -> Bool {
    if isSettled {
      positionals.append(word)
      return command != nil
    }
    let named = family.filter { $0.name.starts(with: nameWords + [word]) }
    if !named.isEmpty {
      family = nameWords.isEmpty ? named : family
      nameWords.append(word)
      command = family.first { $0.name == nameWords }
      isSettled = nameWords.count == 2 || family.allSatisfy { $0.name.count == 1 }
      return true
    }
    settle()
    positionals.append(word)
    return command != nil
  }

  private mutating func settle() { isSettled = !nameWords.isEmpty }

  private func described(_ spelling: String) -> Flag? {
    if let flag = command?.flag(spelling) { return flag }
    return (family.flatMap(\.flags) + GlobalFlags.all).first { $0.isSpelled(spelling) }
  }

  // MARK: - The word under the cursor

  private func isFlagLike(_ word: String) -> Bool { word.utf8.first == UInt8(ascii: "-") && !isPastDashes }

  /// Of a list, `claude,co`, the last part is what is being typed.
  private mutating func valuePlace(_ flag: Flag, prefix: String) -> Place {
    guard flag.isRepeatable, let comma = typed.lastIndex(of: ",") else { return .value(flag, prefix: prefix) }
    let begun = typed[...comma]
    typed = String(typed[typed.index(after: comma)...])
    return .value(flag, prefix: prefix + begun)
  }

  private mutating func placeOfCurrent() -> Place {
    if let flag = pending { return valuePlace(flag, prefix: "") }
    if isFlagLike(typed) {
      let (name, value) = FlagSyntax.split(typed)
      guard let value else { return .flag }
      guard let flag = described(name), flag.value != nil else { return .nothing }
      typed = value
      return valuePlace(flag, prefix: "\(name)=")
    }
    if !isSettled { return .name(soFar: nameWords) }
    return .argument
  }

  /// What may also stand where an optional argument was left out: `record KIND [ID] KEY=VALUE…`.
  var argumentInItsPlace: Argument? {
    guard let argument, argument.presence == .optional, let arguments = command?.arguments,
      let next = arguments.indices.first(where: { $0 > positionals.count })
    else { return nil }
    return arguments[next].kind == .assignment ? arguments[next] : nil
  }

  /// The argument that the next word is.
  var argument: Argument? {
    guard let arguments = command?.arguments else { return nil }
    if positionals.count < arguments.count { return arguments[positionals.count] }
    return arguments.last.flatMap { $0.isRepeating ? $0 : nil }
  }
}
