import CanonicalJSON

/// One thing that `doctor` looked at.
struct Finding {
  enum State: String {
    case fine = "ok"
    /// Something to mend, though nothing is lost.
    case amiss = "look"
    case damaged = "damaged"
  }

  /// What was looked at, in a word or two.
  let subject: String
  let state: State
  /// What was seen, in one clause.
  let words: String
  /// What to type or do; nil where nothing is amiss.
  let cure: String?

  static func fine(_ subject: String, _ words: String) -> Finding {
    Finding(subject: subject, state: .fine, words: words, cure: nil)
  }

  static func amiss(_ subject: String, _ words: String, cure: String) -> Finding {
    Finding(subject: subject, state: .amiss, words: words, cure: cure)
  }

  static func damaged(_ subject: String, _ words: String, cure: String) -> Finding {
    Finding(subject: subject, state: .damaged, words: words, cure: cure)
  }

  /// Something that could not be looked at.
  static func failed(_ subject: String, _ error: any Error) -> Finding {
    let failure = commandFailure(for: error)
    return Finding(
      subject: subject, state: failure.status == .damaged ? .damaged : .amiss, words: failure.message,
      cure: failure.hint ?? "mend that, then run 'runic doctor' again")
  }

  var json: JSONValue {
    [
      "cure": .text(cure), "message": .text(words), "state": .text(state.rawValue),
      "subject": .text(subject),
    ]
  }
}
