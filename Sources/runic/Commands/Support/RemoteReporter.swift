import ObjectStore
import RunicCore

/// Shows what a remote over a line is about: commands under `--verbose`, progress at a terminal, what is tried again.
// A command runs on one thread, and all of this is called from within its calls.
final class RemoteReporter: @unchecked Sendable {
  private let output: Output
  private var rate = TransferRate()

  private let now: @Sendable () -> Int64

  init(_ output: Output, now: @escaping @Sendable () -> Int64) {
    self.output = output
    self.now = now
  }

  /// Real programs, ended by Ctrl-C.
  func options(retries: Bool) -> RemoteOptions {
    var options = RemoteOptions.system(.system)
    options.runner = InterruptibleRunner()
    options.retries = retries
    options.observer = RemoteObserver(
      willRun: { self.output.detail("runic: runs \($0.map(ShellWord.readable).joined(separator: " "))") },
      willRetry: { error, pause in
        let failure = remoteFailure(error)
        let seconds = (pause + 500) / 1000
        self.output.note("runic: \(failure.message); trying again in \(seconds) s")
      },
      progress: { progress in
        let rate = self.rate.take(progress, now: self.now())
        self.output.progress(
          ([Self.words(progress)] + (rate.map { ["\(readableSize($0))/s"] } ?? [])).joined(separator: ", "))
      })
    return options
  }

  static func words(_ progress: TransferProgress) -> String {
    let files = "\(progress.files) of \(counted(progress.allFiles, "file"))"
    return progress.allBytes == 0
      ? "\(files), \(readableSize(progress.bytes))"
      : "\(files), \(readableSize(progress.bytes)) of \(readableSize(progress.allBytes))"
  }
}

/// Runs programs so that Ctrl-C, or an end that was asked for, ends them first, and then the command, which cleans up.
struct InterruptibleRunner: ProgramRunner {
  private let base = SystemProgramRunner(isInterrupted: { Termination.isRequested })

  func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    if Interrupt.isRequested { throw .interrupted }
    let result: Result<ProgramResult, ProgramError> = Interrupt.deferred {
      do throws(ProgramError) { return .success(try base.run(call, onOutput: onOutput)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
