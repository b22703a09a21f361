/// The commands of a program. A run makes the descriptions of the few that begin with its first word; those who talk
/// about all commands make all.
struct CommandTable: Sendable {
  private let makeAll: @Sendable () -> [Command]
  private let makeFamily: (@Sendable (String) -> [Command])?

  /// - Parameters:
  ///   - all: in the order in which help lists them within their group.
  ///   - family: those whose name begins with a word; nil finds them among all.
  init(all: @escaping @Sendable () -> [Command], family: (@Sendable (String) -> [Command])? = nil) {
    (makeAll, makeFamily) = (all, family)
  }

  init(_ commands: [Command]) { self.init(all: { commands }) }

  var all: [Command] { makeAll() }

  func family(_ word: String) -> [Command] {
    makeFamily?(word) ?? all.filter { $0.description.name.first == word }
  }
}
