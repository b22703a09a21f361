import ObjectStore
import TestSupport

/// A file system that changes no modes, makes no links and flushes no folders, as FAT and some servers are: a real one
/// in user space, mounted while its owner lives. It is the system's own python that has the packages of the system.
final class StubbornMount: Sendable {
  private let folder: TemporaryFolder
  private let server: BackgroundProgram
  var path: String { "\(folder.path)/mount" }
  private var refusals: String { "\(folder.path)/refusals" }

  /// Tried for real: a container may lack the device, and python its module.
  static let isPossible = BackgroundProgram.isInstalled("fusermount") && (try? StubbornMount()) != nil

  init() throws {
    let system = PosixFileSystem()
    folder = try TemporaryFolder()
    let (source, mount) = ("\(folder.path)/source", "\(folder.path)/mount")
    for path in [source, mount] { try system.makeDirectory(path, permissions: 0o700) }
    let script = "\(folder.path)/stubborn.py"
    try system.writeSynced(Array(Self.program.utf8), to: script, permissions: 0o600)
    server = try BackgroundProgram(
      "/usr/bin/python3", [script, source, mount, "\(folder.path)/refusals"], log: "\(folder.path)/log")
    let outside = try system.status(folder.path)?.identity.first
    for _ in 0..<250 {
      if try system.status(mount)?.identity.first != outside { return }
      guard server.isRunning else { break }
      Clock.system.sleep(20)
    }
    let said = String(decoding: (try? system.read("\(folder.path)/log", limit: 1 << 16)) ?? [], as: UTF8.self)
    throw SystemError(call: "fuse", path: said, code: 1)
  }

  deinit { _ = try? SystemProgramRunner().run(ProgramCall("fusermount", ["-u", "-z", path])) }

  /// What it refused so far: a test that was refused nothing has shown nothing.
  func refused() throws -> Set<String> {
    let bytes = try PosixFileSystem().read(refusals, limit: 1 << 20)
    return Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
  }

  private static let program = """
    import errno, os, sys
    try:
        from fusepy import FUSE, FuseOSError, Operations
    except ImportError:
        from fuse import FUSE, FuseOSError, Operations

    class Stubborn(Operations):
        def __init__(self, root, refusals):
            self.root, self.refusals = root, refusals

        def place(self, path):
            return self.root + path

        def refuse(self, call, code):
            with open(self.refusals, "a") as log:
                log.write(call + "\\n")
            raise FuseOSError(code)

        def __call__(self, call, path, *rest):
            try:
                return getattr(self, call)(path, *rest)
            except OSError as error:
                raise FuseOSError(error.errno)

        def chmod(self, path, mode): self.refuse("chmod", errno.EPERM)
        def chown(self, path, user, group): self.refuse("chown", errno.EPERM)
        def symlink(self, path, target): self.refuse("symlink", errno.EPERM)
        def link(self, path, target): self.refuse("link", errno.EPERM)
        def fsyncdir(self, path, data, handle): self.refuse("fsyncdir", errno.EINVAL)

        def getattr(self, path, handle=None):
            status = os.lstat(self.place(path))
            names = ("st_mode", "st_size", "st_nlink", "st_uid", "st_gid", "st_atime", "st_mtime", "st_ctime")
            return {name: getattr(status, name) for name in names}

        def readdir(self, path, handle): return [".", ".."] + os.listdir(self.place(path))
        def mkdir(self, path, mode): os.mkdir(self.place(path), mode)
        def rmdir(self, path): os.rmdir(self.place(path))
        def unlink(self, path): os.unlink(self.place(path))
        def rename(self, old, new): os.rename(self.place(old), self.place(new))
        def mknod(self, path, mode, device): os.mknod(self.place(path), mode, device)
        def utimens(self, path, times=None): os.utime(self.place(path), times)
        def open(self, path, flags): return os.open(self.place(path), flags)
        def create(self, path, mode, info=None):
            return os.open(self.place(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        def read(self, path, size, offset, handle): return os.pread(handle, size, offset)
        def write(self, path, data, offset, handle): return os.pwrite(handle, data, offset)
        def truncate(self, path, length, handle=None): os.truncate(self.place(path), length)
        def flush(self, path, handle): return 0
        def fsync(self, path, data, handle): os.fsync(handle)
        def release(self, path, handle): os.close(handle)

    FUSE(Stubborn(sys.argv[1], sys.argv[3]), sys.argv[2], foreground=True, nothreads=True)

    """
}
