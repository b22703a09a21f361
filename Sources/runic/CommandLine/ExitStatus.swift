/// How a run ends: the number that the shell sees.
///
/// Scripts rely on the numbers, so none ever changes its meaning.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case usage = 2
  case waiting = 3
  case unreachable = 4
  case damaged = 5
  case wrongKey = 6
  case busy = 7
  case noRepository = 8
  case warning = 10
  case critical = 11
  case interrupted = 130

  /// What the number says, for help texts and man pages: one clause, lower case.
  var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "failed: nothing was done, or not all of it"
    case .usage: "the command line is wrong: an unknown command, flag or kind, or a value out of bounds"
    case .waiting: "done, but something waits: open conflicts, or objects that have not arrived"
    case .unreachable: "a remote cannot be reached"
    case .damaged: "damage, a rollback or a fork was found"
    case .wrongKey: "wrong key or passphrase"
    case .busy: "another process holds the repository"
    case .noRepository: "there is no repository here"
    case .warning: "an alert is at its warning threshold"
    case .critical: "an alert is at its critical threshold"
    case .interrupted: "interrupted"
    }
  }
}
