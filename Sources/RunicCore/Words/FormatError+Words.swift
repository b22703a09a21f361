import CanonicalJSON
import ObjectStore

extension FormatError {
  /// Why bytes are not what they should be. Failed authentication says no more than that.
  package var words: String {
    switch self {
    case .length: "it is cut, or longer than it should be"
    case .magic: "it is no file of runic"
    case .newerFormat(let version): "it needs format \(version)"
    case .foreign: "it belongs to another place"
    case .keyNotHeld: "it was written with a key that is not held here"
    case .authentication: "its bytes were changed"
    case .compression: "it cannot be inflated"
    case .content(let rule): "it breaks a rule of the format (\(rule))"
    }
  }

  /// What helps where a whole file breaks a rule.
  package static let cureOfBroken = "only the device that wrote it can mend that"

  /// The same as a sentence about a file.
  package func words(of subject: String) -> String {
    switch self {
    case .newerFormat(let version):
      "\(subject) has format \(version), which is newer than what this runic reads"
    case .keyNotHeld: "\(subject) was written with a key that is not held here"
    default: "\(subject) is damaged: \(words)"
    }
  }
}

extension JSONError {
  /// What is wrong with a JSON text, and at which byte.
  package var words: String { "\(message) at byte \(position)" }
}

extension SystemError {
  /// What the call was about and what the system says.
  package var words: String { "\(path.isEmpty ? call : "\(call) \(path)"): \(said)" }

  /// What the system says, in its own words, lower case.
  package var said: String { reason.prefix(1).lowercased() + reason.dropFirst() }
}

extension CommitTooLarge {
  package var words: String {
    "a commit of \(length) bytes is too large: at most \(Limits.commit) bytes are taken"
  }
}

extension FileDidNotArrive {
  package var words: String { "\(remote): \(name.path) did not arrive as it was sent" }
}
