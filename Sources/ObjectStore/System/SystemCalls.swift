// The one file of this layer that calls the C library for files, clock and sleep.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls again while a signal interrupts (EINTR) and turns -1 into an error: so do all calls of this file.
private func retrying(
  _ call: String, _ path: String, _ body: () -> Int
) throws(SystemError) -> Int {
  while true {
    let result = body()
    if result != -1 { return result }
    let code = errno
    if code != EINTR { throw SystemError(call: call, path: path, code: code) }
  }
}

/// The real file system.
public struct PosixFileSystem: FileSystem {
  public init() {}

  public func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    let flags: Int32
    var permissions: UInt32 = 0
    switch mode {
    case .read: flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
    case .update: flags = O_RDWR | O_NOFOLLOW
    case .create(let bits): (flags, permissions) = (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, bits)
    case .openOrCreate(let bits): (flags, permissions) = (O_RDWR | O_CREAT | O_NOFOLLOW, bits)
    }
    return Int32(
      truncatingIfNeeded: try retrying("open", path) {
        #if canImport(Glibc)
          Int(Glibc.open(path, flags | O_CLOEXEC, mode_t(permissions)))
        #elseif canImport(Musl)
          Int(Musl.open(path, flags | O_CLOEXEC, mode_t(permissions)))
        #else
          Int(Darwin.open(path, flags | O_CLOEXEC, mode_t(permissions)))
        #endif
      })
  }

  public func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  public func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try retrying("pread", "") { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  public func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try retrying("pwrite", "") { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  public func sync(_ descriptor: Int32) throws(SystemError) {
    _ = try retrying("fsync", "") { Int(fsync(descriptor)) }
  }

  public func truncate(_ descriptor: Int32, to length: Int64) throws(SystemError) {
    _ = try retrying("ftruncate", "") { Int(ftruncate(descriptor, off_t(length))) }
  }

  public func status(_ descriptor: Int32) throws(SystemError) -> FileStatus {
    var raw = stat()
    _ = try retrying("fstat", "") { Int(fstat(descriptor, &raw)) }
    return FileStatus(raw)
  }

  public func lock(_ descriptor: Int32) throws(SystemError) -> Bool {
    do {
      _ = try retrying("flock", "") { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }
      return true
    } catch  where error.code == EWOULDBLOCK {
      return false
    }
  }

  public func status(_ path: String) throws(SystemError) -> FileStatus? {
    var raw = stat()
    do {
      _ = try retrying("lstat", path) { Int(lstat(path, &raw)) }
    } catch  where error.code == ENOENT || error.code == ENOTDIR {
      return nil
    }
    return FileStatus(raw)
  }

  public func readLink(_ path: String) throws(SystemError) -> String {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try retrying("readlink", path) {
      text.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { readlink(path, $0, buffer.count) } ?? 0
      }
    }
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  public func rename(_ source: String, to target: String) throws(SystemError) {
    _ = try retrying("rename", target) {
      #if canImport(Glibc)
        Int(Glibc.rename(source, target))
      #elseif canImport(Musl)
        Int(Musl.rename(source, target))
      #else
        Int(Darwin.rename(source, target))
      #endif
    }
  }

  public func remove(_ path: String) throws(SystemError) {
    _ = try retrying("unlink", path) { Int(unlink(path)) }
  }

  public func removeDirectory(_ path: String) throws(SystemError) {
    _ = try retrying("rmdir", path) { Int(rmdir(path)) }
  }

  public func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) {
    _ = try retrying("mkdir", path) { Int(mkdir(path, mode_t(permissions))) }
  }

  public func list(_ path: String) throws(SystemError) -> [DirectoryEntry] {
    guard let folder = opendir(path) else {
      throw SystemError(call: "opendir", path: path, code: errno)
    }
    defer { closedir(folder) }
    var entries: [DirectoryEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(folder) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      var type = FileType(directoryEntry: entry.pointee.d_type)
      if type == nil { type = try status(path + "/" + name)?.type }
      entries.append(DirectoryEntry(name: name, type: type ?? .other))
    }
    if errno != 0 { throw SystemError(call: "readdir", path: path, code: errno) }
    return entries
  }

  public func syncDirectory(_ path: String) throws(SystemError) {
    let descriptor: Int32
    // From inside, so that a link is followed, as it was by whoever made names there.
    do { descriptor = try open("\(path)/.", .read) } catch {
      throw SystemError(call: error.call, path: path, code: error.code)
    }
    defer { close(descriptor) }
    do { try sync(descriptor) } catch { throw SystemError(call: "fsync", path: path, code: error.code) }
  }

  public func setPermissions(_ path: String, _ permissions: UInt32) throws(SystemError) {
    _ = try retrying("chmod", path) { Int(chmod(path, mode_t(permissions))) }
  }

  public func touch(_ path: String) throws(SystemError) {
    _ = try retrying("utimensat", path) { Int(utimensat(AT_FDCWD, path, nil, 0)) }
  }
}

extension FileStatus {
  fileprivate init(_ raw: stat) {
    let type: FileType =
      switch raw.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    #if canImport(Darwin)
      let time = raw.st_mtimespec
    #else
      let time = raw.st_mtim
    #endif
    self.init(
      type: type, length: Int64(raw.st_size), permissions: UInt32(raw.st_mode) & 0o7777,
      modified: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec),
      identity: [UInt64(raw.st_dev), UInt64(raw.st_ino)])
  }
}

extension FileType {
  /// From `d_type`; nil where the file system does not say.
  fileprivate init?(directoryEntry type: UInt8) {
    switch Int(type) {
    case Int(DT_REG): self = .file
    case Int(DT_DIR): self = .directory
    case Int(DT_LNK): self = .symbolicLink
    case Int(DT_UNKNOWN): return nil
    default: self = .other
    }
  }
}

/// The clocks and the pause of a waiting process, passed in so that tests can set them.
public struct Clock: Sendable {
  /// Milliseconds since 1970, UTC: the wall clock, which people and other machines set.
  public let now: @Sendable () -> Int64
  /// Milliseconds since some moment: they pass evenly, whoever sets the wall clock, and stand still while the machine
  /// sleeps. For how long something takes.
  public let ticks: @Sendable () -> Int64
  /// Waits for so many milliseconds.
  public let sleep: @Sendable (Int64) -> Void

  /// - Parameter ticks: nil: the wall clock, where a test's time is all one.
  public init(
    now: @escaping @Sendable () -> Int64, ticks: (@Sendable () -> Int64)? = nil,
    sleep: @escaping @Sendable (Int64) -> Void
  ) {
    self.now = now
    self.ticks = ticks ?? now
    self.sleep = sleep
  }

  /// How long ago some ticks were, in seconds.
  public func seconds(since begin: Int64) -> Double { Double(max(0, ticks() &- begin)) / 1000 }

  #if canImport(Darwin)
    private static let monotonic = CLOCK_UPTIME_RAW
  #else
    private static let monotonic = CLOCK_MONOTONIC
  #endif

  /// clock_gettime(2) with `CLOCK_REALTIME` and `CLOCK_MONOTONIC`, nanosleep(2).
  public static let system = Clock(
    now: { milliseconds(of: CLOCK_REALTIME) }, ticks: { milliseconds(of: monotonic) },
    sleep: { milliseconds in
      var pause = timespec(
        tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) &* 1_000_000)
      nanosleep(&pause, nil)
    })

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
  }
}

/// What the machine calls itself: uname(2).
public enum Machine {
  /// The host's name, without a domain.
  public static var hostName: String {
    let name = field { $0.nodename }
    return String(name.prefix { $0 != "." })
  }

  /// System and processor, as in `Linux x86_64`.
  public static var platform: String {
    "\(field { $0.sysname }) \(field { $0.machine })"
  }

  private static func field<Raw>(_ pick: (utsname) -> Raw) -> String {
    var raw = utsname()
    guard uname(&raw) == 0 else { return "" }
    return withUnsafeBytes(of: pick(raw)) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

extension SystemError {
  /// What the C library says of the error number: strerror(3).
  public var reason: String {
    String(cString: strerror(code))
  }

  public var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  /// What a call says of a file that is not there.
  static func missing(_ path: String, call: String) -> SystemError {
    SystemError(call: call, path: path, code: ENOENT)
  }

  public var alreadyExists: Bool { code == EEXIST || code == ENOTEMPTY }
  /// The disk, or this user's share of it, is full.
  public var isFull: Bool { code == ENOSPC || code == EDQUOT }
  /// The share of the disk that this user may have is used up.
  public var isQuota: Bool { code == EDQUOT }
  public var isReadOnly: Bool { code == EROFS }
  /// Nothing can be written there, for now or by this user: what only reads may do without.
  public var forbidsWriting: Bool { isFull || isReadOnly || isForbidden }

  /// Whether a file would become longer than this process may make one, or its file system can hold.
  public var isTooLong: Bool { code == EFBIG }

  /// Whether this process, or the whole system, has as many files open as it may.
  public var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
  /// The system knows no way to run the file: a script whose first line names no program.
  public var isNotExecutable: Bool { code == ENOEXEC }
  public var isForbidden: Bool { code == EACCES || code == EPERM }
  /// The file system does not know the call, as network and FAT file systems do not know some.
  public var isUnsupported: Bool {
    code == EINVAL || code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS || isForbidden
  }
  /// What lies behind a mount has gone: a dead network mount, a pulled USB stick.
  public var isGone: Bool {
    [EIO, ENODEV, ENXIO, ESTALE, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT].contains(code)
  }
}

extension SystemError {
  /// Links that lead in a circle, or through too many others.
  static func tooManyLinks(_ path: String) -> SystemError {
    SystemError(call: "readlink", path: path, code: ELOOP)
  }

  /// What a program said in words: there is nothing at this path.
  static func missing(_ path: String) -> SystemError {
    SystemError(call: "chdir", path: path, code: ENOENT)
  }
}
