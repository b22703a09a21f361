/// Finds what a person meant by the first digits of an id.
public enum UniquePrefix {
  /// Fewer digits are no id: they would fit by accident.
  public static let least = 4

  /// The one candidate whose name is `text` or begins with it; nil where there is none.
  ///
  /// - Throws: `RunicError.ambiguous` where there are several.
  public static func find<Candidate>(
    _ text: String, in candidates: some Sequence<Candidate>, name: (Candidate) -> String
  ) throws(RunicError) -> Candidate? {
    let digits = Array(text.utf8)
    var found: [Candidate] = []
    for candidate in candidates {
      let full = name(candidate).utf8
      if full.elementsEqual(digits) { return candidate }
      if digits.count >= least, full.starts(with: digits) { found.append(candidate) }
    }
    guard found.count < 2 else { throw .ambiguous(prefix: text, candidates: found.map(name).sorted()) }
    return found.first
  }
}
