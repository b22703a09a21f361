import ObjectStore
import RunicCore

/// Where the key of a repository at a remote comes from.
enum KeySource {
  /// `--key-file`, else the passphrase, which is asked for only once there is something that it may open.
  static func unlock(_ invocation: Invocation, _ context: Context) throws -> Unlock {
    guard let file = invocation.flag("--key-file") else {
      let context = context
      return .passphrase { try Session.passphrase(invocation, context, confirm: false) }
    }
    var text = try SecretFile.read(file, of: "key", hint: fileHint)
    let (repository, keys) = try KeyString.decode(&text)
    return .keys(keys, repository)
  }

  /// Where nothing can be reached there is no remote yet that could be checked.
  static func hinting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as RemoteError
      where error.reason == .unreachable || error.reason == .empty
    {
      throw commandFailure(for: error).hinting(
        "is the drive mounted? the machine that has the repository brings it there: 'runic push'")
    }
  }

  /// A clone that ends before all has come is there, and to be gone on with rather than begun again.
  static func goingOn<Result>(_ pull: () throws -> Result) throws -> Result {
    do { return try pull() } catch  where !Interrupt.isRequested {
      let failure = commandFailure(for: error)
      throw failure.hinting(
        "the clone is there, and 'runic pull' goes on\(failure.hint.map { "; \($0)" } ?? "")")
    }
  }

  private static let fileHint = "'runic key export > FILE' makes such a file"
}
