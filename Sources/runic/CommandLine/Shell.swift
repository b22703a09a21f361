#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a line of the user's own configuration with `/bin/sh`.
enum Shell {
  struct Result {
    let output: [UInt8]
    /// Whether `output` is all that was printed.
    let isWhole: Bool
    /// As waitpid(2) gives it.
    let status: Int32

    var succeeded: Bool { status == 0 }

    /// How it ended, in words that follow the command's name.
    var ending: String {
      let signal = status & 0x7F
      return signal == 0 ? "ended with status \((status >> 8) & 0xFF)" : "was ended by signal \(signal)"
    }
  }

  /// Runs the command to its end, with this process's standard input and error, and returns what it printed, up to
  /// `limit` bytes.
  ///
  /// - Parameter variables: what it finds in its environment beside what this process has there.
  static func run(_ command: String, limit: Int, adding variables: [String: String] = [:]) throws -> Result {
    var ends: (reader: Int32, writer: Int32) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) { pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self)) }
    guard made == 0 else { throw failure("pipe", errno) }
    defer { System.closeDescriptor(ends.reader) }
    _ = fcntl(ends.reader, F_SETFD, FD_CLOEXEC)
    _ = fcntl(ends.writer, F_SETFD, FD_CLOEXEC)
    let process: pid_t
    do {
      defer { System.closeDescriptor(ends.writer) }
      process = try spawn(command, writer: ends.writer, adding: variables)
    }
    let (output, isWhole) = collect(ends.reader, of: process, limit: limit)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 {
      // How it ended is not to be known: that is no success.
      guard errno == EINTR else { throw failure("waitpid", errno) }
      if Interrupt.isRequested { kill(process, SIGTERM) }
    }
    try Interrupt.check()
    return Result(output: output, isWhole: isWhole, status: status)
  }

  private static func spawn(
    _ command: String, writer: Int32, adding variables: [String: String]
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, writer, 1)
    let words = ["/bin/sh", "-c", command]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { word in strdup(word) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let added = variables.map { name, value in strdup("\(name)=\(value)") }
    defer { for variable in added { free(variable) } }
    var environment: [UnsafeMutablePointer<CChar>?] = added
    var place = environ
    while let variable = place.pointee {
      // Of two variables of one name, shells take one or the other.
      let isReplaced = variables.keys.contains { strncmp(variable, "\($0)=", $0.utf8.count + 1) == 0 }
      if !isReplaced { environment.append(variable) }
      place += 1
    }
    environment.append(nil)
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, &environment)
    guard code == 0 else { throw failure("posix_spawn", code) }
    return process
  }

  /// Reads to the end, so that the command is never stopped by a full pipe, but keeps no more than the limit.
  private static func collect(_ reader: Int32, of process: pid_t, limit: Int) -> (
    output: [UInt8], isWhole: Bool
  ) {
    var output: [UInt8] = []
    var isWhole = true
    while true {
      do throws(OutputError) {
        let bytes = try System.read(reader, limit: 4096)
        if bytes.isEmpty { return (output, isWhole) }
        if output.count + bytes.count > limit { isWhole = false } else { output += bytes }
      } catch {
        if error.code != System.interruptedCall { return (output, false) }
        if Interrupt.isRequested { kill(process, SIGTERM) }
      }
    }
  }

  private static func failure(_ call: String, _ code: Int32) -> CommandFailure {
    .failed("cannot run /bin/sh: \(call): \(System.message(code))")
  }
}
