import CanonicalJSON
import ObjectStore
import RunicCore

/// What a command needs of the core, made from its flags and the environment.
enum Session {
  /// The core's environment for this run.
  static func environment(
    _ invocation: Invocation, _ context: Context
  ) throws -> RunicCore.Environment {
    let (path, fileSystem) = (try path(invocation, context), context.fileSystem)
    let outer = context.environment.nonEmpty(keysAsked)
    var environment = RunicCore.Environment(
      fileSystem: fileSystem,
      clock: Clock(now: context.now, ticks: Clock.system.ticks, sleep: Clock.system.sleep),
      random: context.random, lockWait: Int64(try invocation.lockWait() * 1000),
      keyCommand: { command in
        let asked = (outer ?? "") + "\n" + place(path, fileSystem)
        let result = try Shell.run(command, limit: Passphrase.limit, adding: [keysAsked: asked])
        guard result.succeeded else {
          throw CommandFailure.failed(
            "key.command \(result.ending)", code: "key-command",
            hint: "run it by hand to see what is wrong; it must print the key and nothing else")
        }
        return result.output
      },
      remotes: RemoteReporter(context.output, now: context.now).options(
        retries: !invocation.isSetIfDescribed("--no-retry")))
    environment.progress = ProgressReporter(context.output).show
    return environment
  }

  /// Where the repository of this run lies.
  static func path(_ invocation: Invocation, _ context: Context) throws -> String {
    try absolute(RepositoryPath.path(of: invocation, environment: context.environment))
  }

  /// What a `key.command` finds in its environment: the repositories whose keys are being asked for, a path a line.
  private static let keysAsked = "RUNIC_KEYS_ASKED"

  /// The repository's path, the same whatever links lead there.
  private static func place(_ path: String, _ fileSystem: any FileSystem) -> String {
    (try? fileSystem.resolved(path)) ?? path
  }

  /// Opens the repository of this run.
  ///
  /// Not for its own `key.command`: that would prove itself by the key file which it is to stand in for, and ask itself
  /// for the keys from then on.
  static func open(_ invocation: Invocation, _ context: Context) throws -> Repository {
    if let asked = context.environment.nonEmpty(keysAsked) {
      let place = place(try path(invocation, context), context.fileSystem)
      guard !asked.split(separator: "\n").contains(where: { $0 == place }) else {
        throw CommandFailure.failed(
          "key.command asks for the keys of '\(place)' there, where it is to bring them", code: "key-command",
          hint: "let it print what 'runic key export' once printed, from a place of its own, as a keychain")
      }
    }
    return try Repository.openFinishingJoin(
      at: path(invocation, context), environment: environment(invocation, context))
  }

  /// What a device is called, as it was typed.
  static func deviceName(_ typed: String) throws(CommandFailure) -> String {
    guard (1...256).contains(typed.utf8.count) else {
      throw .usage(
        "a device's name has 1 to 256 bytes", hint: "it is what people call this machine, as in laptop")
    }
    return typed
  }

  /// After an interrupt: removes what the next command would find among the temporary files.
  ///
  /// What cannot be removed now, since another process is at work, is left for that command.
  static func clearAway(_ invocation: Invocation, _ context: Context) {
    guard let files = context.fileSystem as? InterruptibleFileSystem,
      let path = try? path(invocation, context),
      let repository = try? Repository.open(
        at: path,
        environment: RunicCore.Environment(
          fileSystem: files.base, clock: Clock(now: context.now, sleep: { _ in }), random: context.random,
          lockWait: 0))
    else { return }
    try? repository.removeLeftovers()
  }

  /// The passphrase, from where the user keeps it.
  static func passphrase(
    _ invocation: Invocation, _ context: Context, confirm: Bool, prompt: String = "passphrase: "
  ) throws -> SecretBytes {
    var bytes = try Passphrase(invocation, environment: context.environment)
      .read(confirm: confirm, prompt: prompt)
    return SecretBytes(taking: &bytes)
  }

  /// A path that means the same from wherever it is used.
  static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let folder = System.workingDirectory else { return path }
    var rest = path[...]
    while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
    return rest.isEmpty || rest == "." ? folder : "\(folder == "/" ? "" : folder)/\(rest)"
  }

  /// A remote's address as it is kept: a folder's path from the root on, anything else as it was typed. An empty
  /// one, as a script types whose variable is not set, does not become the working directory.
  static func address(_ typed: String) -> String {
    typed.isEmpty || !Repository.isPlainPath(typed) ? typed : absolute(typed)
  }
}
