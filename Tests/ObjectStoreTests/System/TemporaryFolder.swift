import ObjectStore
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder on the real file system that goes, with all in it, when its owner does.
final class TemporaryFolder: Sendable {
  let path: String

  init(in place: String? = nil) throws {
    let base = place ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/runic-test-XXXXXX\0".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError(call: "mkdtemp", path: base, code: errno)
    }
    path = template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  deinit { Self.remove(path) }

  /// Removes a folder with all in it; what cannot be removed stays.
  static func remove(_ path: String) {
    let system = PosixFileSystem()
    for entry in (try? system.list(path)) ?? [] {
      let inner = "\(path)/\(entry.name)"
      if entry.type == .directory { remove(inner) } else { system.removeLeftover(inner) }
    }
    try? system.removeDirectory(path)
  }

  func makeSymbolicLink(_ path: String, to target: String) throws {
    guard symlink(target, path) == 0 else { throw SystemError(call: "symlink", path: path, code: errno) }
  }

  func makePipe(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 else { throw SystemError(call: "mkfifo", path: path, code: errno) }
  }
}
