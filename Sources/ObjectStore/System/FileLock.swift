/// The lock was held by another process for as long as the caller was ready to wait.
public struct LockTimeout: Error, Equatable, Sendable {
  public let path: String
  /// How long was waited, in milliseconds.
  public let waited: Int64

  public init(path: String, waited: Int64) {
    self.path = path
    self.waited = waited
  }
}

/// An exclusive lock on a file, given back when its owner goes or the process ends, however it ends.
public struct FileLock: ~Copyable {
  private let file: OpenFile

  private init(_ file: consuming OpenFile) { self.file = file }

  /// Takes the lock, looking again at growing intervals for at most `wait` milliseconds.
  public static func acquire(
    _ path: String, wait: Int64, in fileSystem: any FileSystem, clock: Clock
  ) throws -> FileLock {
    let file = try OpenFile(path, .openOrCreate(permissions: 0o600), in: fileSystem)
    let begin = clock.ticks()
    var pause: Int64 = 1
    while try !fileSystem.lock(file.descriptor) {
      let waited = clock.ticks() &- begin
      if waited >= wait { throw LockTimeout(path: path, waited: waited) }
      clock.sleep(min(pause, max(1, wait &- waited)))
      pause = min(pause * 2, 20)
    }
    return FileLock(file)
  }

  /// Takes the lock if nobody holds it.
  public static func acquireIfFree(
    _ path: String, in fileSystem: any FileSystem
  ) throws(SystemError) -> FileLock? {
    let file = try OpenFile(path, .openOrCreate(permissions: 0o600), in: fileSystem)
    guard try fileSystem.lock(file.descriptor) else { return nil }
    return FileLock(file)
  }
}
