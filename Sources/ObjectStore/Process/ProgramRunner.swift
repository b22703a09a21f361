/// A program to be run: never through a shell, every argument as it stands.
public struct ProgramCall: Equatable, Sendable {
  /// A name that is looked up in `PATH`, or a path.
  public let program: String
  public let arguments: [String]
  /// Variables that are set beside those of this process.
  public let environment: [String: String]
  /// What it reads from its standard input.
  public let input: [UInt8]
  /// How long it may run, in milliseconds; nil: as long as it likes.
  public let timeLimit: Int64?
  /// Whether the result holds what it prints. If not, it may print without end: `onOutput` alone is handed it.
  public let keepsOutput: Bool

  public init(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = [],
    timeLimit: Int64? = nil, keepsOutput: Bool = true
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.timeLimit = timeLimit
    self.keepsOutput = keepsOutput
  }
}

/// How a program ended and what it printed.
public struct ProgramResult: Equatable, Sendable {
  /// The exit status, or 128 and the number of the signal that ended it, as shells count.
  public let status: Int32
  public let output: [UInt8]
  /// The first `ProgramLimits.errors` bytes of its standard error.
  public let errors: [UInt8]

  public init(status: Int32, output: [UInt8] = [], errors: [UInt8] = []) {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

public enum ProgramLimits {
  /// Bytes of standard output that are kept; more ends the program: a list of half a million names.
  public static let output = 64 << 20
  /// Bytes of standard error that are kept; what comes after them is dropped.
  public static let errors = 64 << 10
}

/// Why a program could not be run to its end.
public enum ProgramError: Error, Equatable, Sendable {
  /// There is no such program, or it cannot be executed.
  case missing(program: String)
  /// A call of the system failed; one of waitpid(2): how the program ended is not known.
  case system(SystemError)
  /// It was ended because it took longer than it may.
  case timedOut
  /// It was ended because this process is to stop.
  case interrupted
  /// It was ended because it printed more than is taken.
  case tooMuchOutput
}

/// Runs programs: the seam that tests put a stand-in behind.
public protocol ProgramRunner: Sendable {
  /// Runs a program to its end.
  ///
  /// - Parameter onOutput: is handed what the program prints, piece by piece as it comes.
  func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult
}

extension ProgramRunner {
  public func run(_ call: ProgramCall) throws(ProgramError) -> ProgramResult {
    try run(call) { _ in }
  }
}

/// Runs real programs as children of this process.
public struct SystemProgramRunner: ProgramRunner {
  private let clock: Clock
  private let isInterrupted: @Sendable () -> Bool

  /// How often a waiting runner looks whether it is to stop, in milliseconds.
  private static let pause: Int64 = 200

  /// - Parameter isInterrupted: whether this process was asked to stop; its children are then ended.
  public init(clock: Clock = .system, isInterrupted: @escaping @Sendable () -> Bool = { false }) {
    self.clock = clock
    self.isInterrupted = isInterrupted
  }

  public func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    var child = try ChildProcess(call)
    let begin = clock.ticks()
    do throws(ProgramError) {
      while try child.step(input: call.input, pause: Self.pause, onOutput: onOutput) {
        if isInterrupted() { throw .interrupted }
        if let limit = call.timeLimit, clock.ticks() &- begin > limit { throw .timedOut }
      }
    } catch {
      child.end(clock)
      throw error
    }
    return try child.result()
  }
}
