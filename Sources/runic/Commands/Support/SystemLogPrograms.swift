import RunicCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the user's own `zstd` and `sqlite3`.
struct SystemLogPrograms: LogPrograms {
  private static let pieceSize = 256 << 10

  func run(
    _ program: String, _ arguments: [String], output: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard ends.withUnsafeMutableBufferPointer({ pipe($0.baseAddress) }) == 0 else {
      throw CommandFailure.failed("cannot run '\(program)': \(System.message(errno))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do {
      defer { System.closeDescriptor(ends[1]) }
      process = try Self.spawn(program, arguments, writer: ends[1])
    } catch {
      System.closeDescriptor(ends[0])
      throw error
    }
    let outcome = Result { try Self.pass(ends[0], to: output) }
    // Whoever still writes is told by a closed pipe that nobody listens.
    System.closeDescriptor(ends[0])
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    try outcome.get()
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private static func pass(_ reader: Int32, to output: (UnsafeRawBufferPointer) throws -> Void) throws {
    while let bytes = try piece(of: reader) {
      if !bytes.isEmpty { try bytes.withUnsafeBytes(output) }
    }
  }

  /// What there is; empty where a signal came in between, nil at the end.
  private static func piece(of reader: Int32) throws -> [UInt8]? {
    do throws(OutputError) {
      let bytes = try System.read(reader, limit: pieceSize)
      return bytes.isEmpty ? nil : bytes
    } catch {
      guard error.code == System.interruptedCall else { throw error }
      return []
    }
  }

  private static func spawn(_ program: String, _ arguments: [String], writer: Int32) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, writer, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, nil, &words, environ)
    if code == ENOENT || code == EACCES || code == ENOTDIR { throw ProgramMissing(program: program) }
    guard code == 0 else {
      throw CommandFailure.failed("cannot run '\(program)': \(System.message(code))")
    }
    return process
  }
}
