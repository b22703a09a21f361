import ObjectStore

/// A private folder for files on their way from a remote, locked as long as its process lives: so the next
/// command can tell a transfer that goes on from one that was cut off.
struct TransferFolder: ~Copyable {
  let path: String
  private let fileSystem: any FileSystem
  private let lock: FileLock

  private static let lockName = "lock"

  init(in repository: Repository) throws {
    fileSystem = repository.environment.fileSystem
    path = "\(repository.layout.temporary)/\(Hexadecimal.encode(repository.environment.random.bytes(8)))"
    // Made under the repository's lock, so that nobody takes it for abandoned before it is locked itself.
    lock = try Self.make(path, under: try repository.lock(), in: fileSystem)
  }

  private init(at path: String, in fileSystem: any FileSystem) throws {
    self.path = path
    self.fileSystem = fileSystem
    lock = try Self.make(path, in: fileSystem)
  }

  /// The path of a folder that is made when it is first asked for.
  static func path(of folder: inout TransferFolder?, in repository: Repository) throws -> String {
    if folder == nil { folder = try TransferFolder(in: repository) }
    return folder?.path ?? repository.layout.temporary
  }

  /// For what only reads: where the repository takes nothing, it lies in this side's folder for what is short-lived.
  static func forReading(_ repository: Repository) throws -> TransferFolder {
    do { return try TransferFolder(in: repository) } catch let error as SystemError where error.forbidsWriting
    {
      let environment = repository.environment
      guard let scratch = environment.remotes?.scratch else { throw error }
      let name = Hexadecimal.encode(environment.random.bytes(8))
      return try TransferFolder(at: "\(scratch)/runic-\(name)", in: environment.fileSystem)
    }
  }

  private static func make(
    _ path: String, under outer: consuming FileLock, in fileSystem: any FileSystem
  ) throws -> FileLock { try make(path, in: fileSystem) }

  private static func make(_ path: String, in fileSystem: any FileSystem) throws -> FileLock {
    try fileSystem.makeDirectory(path, permissions: 0o700)
    guard let lock = try FileLock.acquireIfFree("\(path)/\(lockName)", in: fileSystem) else {
      throw LockTimeout(path: path, waited: 0)
    }
    return lock
  }

  deinit { Self.remove(path, in: fileSystem) }

  /// Removes the folder of a process that is gone.
  static func removeIfAbandoned(_ path: String, in fileSystem: any FileSystem) throws {
    guard let lock = try lockIfFree(path, in: fileSystem) else { return }
    withExtendedLifetime(lock) { remove(path, in: fileSystem) }
  }

  /// Nil where somebody holds it, or its owner has just removed it.
  private static func lockIfFree(_ path: String, in fileSystem: any FileSystem) throws(SystemError)
    -> FileLock?
  {
    do throws(SystemError) {
      return try FileLock.acquireIfFree("\(path)/\(lockName)", in: fileSystem)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  private static func remove(_ path: String, in fileSystem: any FileSystem) {
    fileSystem.removeLeftoverTree(path)
  }
}
