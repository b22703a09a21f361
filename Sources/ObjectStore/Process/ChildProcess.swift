// What this layer calls the C library for where it starts programs: their processes, their pipes and their ends.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A running program and this side's ends of its three streams.
///
/// Its standard input is a socket: a write to one that the program has closed is an error, where a write to a pipe
/// would end this process.
struct ChildProcess: ~Copyable {
  private let process: pid_t
  /// Whether the program and all that it starts are a process group of their own.
  private let isGroup: Bool
  private var input: Descriptor?
  private var output: Descriptor?
  private var errors: Descriptor?
  private var sent = 0
  private let keepsOutput: Bool
  private var printed: [UInt8] = []
  private var complained: [UInt8] = []
  /// How it ended, as waitpid(2) gives it, once that is known.
  private var ended: Result<Int32, SystemError>?
  /// How long the next wait for its end takes, where nothing wakes who waits, in milliseconds.
  private var nap: Int64 = 1
  private let name: String

  /// How long a program may take to go once it was asked to, in milliseconds.
  private static let patience: Int64 = 2000

  init(_ call: ProgramCall) throws(ProgramError) {
    let (parentInput, childInput) = try Descriptor.socketPair()
    let (parentOutput, childOutput) = try Descriptor.pipe()
    let (parentErrors, childErrors) = try Descriptor.pipe()
    // At a terminal the program stays in this process's group: so Ctrl-C reaches it, and ssh can ask for a password.
    let ownGroup = isatty(0) == 0
    let streams = [childInput.number, childOutput.number, childErrors.number]
    let number = try Self.spawn(call, streams: streams, ownGroup: ownGroup)
    process = number
    name = call.program
    isGroup = ownGroup
    keepsOutput = call.keepsOutput
    input = parentInput
    output = parentOutput
    errors = parentErrors
    withExtendedLifetime((childInput, childOutput, childErrors)) {}
  }

  deinit { if ended == nil { Self.kill(process, isGroup: isGroup, SIGKILL) } }

  // MARK: - Its streams

  /// Waits for something to happen, at most `pause` milliseconds, and moves what can be moved.
  ///
  /// - Returns: whether it goes on; false once the program has ended and all that it printed is taken.
  mutating func step(
    input bytes: [UInt8], pause: Int64, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> Bool {
    if ended != nil || sent >= bytes.count { input = nil }
    if !isOpen, hasEnded() { return false }
    var waiting = [
      pollfd(fd: input?.number ?? -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: output?.number ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors?.number ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&waiting, 3, Int32(wait(pause)))
    if count < 0 {
      // A signal that interrupts the wait is no failure: the caller looks whether it is to stop.
      if errno == EINTR { return true }
      throw .system(SystemError(call: "poll", path: name, code: errno))
    }
    if count == 0 { return !isExhausted() }
    if waiting[0].revents != 0 { send(bytes) }
    if waiting[1].revents != 0 { try takeOutput(onOutput) }
    if waiting[2].revents != 0 { takeErrors() }
    return true
  }

  /// How long to wait for its streams. When a program that has closed them ends, nothing tells: so that is looked
  /// for again and again, at growing intervals.
  private mutating func wait(_ pause: Int64) -> Int64 {
    if ended != nil { return 0 }
    if isOpen { return pause }
    defer { nap = min(nap * 2, pause) }
    return nap
  }

  /// Nothing was there to be taken: whether nothing will be.
  ///
  /// Only a look at the streams after its end has seen all that a program printed. Something that it left running, as
  /// ssh leaves the master of shared connections, may hold them open for ever.
  private mutating func isExhausted() -> Bool {
    if ended != nil { return true }
    _ = hasEnded()
    return false
  }

  private mutating func hasEnded() -> Bool {
    if ended == nil { ended = status(WNOHANG) }
    return ended != nil
  }

  private var isOpen: Bool { output != nil || errors != nil }

  private mutating func send(_ bytes: [UInt8]) {
    guard let input else { return }
    #if canImport(Darwin)
      // No signal either: the socket has SO_NOSIGPIPE.
      let flags = MSG_DONTWAIT
    #else
      let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    #endif
    let count = bytes[sent...].withUnsafeBytes { systemSend(input.number, $0.baseAddress, $0.count, flags) }
    if count > 0 {
      sent += count
    } else if errno != EAGAIN && errno != EINTR {
      // It does not want more: how it ends says whether that is well.
      sent = bytes.count
    }
  }

  private mutating func takeOutput(_ onOutput: (ArraySlice<UInt8>) -> Void) throws(ProgramError) {
    guard let piece = output?.read() else {
      output = nil
      return
    }
    onOutput(piece[...])
    guard keepsOutput else { return }
    guard printed.count + piece.count <= ProgramLimits.output else { throw .tooMuchOutput }
    printed += piece
  }

  private mutating func takeErrors() {
    guard let piece = errors?.read() else {
      errors = nil
      return
    }
    complained += piece.prefix(ProgramLimits.errors - complained.count)
  }

  // MARK: - Its end

  /// How the program, which has ended, did so.
  ///
  /// - Throws: `ProgramError.system` where that is unknown.
  consuming func result() throws(ProgramError) -> ProgramResult {
    let status: Int32
    switch ended {
    case .success(let code): status = code
    case .failure(let error): throw .system(error)
    case nil: throw .system(unknownEnd)
    }
    let signal = status & 0x7f
    return ProgramResult(
      status: signal == 0 ? (status >> 8) & 0xff : 128 + signal, output: printed, errors: complained)
  }

  /// Ends the program: asks first, so that it can clean up, and does not ask twice.
  consuming func end(_ clock: Clock) {
    // Once it was waited for, its number may be another process's, but for a group's of which somebody is left.
    guard ended == nil || (isGroup && isOpen) else { return }
    Self.kill(process, isGroup: isGroup, SIGTERM)
    input = nil
    output = nil
    errors = nil
    var waited: Int64 = 0
    while !hasEnded() {
      clock.sleep(10)
      waited += 10
      guard waited >= Self.patience else { continue }
      Self.kill(process, isGroup: isGroup, SIGKILL)
      ended = status(0)
      break
    }
  }

  /// waitpid(2): nil while the program runs.
  ///
  /// ECHILD is a failure: somebody else waited for it, or this process has the system forget its children (SIGCHLD is
  /// ignored), and how it ended is not to be known.
  private func status(_ options: Int32) -> Result<Int32, SystemError>? {
    var status: Int32 = 0
    while true {
      let answer = waitpid(process, &status, options)
      if answer == process { return .success(status) }
      if answer == 0 { return nil }
      if errno != EINTR { return .failure(SystemError(call: "waitpid", path: name, code: errno)) }
    }
  }

  private var unknownEnd: SystemError { SystemError(call: "waitpid", path: name, code: ECHILD) }

  private static func kill(_ process: pid_t, isGroup: Bool, _ signal: Int32) {
    #if canImport(Glibc)
      _ = Glibc.kill(isGroup ? -process : process, signal)
    #elseif canImport(Musl)
      _ = Musl.kill(isGroup ? -process : process, signal)
    #else
      _ = Darwin.kill(isGroup ? -process : process, signal)
    #endif
  }

  // MARK: - Its beginning

  private static func spawn(
    _ call: ProgramCall, streams: [Int32], ownGroup: Bool
  ) throws(ProgramError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    for (number, stream) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    // A thread that the library was called on may block signals; a child that blocks SIGTERM could not be ended.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    if ownGroup { posix_spawnattr_setpgroup(&attributes, 0) }
    let flags = Int(POSIX_SPAWN_SETSIGMASK) | (ownGroup ? Int(POSIX_SPAWN_SETPGROUP) : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words: [UnsafeMutablePointer<CChar>?] = ([call.program] + call.arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var variables = ProcessEnvironment.merged(with: call.environment).map { strdup($0) } + [nil]
    defer { for variable in variables { free(variable) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, call.program, &actions, &attributes, &words, &variables)
    guard code == 0 else {
      if code == ENOENT || code == EACCES || code == ENOTDIR { throw .missing(program: call.program) }
      throw .system(SystemError(call: "posix_spawn", path: call.program, code: code))
    }
    return process
  }
}

/// send(2), which the method that calls it would hide.
private func systemSend(
  _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
) -> Int {
  send(descriptor, bytes, count, flags)
}

#if !canImport(Darwin)
  /// pipe2(2), which the C library's module shows to no one who cannot define `_GNU_SOURCE`.
  @_silgen_name("pipe2")
  private func pipe2(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32
#endif

/// The variables of this process.
public enum ProcessEnvironment {
  /// getenv(3); nil where it is not set.
  public static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// `NAME=VALUE` strings for a child: those of this process, but for the ones that `changes` sets.
  static func merged(with changes: [String: String]) -> [String] {
    var result: [String] = []
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if changes[String(text.prefix { $0 != "=" })] == nil { result.append(text) }
      next += 1
    }
    return result + changes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}

/// A descriptor that is closed when its owner goes, and in every program that is started.
private final class Descriptor {
  let number: Int32

  private init(_ number: Int32) { self.number = number }

  deinit { PosixFileSystem().close(number) }

  /// - Returns: what there is to read; nil at the end.
  func read() -> [UInt8]? {
    var isAtEnd = false
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      #if canImport(Glibc)
        let got = Glibc.read(number, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        let got = Musl.read(number, buffer.baseAddress, buffer.count)
      #else
        let got = Darwin.read(number, buffer.baseAddress, buffer.count)
      #endif
      isAtEnd = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)
      count = max(0, got)
    }
    return isAtEnd ? nil : bytes
  }

  // A program that another thread starts meanwhile must not inherit the ends: Linux closes them in it from the first
  // moment, other systems a moment later.

  /// pipe(2): first the end to read from.
  static func pipe() throws(ProgramError) -> (Descriptor, Descriptor) {
    try pair("pipe") { ends in
      #if canImport(Darwin)
        Darwin.pipe(ends)
      #else
        pipe2(ends, O_CLOEXEC)
      #endif
    }
  }

  /// socketpair(2): a write to an end whose other one is closed is an error and no signal.
  static func socketPair() throws(ProgramError) -> (Descriptor, Descriptor) {
    let ends = try pair("socketpair") { ends in
      #if canImport(Glibc)
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, ends)
      #elseif canImport(Musl)
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
      #else
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends)
      #endif
    }
    #if canImport(Darwin)
      var isOn: Int32 = 1
      _ = setsockopt(ends.0.number, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    return ends
  }

  private static func pair(
    _ call: String, _ make: (UnsafeMutablePointer<Int32>) -> Int32
  ) throws(ProgramError) -> (Descriptor, Descriptor) {
    var ends: [Int32] = [-1, -1]
    let made = ends.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(make) ?? -1 }
    guard made == 0 else { throw .system(SystemError(call: call, path: "", code: errno)) }
    #if canImport(Darwin)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #endif
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }
}
