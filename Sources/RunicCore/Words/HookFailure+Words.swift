import ObjectStore

extension HookFailure {
  /// Without what the hook itself said: it may hold a payload.
  package var words: String { "the hook \(hook.rawValue) \(reason.words)" }
}

extension HookFailure.Reason {
  /// How it ended, in words that follow its name.
  fileprivate var words: String {
    switch self {
    case .status(let status): "ended with status \(status)"
    case .timedOut(let seconds): "was ended after \(counted(seconds, "second"))"
    case .notExecutable: "cannot be run: its first line must name a program, as in #!/bin/sh"
    case .program(let error): error.words
    case .noInput: "was not run: what came cannot be read"
    }
  }
}

extension ProgramError {
  /// Why a program did not come to its end, in words that follow its name.
  package var words: String {
    switch self {
    case .missing(let program): "cannot be run: '\(program)' is not installed here"
    case .system(let cause): "has failed: \(cause.words)"
    case .timedOut: "took too long and was ended"
    case .interrupted: "was interrupted"
    case .tooMuchOutput: "printed more than is taken"
    }
  }
}
