/// Takes the arguments of one command apart, as its description says.
///
/// Flags and positional arguments may stand in any order. `--flag VALUE` and `--flag=VALUE` are the same, and so
/// are `-n 5`, `-n5` and, for switches, `-ab` and `-a -b`. After `--` everything is positional.
struct ArgumentParser {
  let description: CommandDescription
  private var arguments: ArraySlice<String>
  private var positionals: [String] = []
  private var flags: [(name: String, value: String?)] = []

  /// What the arguments, without the words of the command's name, say.
  static func parse(_ arguments: [String], for description: CommandDescription) throws(CommandFailure)
    -> Invocation
  {
    var parser = ArgumentParser(description: description, arguments: arguments[...])
    try parser.takeAll()
    try parser.checkFlags()
    try parser.checkPositionals()
    return Invocation(command: description, positionals: parser.positionals, flags: parser.flags)
  }

  private init(description: CommandDescription, arguments: ArraySlice<String>) {
    self.description = description
    self.arguments = arguments
  }

  private mutating func takeAll() throws(CommandFailure) {
    while let argument = arguments.popFirst() {
      if argument == "--" {
        positionals += arguments
        return
      }
      if !FlagSyntax.looksLikeFlag(argument) {
        positionals.append(argument)
      } else if argument.utf8.starts(with: "--".utf8) {
        try takeLong(argument)
      } else {
        try takeShort(argument)
      }
    }
  }

  private mutating func takeLong(_ argument: String) throws(CommandFailure) {
    let (name, value) = FlagSyntax.split(argument)
    guard let flag = description.flag(name) else { throw unknown(name) }
    guard flag.value != nil else {
      if value != nil { throw usage("\(name) takes no value") }
      return flags.append((flag.long, nil))
    }
    let text = if let value { value } else { try nextValue(of: flag) }
    flags.append((flag.long, try checked(text, of: flag)))
  }

  /// One dash, then one letter or several: switches, of which the last may be a flag with its value.
  private mutating func takeShort(_ argument: String) throws(CommandFailure) {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let flag = description.flag("-\(letter)") else { throw unknown("-\(letter)") }
      guard flag.value != nil else {
        flags.append((flag.long, nil))
        continue
      }
      let attached = letters.first == "=" ? letters.dropFirst() : letters
      let value = letters.isEmpty ? try nextValue(of: flag) : String(attached)
      return flags.append((flag.long, try checked(value, of: flag)))
    }
  }

  /// The argument after the flag. One that is itself written as a flag is a forgotten value, more likely than not.
  private mutating func nextValue(of flag: Flag) throws(CommandFailure) -> String {
    guard let next = arguments.first, !FlagSyntax.looksLikeFlag(next) else {
      let name = flag.value ?? "value"
      throw .usage(
        "\(flag.long) needs a value",
        hint: arguments.isEmpty
          ? "write '\(flag.long) \(name)'"
          : "a value that begins with a dash is written '\(flag.long)=\(name)'")
    }
    arguments.removeFirst()
    return next
  }

  private func checked(_ value: String, of flag: Flag) throws(CommandFailure) -> String {
    try check(value, isOneOf: flag.choices, for: flag.long)
    return value
  }

  private func check(_ value: String, isOneOf choices: [String], for name: String) throws(CommandFailure) {
    if choices.isEmpty || choices.contains(value) { return }
    let nearest = Suggestion.nearest(to: value, among: choices)
    throw .usage(
      "\(name) cannot be '\(value)'",
      hint: nearest.map { "did you mean '\($0)'?" } ?? "it is one of: \(choices.joined(separator: ", "))")
  }

  // MARK: - The whole

  private func checkFlags() throws(CommandFailure) {
    for (index, flag) in flags.enumerated() {
      guard let described = description.flag(flag.name), !described.isRepeatable, described.value != nil
      else { continue }
      if flags[..<index].contains(where: { $0.name == flag.name }) {
        throw usage("\(flag.name) was given twice")
      }
    }
    for set in description.exclusive + GlobalFlags.exclusive {
      let given = set.filter { name in flags.contains { $0.name == name } }
      if given.count > 1 { throw usage("\(given[0]) and \(given[1]) exclude each other") }
    }
  }

  private func checkPositionals() throws(CommandFailure) {
    let expected = description.arguments
    let required = expected.filter(\.isRequired)
    if positionals.count < required.count {
      throw usage("\(required[positionals.count].name) is missing")
    }
    if positionals.count > expected.count, expected.last?.isRepeating != true {
      throw usage("'\(positionals[expected.count])' is one argument too many")
    }
    for (argument, value) in zip(expected, positionals) {
      // One that can only be typed as it is called is no choice, but there or not.
      if argument.choices == [argument.name], value != argument.name {
        throw usage("'\(value)' is one argument too many")
      }
      try check(value, isOneOf: argument.choices, for: argument.name)
    }
  }

  private func unknown(_ name: String) -> CommandFailure {
    let names = (description.flags + GlobalFlags.all).map(\.long)
    let nearest = Suggestion.nearest(to: name, among: names)
    return usage("'\(name)' is an unknown flag", hint: nearest.map { "did you mean '\($0)'?" })
  }

  private func usage(_ message: String, hint: String? = nil) -> CommandFailure {
    // Without a command, only the flags that every command takes are known.
    if description.name.isEmpty { return .usage(message, hint: hint ?? "see 'runic help'") }
    return .usage("\(description.title): \(message)", hint: hint ?? "see 'runic \(description.title) --help'")
  }
}
