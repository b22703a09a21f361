import ObjectStore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file system in memory that answers as Linux does: inodes, descriptors that outlive a name, `flock`.
///
/// It also remembers what was synced, so that a power cut can be played (`crash`). Everything is decided by the
/// calls alone: time moves by one nanosecond a change, lists are sorted. Permissions are kept, not enforced.
/// Names are compared as Swift strings, so two that differ only in Unicode normalisation are one, as on macOS.
public final class MemoryFileSystem: FileSystem {
  /// What a power cut leaves of what was never synced.
  public enum PowerCut: Sendable {
    /// Nothing: contents as of the last `sync`, names as of the last `syncDirectory` of their folder.
    case lastSynced
    /// All names, but contents as of the last `sync`: a journal that ran ahead of the data.
    case namesBeforeContents
  }

  /// Everything at one moment; later changes do not touch it.
  public struct Snapshot: Sendable {
    fileprivate let volume: MemoryVolume
  }

  private let volume: Mutex<MemoryVolume>

  /// Empty but for the root. Relative paths start at the root too.
  public init() { volume = Mutex(MemoryVolume()) }

  private init(_ start: MemoryVolume) { volume = Mutex(start) }

  /// A copy of everything, descriptors included; O(1), shared until one side changes.
  public func snapshot() -> Snapshot { volume.withLock { Snapshot(volume: $0) } }

  /// Puts everything back as it was.
  public func restore(_ snapshot: Snapshot) {
    let past = snapshot.volume
    volume.withLock { $0 = past }
  }

  /// A file system of its own that holds what a snapshot holds.
  public convenience init(_ snapshot: Snapshot) { self.init(snapshot.volume) }

  /// What is there after a power cut now: a file system of its own, with no descriptor open.
  public func crash(_ model: PowerCut = .lastSynced) -> MemoryFileSystem {
    MemoryFileSystem(volume.withLock { $0.afterPowerCut(model) })
  }

  /// Moves the clock that stamps files, in nanoseconds.
  public func advance(nanoseconds: Int64) { volume.withLock { $0.time &+= nanoseconds } }

  /// How many descriptors are open: a leak shows here.
  public var openDescriptors: Int { volume.withLock { $0.descriptors.count } }

  /// Makes a folder and those above it, where they are missing.
  public func makeFolders(_ path: String) throws(SystemError) {
    var built = ""
    for part in path.split(separator: "/") {
      built += "/" + part
      if try status(built) == nil { try makeDirectory(built, permissions: 0o700) }
    }
  }

  /// Puts a symbolic link there; it leads nowhere and is only ever refused.
  public func makeSymbolicLink(_ path: String) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      _ = try v.add(.init(type: .symbolicLink, permissions: 0o777), at: path, call: "symlink")
    }
  }

  /// The bytes of a file, not counted as a call of anyone.
  public func contents(_ path: String) throws(SystemError) -> [UInt8] {
    try volume.withLock { v throws(SystemError) in
      let id = try v.existing(path, call: "open")
      guard v.nodes[id]?.type == .file else { throw SystemError(call: "read", path: path, code: EISDIR) }
      return v.nodes[id]?.bytes ?? []
    }
  }

  /// Makes or overwrites a file, in place and without a sync, as a stranger or bad disk would.
  public func setContents(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let descriptor = try open(path, .openOrCreate(permissions: 0o600))
    defer { close(descriptor) }
    volume.withLock { v in
      guard let id = v.descriptors[descriptor] else { return }
      v.change(id) { $0.bytes = bytes }
    }
  }

  /// All files below a folder with their bytes, by path from there: to compare two trees.
  public func tree(_ path: String = "/") throws(SystemError) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for entry in try list(path) {
      let inner = path.hasSuffix("/") ? path + entry.name : path + "/" + entry.name
      if entry.type == .file { files[entry.name] = try contents(inner) }
      guard entry.type == .directory else { continue }
      for (name, bytes) in try tree(inner) { files[entry.name + "/" + name] = bytes }
    }
    return files
  }
}

extension MemoryFileSystem {
  public func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    try volume.withLock { v throws(SystemError) in
      let found = try v.find(path, call: "open")
      var creation: UInt32?
      switch mode {
      case .read, .update: break
      case .create(let permissions):
        if found != nil { throw SystemError(call: "open", path: path, code: EEXIST) }
        creation = permissions
      case .openOrCreate(let permissions): creation = permissions
      }
      let id: Int
      if let found {
        id = found
      } else if let creation {
        id = try v.add(.init(type: .file, permissions: creation), at: path, call: "open")
      } else {
        throw SystemError(call: "open", path: path, code: ENOENT)
      }
      let type = v.nodes[id]?.type
      if type == .symbolicLink { throw SystemError(call: "open", path: path, code: ELOOP) }
      if type == .directory, mode != .read { throw SystemError(call: "open", path: path, code: EISDIR) }
      return v.openDescriptor(id)
    }
  }

  public func close(_ descriptor: Int32) { volume.withLock { $0.close(descriptor) } }

  public func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try volume.withLock { v throws(SystemError) in
      let id = try v.inode(descriptor, call: "pread")
      guard let node = v.nodes[id], node.type == .file else {
        throw SystemError(call: "pread", path: "", code: EISDIR)
      }
      guard offset >= 0 else { throw SystemError(call: "pread", path: "", code: EINVAL) }
      guard offset < node.bytes.count else { return 0 }
      let start = Int(offset)
      let count = min(buffer.count, node.bytes.count - start)
      node.bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[start..<start + count])) }
      return count
    }
  }

  public func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try volume.withLock { v throws(SystemError) in
      let id = try v.inode(descriptor, call: "pwrite")
      guard offset >= 0, offset < 1 << 40 else { throw SystemError(call: "pwrite", path: "", code: EINVAL) }
      let start = Int(offset)
      v.change(id) { node in
        if start > node.bytes.count {
          node.bytes.append(contentsOf: repeatElement(0, count: start - node.bytes.count))
        }
        let overlap = min(bytes.count, node.bytes.count - start)
        if overlap > 0 {
          node.bytes.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + overlap])
              .copyMemory(from: .init(rebasing: bytes[..<overlap]))
          }
        }
        node.bytes.append(contentsOf: bytes[overlap...])
      }
      return bytes.count
    }
  }

  public func sync(_ descriptor: Int32) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      let id = try v.inode(descriptor, call: "fsync")
      v.syncContents(id)
    }
  }

  public func truncate(_ descriptor: Int32, to length: Int64) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      let id = try v.inode(descriptor, call: "ftruncate")
      guard length >= 0, length < 1 << 40 else {
        throw SystemError(call: "ftruncate", path: "", code: EINVAL)
      }
      v.change(id) { node in
        let missing = Int(length) - node.bytes.count
        if missing > 0 {
          node.bytes.append(contentsOf: repeatElement(0, count: missing))
        } else {
          node.bytes.removeLast(-missing)
        }
      }
    }
  }

  public func status(_ descriptor: Int32) throws(SystemError) -> FileStatus {
    try volume.withLock { v throws(SystemError) in
      try v.status(v.inode(descriptor, call: "fstat"))
    }
  }

  public func lock(_ descriptor: Int32) throws(SystemError) -> Bool {
    try volume.withLock { v throws(SystemError) in
      let id = try v.inode(descriptor, call: "flock")
      if let holder = v.locks[id] { return holder == descriptor }
      v.locks[id] = descriptor
      return true
    }
  }

  public func status(_ path: String) throws(SystemError) -> FileStatus? {
    try volume.withLock { v throws(SystemError) in
      guard let id = try v.findIfPresent(path, call: "lstat") else { return nil }
      return try v.status(id)
    }
  }

  public func readLink(_ path: String) throws(SystemError) -> String {
    guard try status(path)?.type == .symbolicLink else {
      throw SystemError(call: "readlink", path: path, code: EINVAL)
    }
    return "/nowhere"
  }

  public func rename(_ source: String, to target: String) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in try v.rename(source, to: target) }
  }

  public func remove(_ path: String) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      let id = try v.existing(path, call: "unlink")
      if v.nodes[id]?.type == .directory { throw SystemError(call: "unlink", path: path, code: EISDIR) }
      try v.unlink(path, call: "unlink")
    }
  }

  public func removeDirectory(_ path: String) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      let id = try v.existing(path, call: "rmdir")
      guard let node = v.nodes[id], node.type == .directory else {
        throw SystemError(call: "rmdir", path: path, code: ENOTDIR)
      }
      guard node.children.isEmpty else { throw SystemError(call: "rmdir", path: path, code: ENOTEMPTY) }
      try v.unlink(path, call: "rmdir")
    }
  }

  public func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      _ = try v.add(.init(type: .directory, permissions: permissions), at: path, call: "mkdir")
    }
  }

  public func list(_ path: String) throws(SystemError) -> [DirectoryEntry] {
    try volume.withLock { v throws(SystemError) in
      let id = try v.existing(path, call: "opendir")
      guard let entries = v.list(id) else {
        throw SystemError(call: "opendir", path: path, code: ENOTDIR)
      }
      return entries
    }
  }

  public func syncDirectory(_ path: String) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      let id = try v.existing(path, call: "fsync")
      v.syncNames(id)
    }
  }

  public func setPermissions(_ path: String, _ permissions: UInt32) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      let id = try v.existing(path, call: "chmod")
      v.nodes[id]?.permissions = permissions & 0o7777
    }
  }

  public func touch(_ path: String) throws(SystemError) {
    try volume.withLock { v throws(SystemError) in
      let id = try v.existing(path, call: "utimensat")
      v.change(id) { _ in }
    }
  }
}
