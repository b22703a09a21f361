// Whole files: read with a limit, written so that they last.

/// Why a file could not be read whole.
public enum ReadError: Error, Equatable, Sendable {
  case system(SystemError)
  /// There is more than the limit allows, or it is no plain file.
  case refused(path: String)

  public var isMissing: Bool {
    if case .system(let error) = self { return error.isMissing }
    return false
  }
}

extension FileSystem {
  /// Reads a plain file of at most `limit` bytes.
  public func read(_ path: String, limit: Int) throws(ReadError) -> [UInt8] {
    do {
      let file = try OpenFile(path, .read, in: self)
      let status = try status(file.descriptor)
      guard status.type == .file, status.length <= Int64(limit) else {
        throw ReadError.refused(path: path)
      }
      return try file.read(Int(status.length), at: 0)
    } catch let error as SystemError {
      if isOdd(path) { throw .refused(path: path) }
      throw .system(SystemError(call: error.call, path: path, code: error.code))
    } catch let error as ReadError {
      throw error
    } catch {
      throw .refused(path: path)
    }
  }

  /// Whether something that is no plain file lies there: a link or a socket fails to open, each in its own way.
  func isOdd(_ path: String) -> Bool {
    do { return try status(path).map { $0.type != .file } ?? false } catch { return false }
  }

  /// Reads a file that may be absent.
  public func readIfPresent(_ path: String, limit: Int) throws(ReadError) -> [UInt8]? {
    do { return try read(path, limit: limit) } catch  where error.isMissing { return nil }
  }

  /// Writes a file so that it is there whole or not at all, and stays: temporary name, fsync, rename, fsync of
  /// the folder. The temporary file must lie on the same file system; it is removed where anything fails.
  public func writeDurably(
    _ bytes: [UInt8], to path: String, by temporary: String, permissions: UInt32
  ) throws(SystemError) {
    try writeWhole(bytes, to: path, by: temporary, permissions: permissions)
    try syncDirectory(parent(of: path))
  }

  /// Replaces a file so that the old or the new one is there whatever happens; after a power cut it may be the old one.
  public func writeWhole(
    _ bytes: [UInt8], to path: String, by temporary: String, permissions: UInt32
  ) throws(SystemError) {
    try writeSynced(bytes, to: temporary, permissions: permissions)
    do {
      try rename(temporary, to: path)
    } catch {
      removeLeftover(temporary)
      throw error
    }
  }

  /// Makes a new file with its content on the disk, without touching the folder; removes it where that fails.
  public func writeSynced(
    _ bytes: [UInt8], to path: String, permissions: UInt32
  ) throws(SystemError) {
    let file = try OpenFile(path, .create(permissions: permissions), in: self)
    do {
      try file.write(bytes, at: 0)
      try file.sync()
    } catch {
      removeLeftover(path)
      throw SystemError(call: error.call, path: path, code: error.code)
    }
  }

  /// Makes the content of a file last that somebody else wrote.
  public func syncFile(_ path: String) throws(SystemError) {
    let file = try OpenFile(path, .read, in: self)
    do { try file.sync() } catch { throw SystemError(call: error.call, path: path, code: error.code) }
  }

  /// Removes what a failed step left; a second failure has nothing to add to the first.
  public func removeLeftover(_ path: String) {
    do { try remove(path) } catch {}
  }

  public func removeIfPresent(_ path: String) throws(SystemError) {
    do { try remove(path) } catch  where error.isMissing { return }
  }

  /// Makes a folder and those above it that are missing, so that they stay.
  public func makeDirectories(_ path: String, permissions: UInt32) throws(SystemError) {
    if try status(path) != nil { return }
    let above = parent(of: path)
    if above != path, !above.isEmpty { try makeDirectories(above, permissions: permissions) }
    do {
      try makeDirectory(path, permissions: permissions)
    } catch  where error.alreadyExists { return }
    do { try syncDirectory(above) } catch  where error.isUnsupported { return }
  }

  /// The names in a folder; none where there is no folder.
  public func listIfPresent(_ path: String) throws(SystemError) -> [DirectoryEntry] {
    do { return try list(path) } catch  where error.isMissing { return [] }
  }
}

/// The folder that a path lies in, as dirname(3) gives it.
public func parent(of path: String) -> String {
  var bytes = Array(path.utf8)
  while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
  guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
}
