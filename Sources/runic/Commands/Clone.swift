import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic clone REMOTE`.
let cloneCommand = Command(
  description: CommandDescription(
    "clone", summary: "make this machine a device of a repository that lies at a remote", group: .start,
    arguments: [Argument("REMOTE", .required, kind: .address)],
    flags: [
      Flag("--name", value: "N", kind: .newName, "what to call this device (the machine's name)"),
      Flag("--remote", value: "NAME", kind: .newName, "what to call the remote (origin)"),
      Flag(
        "--key-file", value: "F", kind: .file,
        "read what 'runic key export' printed, in place of a passphrase"),
      SyncCommands.noRetry,
    ],
    exitStatus: [.unreachable, .damaged, .wrongKey, .busy],
    details: ["Nothing is written before the key or passphrase has been found to be the right one."],
    examples: [
      Example("runic clone /mnt/nas/runic", "asks for the passphrase"),
      Example("runic clone /mnt/nas/runic --key-file key.txt", "opens it with an exported key"),
    ])
) { invocation, context in
  let path = try Session.path(invocation, context)
  let name = invocation.flag("--remote") ?? "origin"
  let deviceName = try invocation.flag("--name").map(Session.deviceName)
  let (repository, outcome) = try KeySource.hinting {
    try Interrupt.clearing(path, in: context.fileSystem) {
      let repository = try Repository.clone(
        from: Session.address(try invocation.required(0)), named: name, to: path,
        deviceName: deviceName, unlock: try KeySource.unlock(invocation, context),
        environment: Session.environment(invocation, context))
      return (repository, try KeySource.goingOn { try repository.pull(name, strategy: nil) })
    }
  }
  context.output.clearProgress()
  SyncReport.warn(outcome, context.output)
  context.output.result(
    "cloned repository \(repository.id.hex) to \(path), as device \(repository.deviceName): "
      + "\(counted(outcome.fetchedCount, "change")) came",
    [
      "device": .text(repository.deviceID.hex), "deviceName": .text(repository.deviceName),
      "fetchedCount": .integer(outcome.fetchedCount), "path": .text(path),
      "pending": .array(outcome.pending.map(SyncReport.json)), "repository": .text(repository.id.hex),
    ])
  return outcome.foundDamage ? .damaged : .done
}

/// Where the key of a repository at a remote comes from.
enum KeySource {
  /// `--key-file`, else the passphrase, which is asked for only once there is something that it may open.
  static func unlock(_ invocation: Invocation, _ context: Context) throws -> Unlock {
    guard let file = invocation.flag("--key-file") else {
      let context = context
      return .passphrase { try Session.passphrase(invocation, context, confirm: false) }
    }
    var text = try read(file)
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

  private static func read(_ path: String) throws -> [UInt8] {
    do throws(OutputError) {
      let descriptor = path == "-" ? 0 : try System.openFile(path, writable: false)
      defer { if path != "-" { System.closeDescriptor(descriptor) } }
      var all: [UInt8] = []
      while all.count <= Passphrase.limit {
        let bytes = try System.read(descriptor, limit: 4096)
        if bytes.isEmpty { return all }
        all += bytes
      }
    } catch {
      throw CommandFailure.failed(
        "cannot read the key file '\(path)': \(System.message(error.code))", hint: fileHint)
    }
    throw CommandFailure.failed("'\(path)' is too long for a key", hint: fileHint)
  }
}
