/// Runs the program behind a remote: shows what is run, sorts how it ended, tries again what may pass.
struct RemoteProgram: Sendable {
  let options: RemoteOptions
  private let clock: Clock
  private let random: RandomSource

  init(_ options: RemoteOptions, clock: Clock, random: RandomSource) {
    self.options = options
    self.clock = clock
    self.random = random
  }

  /// Runs a program until it ends well, or in a way that does not pass.
  ///
  /// - Parameters:
  ///   - onOutput: is handed what is printed, from the beginning again where the run is tried again.
  ///   - judge: the error that a result stands for; nil where it is well.
  func run(
    _ call: ProgramCall, place: String, onOutput: (ArraySlice<UInt8>) -> Void = { _ in },
    judge: (ProgramResult) -> RemoteError?
  ) throws(RemoteError) -> ProgramResult {
    let schedule = RetrySchedule(random: random)
    var failures = 0
    while true {
      do throws(RemoteError) {
        return try runOnce(call, place: place, onOutput: onOutput, judge: judge)
      } catch {
        failures += 1
        guard options.retries, error.isPassing, let wait = schedule.pause(afterFailure: failures) else {
          throw error
        }
        options.observer.willRetry(error, wait)
        clock.sleep(wait)
      }
    }
  }

  private func runOnce(
    _ call: ProgramCall, place: String, onOutput: (ArraySlice<UInt8>) -> Void,
    judge: (ProgramResult) -> RemoteError?
  ) throws(RemoteError) -> ProgramResult {
    options.observer.willRun([call.program] + call.arguments)
    let result: ProgramResult
    do throws(ProgramError) { result = try options.runner.run(call, onOutput: onOutput) } catch {
      throw RemoteError(error, of: call.program, place: place)
    }
    if let error = judge(result) { throw error }
    return result
  }
}

extension RemoteError {
  init(_ error: ProgramError, of program: String, place: String) {
    switch error {
    case .missing(let program):
      let failure = ProgramFailure(program: program, status: nil, said: "")
      self.init(.missingHere, place: place, program: failure)
    case .system(let cause): self.init(.failed, place: place, cause: cause)
    case .timedOut: self.init(.timedOut, place: place)
    case .interrupted: self.init(.interrupted, place: place)
    case .tooMuchOutput:
      self.init(.failed, place: place, program: ProgramFailure(program: program, status: nil, said: ""))
    }
  }
}

/// What a program wrote to its standard error, for looking into.
struct ProgramMessages {
  /// Characters of a line that is shown; a person wants no more.
  private static let shownLength = 300

  let lines: [String]

  init(_ bytes: [UInt8]) {
    lines = bytes.split { $0 == 0x0a || $0 == 0x0d }.map { String(decoding: $0, as: UTF8.self) }
  }

  func contains(_ part: String) -> Bool { lines.contains { $0.contains(part) } }

  /// The line that best says what happened: the first that has one of these parts, else the last.
  ///
  /// A terminal may do anything with control characters, so none of them stays.
  func telling(_ parts: [String]) -> String {
    let line = lines.first { line in parts.contains { line.contains($0) } } ?? lines.last ?? ""
    let plain = line.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
    return String(plain.prefix(Self.shownLength))
  }
}
