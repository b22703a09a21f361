import ObjectStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server that a test needs: it runs while its owner lives, and is ended by its process id.
public final class BackgroundProgram: Sendable {
  public let process: Int32
  /// Where what it prints goes.
  public let log: String

  /// - Parameter log: a file that is made for what it prints.
  public init(_ program: String, _ arguments: [String], log: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    // The threads of tests block signals, and what they start would too.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let code = posix_spawnp(&process, program, &actions, &attributes, &words, environ)
    guard code == 0 else { throw SystemError(call: "posix_spawn", path: program, code: code) }
    self.process = process
    self.log = log
  }

  deinit {
    kill(process, SIGTERM)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Whether it has not ended by itself.
  public var isRunning: Bool { kill(process, 0) == 0 && waitpid(process, nil, WNOHANG) == 0 }

  /// Waits until something listens at a port of this machine.
  public func waitUntilListening(_ port: Int) throws {
    for _ in 0..<500 {
      if Port.isTaken(port) { return }
      Clock.system.sleep(20)
    }
    throw SystemError(call: "connect", path: "port \(port), see \(log)", code: ECONNREFUSED)
  }

  /// Whether a program is there to be run.
  public static func isInstalled(_ program: String) -> Bool {
    let probe = "command -v \(program) >/dev/null 2>&1 || test -x \(program)"
    return (try? SystemProgramRunner().run(ProgramCall("sh", ["-c", probe])))?.status == 0
  }
}

/// Ports of the loopback address.
public enum Port {
  /// One that nobody listened at a moment ago.
  public static func free() throws -> Int {
    let socket = makeSocket()
    defer { close(socket) }
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let done = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(socket, raw, length) == 0 && getsockname(socket, raw, &length) == 0
      }
    }
    guard done else { throw SystemError(call: "bind", path: "127.0.0.1", code: errno) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  static func isTaken(_ port: Int) -> Bool {
    let socket = makeSocket()
    defer { close(socket) }
    var address = loopback(port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        connect(socket, raw, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func makeSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

/// Runs programs with variables of a test's own, and counts and shows what is run.
public final class WatchedRunner: ProgramRunner, @unchecked Sendable {
  private let base = SystemProgramRunner()
  private let variables: [String: String]
  /// Put before every command line, as `ip netns exec NAME`.
  private let prefix: [String]
  // Used from one test's task only.
  public private(set) var calls: [ProgramCall] = []
  /// Called with what a program prints.
  public var onOutput: ((ProgramCall, ArraySlice<UInt8>) -> Void)?

  public init(_ variables: [String: String] = [:], prefix: [String] = []) {
    self.variables = variables
    self.prefix = prefix
  }

  public func forget() { calls = [] }

  /// The runs that move or list something: not those that ask for a version.
  public var transfers: [ProgramCall] { calls.filter { $0.arguments != ["--version"] } }

  public func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    calls.append(call)
    let line = prefix + [call.program] + call.arguments
    let whole = ProgramCall(
      line[0], Array(line.dropFirst()), environment: call.environment.merging(variables) { $1 },
      input: call.input, timeLimit: call.timeLimit)
    return try base.run(whole) { piece in
      self.onOutput?(call, piece)
      onOutput(piece)
    }
  }
}
