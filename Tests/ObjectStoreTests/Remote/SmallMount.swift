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
  private static let again: UInt = 32
  private static let readOnlyAgain: UInt = again | 1

  private let folder: TemporaryFolder
  var path: String { folder.path }

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

  func makeReadOnly() throws { try mountAgain(Self.readOnlyAgain, nil) }

  func grow(to bytes: Int) throws { try mountAgain(Self.again, "size=\(bytes)") }

  private func mountAgain(_ flags: UInt, _ options: String?) throws {
    #if os(Linux)
      guard mount("runic-test", path, "tmpfs", flags, options) == 0 else {
        throw SystemError(call: "mount", path: path, code: errno)
      }
    #endif
  }
}
