/// Answers what may come next on a command line.
struct Completer {
  let commands: [CommandDescription]
  let values: LiveValues

  /// The candidates for the word under the cursor, in order: those that begin with what is there of it.
  func candidates(words: [String], current: String) -> [Candidate] {
    let point = CompletionPoint(words: words, current: current, commands: commands)
    let found =
      switch point.place {
      case .name(let words): names(after: words, point) + argument(point)
      case .argument: argument(point)
      case .value(let flag, let prefix):
        fitting(values.candidates(flag.kind, flag.choices, at: point), point.typed).map {
          $0.prefixed(prefix)
        }
      case .flag: point.openFlags().map(candidate) + argument(point)
      case .nothing: [Candidate]()
      }
    var seen: Set<String> = []
    return fitting(found, current).filter { seen.insert($0.text).inserted }
  }

  private func fitting(_ candidates: [Candidate], _ typed: String) -> [Candidate] {
    candidates.filter { $0.text.utf8.starts(with: typed.utf8) }
  }

  private func argument(_ point: CompletionPoint) -> [Candidate] {
    guard let argument = point.argument else {
      return point.typed.isEmpty ? point.openFlags(ofCommandAlone: true).map(candidate) : []
    }
    let found = values.candidates(argument.kind, argument.choices, at: point)
    guard let next = point.argumentInItsPlace else { return found }
    return found + values.candidates(next.kind, next.choices, at: point)
  }

  private func candidate(_ flag: Flag) -> Candidate { Candidate(flag.long, flag.summary) }

  /// The next words of commands' names.
  private func names(after words: [String], _ point: CompletionPoint) -> [Candidate] {
    let fitting = point.family.filter { $0.name.count > words.count }
    var names: [String] = []
    for name in fitting.map({ $0.name[words.count] }) where !names.contains(name) { names.append(name) }
    return names.map { name in
      let members = fitting.filter { $0.name[words.count] == name }
      let exact = members.first { $0.name.count == words.count + 1 }
      let below = members.compactMap { $0.name.count > words.count + 1 ? $0.name.last : nil }
      return Candidate(name, exact?.summary ?? below.joined(separator: ", "))
    }
  }
}
