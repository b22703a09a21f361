import ObjectStore

/// What the core needs of the world around it, passed in so that tests can stand in for any of it.
public struct Environment: Sendable {
  public let fileSystem: any FileSystem
  public let clock: Clock
  public let random: RandomSource
  /// How long to wait for another process that holds the repository's lock, in milliseconds.
  public var lockWait: Int64

  public init(
    fileSystem: any FileSystem, clock: Clock, random: RandomSource, lockWait: Int64 = 30_000
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.random = random
    self.lockWait = lockWait
  }

  public static var system: Environment {
    Environment(fileSystem: PosixFileSystem(), clock: .system, random: .system)
  }
}
