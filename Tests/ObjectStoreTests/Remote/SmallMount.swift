import ObjectStore
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small file system in memory, mounted while its owner lives: only root on Linux can have one.
final class SmallMount: Sendable {
  // From the Linux headers, whose types differ from C library to C library.
  private static let detach: Int32 = 2
  private static let readOnlyAgain: UInt = 32 | 1

  private let folder: TemporaryFolder
  private var path: String { folder.path }

  /// Tried for real: a container's root may lack the right.
  static var isPossible: Bool { (try? SmallMount(bytes: 4096)) != nil }

  init(bytes: Int) throws {
    folder = try TemporaryFolder()
    #if os(Linux)
      guard mount("runic-test", folder.path, "tmpfs", 0, "size=\(bytes)") == 0 else {
        throw SystemError(call: "mount", path: folder.path, code: errno)
      }
    #else
      throw SystemError(call: "mount", path: folder.path, code: ENOTSUP)
    #endif
  }

  deinit {
    #if os(Linux)
      umount2(path, Self.detach)
    #endif
  }

  var remote: DirectoryRemote {
    DirectoryRemote(
      path: path, device: RemoteSamples.device, fileSystem: PosixFileSystem(), random: .seeded(4))
  }

  func makeReadOnly() throws {
    #if os(Linux)
      guard mount("runic-test", path, "tmpfs", Self.readOnlyAgain, nil) == 0 else {
        throw SystemError(call: "mount", path: path, code: errno)
      }
    #endif
  }
}
