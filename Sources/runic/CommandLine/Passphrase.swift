/// Gets a passphrase from where the user keeps it. Never from an argument.
struct Passphrase {
  /// Longer ones are mistakes: a wrong file, a command that does not stop.
  static let limit = 64 * 1024

  let file: String?
  let environment: Environment

  /// Where it may be given, for whoever did not.
  private let sources: String

  init(
    file: String?, environment: Environment,
    sources: String = "--passphrase-file F, RUNIC_PASSPHRASE_COMMAND or RUNIC_PASSPHRASE"
  ) {
    self.file = file
    self.environment = environment
    self.sources = sources
  }

  /// Whether it comes from a person at the terminal.
  var isAsked: Bool {
    file == nil && environment.nonEmpty("RUNIC_PASSPHRASE_COMMAND") == nil
      && environment.bytes("RUNIC_PASSPHRASE") == nil
  }

  init(_ invocation: Invocation, environment: Environment) {
    self.init(file: invocation.passphraseFile, environment: environment)
  }

  /// `--passphrase-file`, else `RUNIC_PASSPHRASE_COMMAND`, else `RUNIC_PASSPHRASE`, else asked at the terminal,
  /// there twice where `confirm` asks for it. The bytes are the caller's to wipe.
  func read(confirm: Bool, prompt: String = "passphrase: ") throws -> [UInt8] {
    if let file {
      return try Self.trimmed(SecretFile.read(file, of: "passphrase", hint: Self.fileHint), from: "'\(file)'")
    }
    if let command = environment.nonEmpty("RUNIC_PASSPHRASE_COMMAND") {
      return try Self.trimmed(output(of: command), from: "the output of RUNIC_PASSPHRASE_COMMAND")
    }
    if let bytes = environment.bytes("RUNIC_PASSPHRASE") {
      return try Self.trimmed(bytes, from: "RUNIC_PASSPHRASE")
    }
    return try ask(prompt, confirm: confirm)
  }

  /// Drops exactly one newline at the end; refuses what is empty then.
  static func trimmed(_ bytes: [UInt8], from source: String) throws(CommandFailure) -> [UInt8] {
    let passphrase = bytes.last == UInt8(ascii: "\n") ? Array(bytes.dropLast()) : bytes
    if passphrase.isEmpty {
      throw .failed(
        "the passphrase in \(source) is empty", code: "empty-passphrase",
        hint: "nothing was done; a passphrase has at least one character")
    }
    return passphrase
  }

  private static let fileHint = "name a file that holds the passphrase and nothing else"

  private func output(of command: String) throws -> [UInt8] {
    let result = try Shell.run(command, limit: Self.limit)
    guard result.succeeded else {
      throw CommandFailure.failed(
        "RUNIC_PASSPHRASE_COMMAND \(result.ending)", code: "passphrase-command",
        hint: "run it by hand to see what is wrong; it must print the passphrase and nothing else")
    }
    guard result.isWhole else {
      throw CommandFailure.failed(
        "RUNIC_PASSPHRASE_COMMAND prints too much for a passphrase",
        hint: "it must print the passphrase and nothing else")
    }
    return result.output
  }

  private func ask(_ prompt: String, confirm: Bool) throws -> [UInt8] {
    guard let terminal = Terminal(), let first = try terminal.askInSecret(prompt) else {
      throw CommandFailure.failed(
        "a passphrase is needed, and there is no terminal to ask at", code: "no-passphrase",
        hint: "give it with \(sources)")
    }
    if first.isEmpty {
      throw CommandFailure.failed(
        "the passphrase is empty", code: "empty-passphrase",
        hint: "nothing was done; a passphrase has at least one character")
    }
    if confirm, try terminal.askInSecret("once more: ") != first {
      throw CommandFailure.failed(
        "the two passphrases differ", code: "passphrases-differ",
        hint: "nothing was done: run the command again")
    }
    return first
  }
}
