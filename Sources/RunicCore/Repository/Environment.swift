import ObjectStore

/// What the core needs of the world around it, passed in so that tests can stand in for any of it.
public struct Environment: Sendable {
  public let fileSystem: any FileSystem
  public let clock: Clock
  public let random: RandomSource
  /// Runs a command of the user's that prints the repository's keys in place of the key file; nil where the embedding
  /// program runs none.
  public var keyCommand: (@Sendable (String) throws -> [UInt8])?
  /// How long to wait for another process that holds the repository's lock, in milliseconds.
  public var lockWait: Int64
  /// How remotes over a line are reached; nil where the embedding program runs no other programs.
  public var remotes: RemoteOptions?
  /// Opens what stands at an address in a test's world; nil for an address that means what it always does.
  package var testRemote: (@Sendable (String) -> (any Remote)?)?
  /// Called often in whatever may take long, on the thread that does it; it must return at once.
  public var progress: (@Sendable (Progress) -> Void)?
  /// Heads that were read, by whatever repository of this environment.
  public let heads: HeadCache
  /// The product keeps all of them.
  package var laws = EngineLaws.standard

  public init(
    fileSystem: any FileSystem, clock: Clock, random: RandomSource, heads: HeadCache = HeadCache(),
    lockWait: Int64 = 30_000, keyCommand: (@Sendable (String) throws -> [UInt8])? = nil,
    remotes: RemoteOptions? = nil
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.random = random
    self.heads = heads
    self.lockWait = lockWait
    self.keyCommand = keyCommand
    self.remotes = remotes
  }

  public static var system: Environment {
    Environment(
      fileSystem: PosixFileSystem(), clock: .system, random: .system, remotes: .system(.system))
  }
}
