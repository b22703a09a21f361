import CanonicalJSON

/// Why a command did not do what it was asked, in words: made at the edge, where errors that carry data end.
struct CommandFailure: Error, Equatable, Sendable {
  let status: ExitStatus
  /// A word for programs, such as `wrong-key`; it never changes.
  let code: String
  /// What happened to what: lower case, one line, without a full stop.
  let message: String
  /// What to do about it, with the command to type.
  let hint: String?

  init(_ status: ExitStatus, code: String, _ message: String, hint: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// A wrong command line.
  static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(.usage, code: "usage", message, hint: hint)
  }

  /// Anything that has no status of its own.
  static func failed(_ message: String, code: String = "failed", hint: String? = nil) -> CommandFailure {
    CommandFailure(.failed, code: code, message, hint: hint)
  }

  static let interrupted = CommandFailure(.interrupted, code: "interrupted", "interrupted")

  /// With the remote's name where the hint leaves it open.
  func naming(remote name: String) -> CommandFailure { hinting { $0.replacing("NAME", with: name) } }

  /// With its hint changed, where it has one.
  func hinting(_ change: (String) -> String) -> CommandFailure {
    CommandFailure(status, code: code, message, hint: hint.map(change))
  }

  /// With another hint.
  func hinting(_ hint: String) -> CommandFailure { CommandFailure(status, code: code, message, hint: hint) }

  /// `{"error":{"code","message","hint"}}`.
  var json: JSONValue {
    ["error": ["code": .text(code), "hint": .text(hint), "message": .text(message)]]
  }
}
