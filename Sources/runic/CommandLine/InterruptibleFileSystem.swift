import ObjectStore
import Synchronization

extension Interrupt {
  /// Makes something new in a folder. An interrupt takes away all that was made, so that a second attempt begins from
  /// nothing; what was there before stays.
  static func clearing<Result>(
    _ folder: String, in fileSystem: any FileSystem, _ make: () throws -> Result
  ) throws -> Result {
    // Where it really lies: what is made is known by that.
    let folder = try fileSystem.resolved(folder)
    do {
      let result = try make()
      try check()
      return result
    } catch {
      if isRequested { fileSystem.removeLeftoverTree(folder) }
      throw error
    }
  }
}

/// A file system whose every call fails once the user has asked the run to stop.
///
/// So an interrupt is like a disk that fails: whatever goes on ends at the next file it touches, in a way that loses
/// nothing, and each owner of a temporary file removes it on the way out. For that alone some calls still go
/// through: looking into folders, and removing what this run itself made.
final class InterruptibleFileSystem: FileSystem {
  /// The file system itself, for what is done after an interrupt.
  let base: any FileSystem
  private let isInterrupted: @Sendable () -> Bool
  /// Files and folders that this run made and has not removed or moved since.
  private let made = Mutex<Set<String>>([])

  init(
    _ base: any FileSystem, isInterrupted: @escaping @Sendable () -> Bool = { Interrupt.isRequested }
  ) {
    self.base = base
    self.isInterrupted = isInterrupted
  }

  private func check(_ call: String, _ path: String = "") throws(SystemError) {
    if isInterrupted() { throw SystemError(call: call, path: path, code: System.interruptedCall) }
  }

  private func checkRemoval(_ call: String, of path: String) throws(SystemError) {
    if isInterrupted(), !isOurs(path) {
      throw SystemError(call: call, path: path, code: System.interruptedCall)
    }
  }

  /// Whether this run made it, or a folder above it: programs that it started write into its folders.
  private func isOurs(_ path: String) -> Bool {
    made.withLock { made in
      var place = path
      while !made.contains(place) {
        let above = parent(of: place)
        if above == place || above == "." { return false }
        place = above
      }
      return true
    }
  }

  // MARK: - Open files

  func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    try check("open", path)
    let descriptor = try base.open(path, mode)
    switch mode {
    case .create, .openOrCreate: _ = made.withLock { $0.insert(path) }
    case .read, .update: break
    }
    return descriptor
  }

  func close(_ descriptor: Int32) { base.close(descriptor) }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try check("pread")
    return try base.read(descriptor, into: buffer, at: offset)
  }

  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try check("pwrite")
    return try base.write(descriptor, bytes, at: offset)
  }

  func sync(_ descriptor: Int32) throws(SystemError) {
    try check("fsync")
    try base.sync(descriptor)
  }

  func truncate(_ descriptor: Int32, to length: Int64) throws(SystemError) {
    try check("ftruncate")
    try base.truncate(descriptor, to: length)
  }

  func status(_ descriptor: Int32) throws(SystemError) -> FileStatus {
    try check("fstat")
    return try base.status(descriptor)
  }

  func lock(_ descriptor: Int32) throws(SystemError) -> Bool {
    try check("flock")
    return try base.lock(descriptor)
  }

  // MARK: - Names

  func status(_ path: String) throws(SystemError) -> FileStatus? {
    try check("lstat", path)
    return try base.status(path)
  }

  func readLink(_ path: String) throws(SystemError) -> String {
    try check("readlink", path)
    return try base.readLink(path)
  }

  func rename(_ source: String, to target: String) throws(SystemError) {
    try check("rename", source)
    try base.rename(source, to: target)
    made.withLock { if $0.remove(source) != nil { $0.insert(target) } }
  }

  func remove(_ path: String) throws(SystemError) {
    try checkRemoval("unlink", of: path)
    try base.remove(path)
    _ = made.withLock { $0.remove(path) }
  }

  func removeDirectory(_ path: String) throws(SystemError) {
    try checkRemoval("rmdir", of: path)
    try base.removeDirectory(path)
    _ = made.withLock { $0.remove(path) }
  }

  func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) {
    try check("mkdir", path)
    try base.makeDirectory(path, permissions: permissions)
    _ = made.withLock { $0.insert(path) }
  }

  func list(_ path: String) throws(SystemError) -> [DirectoryEntry] { try base.list(path) }

  func syncDirectory(_ path: String) throws(SystemError) {
    try check("fsync", path)
    try base.syncDirectory(path)
  }

  func setPermissions(_ path: String, _ permissions: UInt32) throws(SystemError) {
    try check("chmod", path)
    try base.setPermissions(path, permissions)
  }

  func touch(_ path: String) throws(SystemError) {
    try check("utimensat", path)
    try base.touch(path)
  }
}
