/// A system call that failed: which one, on what, and the C error number.
public struct SystemError: Error, Equatable, Sendable {
  /// The name of the call, as in its manual page.
  public let call: String
  /// The path the call was about; empty where only a descriptor was known.
  public let path: String
  /// The value of `errno`.
  public let code: Int32

  public init(call: String, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }
}

/// How a file is opened.
public enum OpenMode: Equatable, Sendable {
  /// For reading; a symbolic link in the last place is refused (`O_NOFOLLOW`).
  case read
  /// For reading and writing; it must exist.
  case update
  /// For reading and writing; made with these permissions, and it must not exist yet (`O_EXCL`).
  case create(permissions: UInt32)
  /// For reading and writing; made with these permissions where it does not exist.
  case openOrCreate(permissions: UInt32)
}

/// What kind of thing a name in a folder stands for.
public enum FileType: Equatable, Sendable {
  case file, directory, symbolicLink, other
}

/// One name in a folder.
public struct DirectoryEntry: Equatable, Sendable {
  /// The name's bytes read as UTF-8, never `.` or `..`; a name that is not UTF-8 is repaired and so matches no grammar.
  public let name: String
  public let type: FileType

  public init(name: String, type: FileType) {
    self.name = name
    self.type = type
  }
}

/// What `lstat` says of a path.
public struct FileStatus: Equatable, Sendable {
  public let type: FileType
  /// Length in bytes.
  public let length: Int64
  /// The permission bits, `mode & 0o7777`.
  public let permissions: UInt32
  /// Time of the last change of the content, nanoseconds since 1970.
  public let modified: Int64
  /// Device and inode, to tell whether two paths are one file.
  public let identity: [UInt64]

  public init(type: FileType, length: Int64, permissions: UInt32, modified: Int64, identity: [UInt64] = []) {
    self.type = type
    self.length = length
    self.permissions = permissions
    self.modified = modified
    self.identity = identity
  }
}

/// The calls that runic makes on files: one method, one call of the system.
///
/// This is the seam of the whole program: `PosixFileSystem` is the real one, tests put one in its place that
/// fails the n-th call or keeps everything in memory. Paths are absolute or relative UTF-8 strings.
public protocol FileSystem: Sendable {
  /// open(2) with `O_CLOEXEC`. Returns the descriptor's number; see `OpenFile` for the owner of one.
  func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32
  /// close(2). Errors are of no use to anyone: what must last is synced before.
  func close(_ descriptor: Int32)
  /// pread(2): the number of bytes read, 0 at the end.
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int
  /// pwrite(2): the number of bytes written, which may be fewer than asked for.
  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int
  /// fsync(2).
  func sync(_ descriptor: Int32) throws(SystemError)
  /// ftruncate(2).
  func truncate(_ descriptor: Int32, to length: Int64) throws(SystemError)
  /// fstat(2).
  func status(_ descriptor: Int32) throws(SystemError) -> FileStatus
  /// flock(2), exclusive and without waiting: whether it was had. Closing the descriptor gives it back.
  func lock(_ descriptor: Int32) throws(SystemError) -> Bool

  /// lstat(2); nil where there is nothing.
  func status(_ path: String) throws(SystemError) -> FileStatus?
  /// readlink(2): what a symbolic link says.
  func readLink(_ path: String) throws(SystemError) -> String
  /// rename(2): replaces what is there.
  func rename(_ source: String, to target: String) throws(SystemError)
  /// unlink(2); an absent file is an error (`ENOENT`).
  func remove(_ path: String) throws(SystemError)
  /// rmdir(2).
  func removeDirectory(_ path: String) throws(SystemError)
  /// mkdir(2); one that exists is an error (`EEXIST`).
  func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError)
  /// opendir(3), readdir(3) to the end. In no particular order.
  func list(_ path: String) throws(SystemError) -> [DirectoryEntry]
  /// fsync(2) of a folder, or of the one that a link leads to, so that names made, replaced or removed in it last.
  func syncDirectory(_ path: String) throws(SystemError)
  /// chmod(2).
  func setPermissions(_ path: String, _ permissions: UInt32) throws(SystemError)
  /// utimensat(2) with the present time.
  func touch(_ path: String) throws(SystemError)
}

/// An open file, closed when its owner goes.
public struct OpenFile: ~Copyable {
  public let fileSystem: any FileSystem
  public let path: String
  public let descriptor: Int32

  public init(_ path: String, _ mode: OpenMode, in fileSystem: any FileSystem) throws(SystemError) {
    self.fileSystem = fileSystem
    self.path = path
    descriptor = try fileSystem.open(path, mode)
  }

  deinit { fileSystem.close(descriptor) }

  public func length() throws(SystemError) -> Int64 {
    try fileSystem.status(descriptor).length
  }

  /// Reads up to `count` bytes at an offset: fewer only where the file ends.
  public func read(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
    // An array of no room is one for all threads, and would have its count written to.
    guard count > 0 else { return [] }
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        while filled < count {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
          let n = try fileSystem.read(descriptor, into: rest, at: offset &+ Int64(filled))
          if n == 0 { break }
          filled += n
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all the bytes at an offset.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      done += try fileSystem.write(descriptor, rest, at: offset &+ Int64(done))
    }
  }

  public func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  public func sync() throws(SystemError) { try fileSystem.sync(descriptor) }
}
