// The calls of the C library that this layer makes, but for signals (SignalAction.swift, Interrupt.swift,
// Termination.swift) and the user's shell (Shell.swift).

import ObjectStore
import RunicCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

enum System {
  /// What the system says of an error number, in its own words, lower case.
  static func message(_ code: Int32) -> String { SystemError(call: "", path: "", code: code).said }

  /// getcwd(3); nil where the folder is gone or its path is longer than any.
  static var workingDirectory: String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    guard getcwd(&bytes, bytes.count) != nil else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// realpath(3): the path without links; of what is not there, as it was given.
  static func realPath(_ path: String) -> String {
    guard let found = realpath(path, nil) else { return path }
    defer { free(found) }
    return String(cString: found)
  }

  /// Where this program lies, as Linux says; elsewhere as it was called, if by a path.
  static var executablePath: String? {
    let found = realPath("/proc/self/exe")
    if found != "/proc/self/exe" { return found }
    return CommandLine.arguments.first.flatMap { $0.contains("/") ? realPath($0) : nil }
  }

  /// getenv(3), to the byte: `String` would put one and the same mark in the place of all that is no UTF-8.
  static func variable(_ name: String) -> [UInt8]? {
    getenv(name).map { value in Array(UnsafeRawBufferPointer(start: value, count: strlen(value))) }
  }

  /// What was typed after the program's name; nil where some of it is no UTF-8, which `CommandLine.arguments` mends.
  static var arguments: [String]? {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let typed = CommandLine.unsafeArgv[index] else { break }
      guard let text = String(validatingCString: typed) else { return nil }
      arguments.append(text)
    }
    return arguments
  }

  /// Opens what the parent closed of the first three descriptors on `/dev/null`, so that no file of the
  /// repository takes such a number and is written to as if it were the terminal. Returns those that were closed.
  static func fillStandardDescriptors() -> [Int32] {
    var closed: [Int32] = []
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
      closed.append(descriptor)
      _ = openDescriptor("/dev/null", O_RDWR)
    }
    return closed
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Columns of the terminal behind a descriptor.
  static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// read(2) of up to `limit` bytes; empty at the end. An interrupted call is an error like any other.
  static func read(_ descriptor: Int32, limit: Int) throws(OutputError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      #if canImport(Glibc)
        let result = Glibc.read(descriptor, buffer.baseAddress, limit)
      #elseif canImport(Musl)
        let result = Musl.read(descriptor, buffer.baseAddress, limit)
      #else
        let result = Darwin.read(descriptor, buffer.baseAddress, limit)
      #endif
      if result < 0 { code = errno }
      count = max(0, result)
    }
    if code != 0 { throw OutputError(code: code) }
    return bytes
  }

  /// The length of the regular file behind a descriptor; nil for anything else.
  static func fileLength(_ descriptor: Int32) -> Int64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// Where in a file the next read begins: lseek(2); nil for what has no such place.
  static func filePosition(_ descriptor: Int32) -> Int64? {
    let position = lseek(descriptor, 0, SEEK_CUR)
    return position < 0 ? nil : Int64(position)
  }

  static func seek(_ descriptor: Int32, to position: Int64) {
    _ = lseek(descriptor, off_t(position), SEEK_SET)
  }

  /// Whether a read would not wait, within some milliseconds: poll(2).
  static func isReadable(_ descriptor: Int32, within wait: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // An interrupted wait says nothing yet: whoever asked looks whether to stop, and asks again.
    return poll(&waiting, 1, wait) > 0
  }

  /// write(2) until all is written.
  static func write(_ descriptor: Int32, _ bytes: [UInt8]) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
          Musl.write(descriptor, buffer.baseAddress, buffer.count)
        #else
          Darwin.write(descriptor, buffer.baseAddress, buffer.count)
        #endif
      }
      if written < 0 {
        let code = errno
        if code != EINTR || Interrupt.isRequested { throw OutputError(code: code) }
        continue
      }
      rest = rest.dropFirst(written)
    }
  }

  /// Opens a file for reading, or a terminal for both.
  static func openFile(_ path: String, writable: Bool) throws(OutputError) -> Int32 {
    let descriptor = openDescriptor(path, (writable ? O_RDWR : O_RDONLY) | O_NOCTTY | O_CLOEXEC)
    if descriptor < 0 { throw OutputError(code: errno) }
    return descriptor
  }

  private static func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, flags)
    #elseif canImport(Musl)
      Musl.open(path, flags)
    #else
      Darwin.open(path, flags)
    #endif
  }

  static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

  static let brokenPipe = EPIPE
  static let badDescriptor = EBADF
  static let interruptedCall = EINTR

  /// Makes a file that would become longer than `ulimit -f` allows an error like a full disk, not the end.
  static func ignoreFileSizeSignal() { _ = signal(SIGXFSZ, SIG_IGN) }

  /// Has the system say again how children end. Whoever started this process may have had it forget that: an ignored
  /// SIGCHLD passes through exec(3), and all that is started here would inherit it.
  static func rememberChildren() { _ = signal(SIGCHLD, SIG_DFL) }

  /// Ends the process as a closed pipe would have: quietly, by the signal.
  static func dieOfBrokenPipe() {
    _ = signal(SIGPIPE, SIG_DFL)
    _ = raise(SIGPIPE)
  }
}

/// A descriptor to write to.
final class DescriptorSink: ByteSink {
  private let descriptor: Int32
  /// Whether the parent had closed it: then writing fails, whatever stands in its place.
  private let wasClosed: Bool

  init(_ descriptor: Int32, wasClosed: Bool) {
    self.descriptor = descriptor
    self.wasClosed = wasClosed
  }

  func write(_ bytes: [UInt8]) throws(OutputError) {
    if wasClosed { throw OutputError(code: System.badDescriptor) }
    try System.write(descriptor, bytes)
  }
}

extension FileInput {
  /// The rest of the regular file behind a descriptor; nil for anything else.
  ///
  /// - Parameter read: reads on from where the descriptor stands, which is moved along as when it is read to its end.
  init?(_ descriptor: Int32, _ read: @escaping (_ limit: Int) throws -> [UInt8]?) {
    guard let start = System.filePosition(descriptor), let length = System.fileLength(descriptor) else {
      return nil
    }
    self.init(length: max(0, length - start)) { count, offset in
      try Interrupt.check()
      System.seek(descriptor, to: start + offset)
      return try read(count) ?? []
    }
  }
}

/// A descriptor to read from, in pieces of 64 KiB.
struct DescriptorSource: ByteSource {
  let descriptor: Int32

  var batch: BatchInput { FileInput(descriptor, read).map(BatchInput.file) ?? .stream(next) }

  func next() throws -> [UInt8]? {
    while true {
      // An interrupt between this question and a read that waits would go unseen: so no read waits.
      try Interrupt.check()
      guard System.isReadable(descriptor, within: 200) else { continue }
      return try read(limit: 64 * 1024)
    }
  }

  private func read(limit: Int) throws -> [UInt8]? {
    while true {
      do throws(OutputError) {
        let bytes = try System.read(descriptor, limit: limit)
        return bytes.isEmpty ? nil : bytes
      } catch {
        if error.code != System.interruptedCall {
          throw CommandFailure.failed("cannot read standard input: \(System.message(error.code))")
        }
        try Interrupt.check()
      }
    }
  }
}
