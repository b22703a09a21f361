import CanonicalJSON
import ObjectStore

/// The moments at which a repository runs a program of the user's, if there is one of that name in `hooks/`.
public enum Hook: String, CaseIterable, Sendable {
  /// Before anything else; one that fails stops the sync.
  case preSync = "pre-sync"
  /// After a merge that changed records.
  case postMerge = "post-merge"
  /// After a sync that failed.
  case onFailure = "on-failure"
}

/// Why a hook did not do its work.
public struct HookFailure: Error, Sendable {
  public enum Reason: Equatable, Sendable {
    case status(Int32)
    case timedOut(seconds: Int)
    /// It cannot be executed, or the program that its first line names is missing.
    case notExecutable
    case program(ProgramError)
    /// What it is to be told could not be read.
    case noInput
  }

  public let hook: Hook
  public let path: String
  public let reason: Reason
  /// The first line that it printed on standard error, or why it was not run.
  public let message: String
}

/// Runs the hooks of a repository. Nobody holds the lock meanwhile: a hook may run any command.
public struct HookRunner {
  private let folder: String
  private let repository: String
  private let fileSystem: any FileSystem
  private let programs: any ProgramRunner
  /// Seconds that each may take: a day at most.
  private let timeLimit: Int
  /// Is handed what hooks print, a line at a time.
  private let onMessage: (Hook, String) -> Void
  /// Whether this process was started by a hook: a sync in a hook runs none, or it would never end.
  private let isInHook: Bool

  /// Lines that one hook may have shown; a person wants no more.
  private static let shownLines = 100

  public init(
    _ repository: Repository, programs: any ProgramRunner, isInHook: Bool = false,
    onMessage: @escaping (Hook, String) -> Void
  ) {
    folder = repository.layout.hooks
    self.repository = repository.layout.root
    fileSystem = repository.environment.fileSystem
    self.programs = programs
    self.isInHook = isInHook
    timeLimit = repository.configuration.hookTimeLimit
    self.onMessage = onMessage
  }

  /// Whether there is a hook of that name: any file that can be executed.
  public func exists(_ hook: Hook) -> Bool {
    guard !isInHook, let status = try? fileSystem.status(path(hook)) else { return false }
    return status.type == .symbolicLink || (status.type == .file && status.permissions & 0o111 != 0)
  }

  private func path(_ hook: Hook) -> String { "\(folder)/\(hook.rawValue)" }

  /// Runs the hook, if there is one, and waits for its end.
  ///
  /// - Parameters:
  ///   - remote: the remote of the sync: the hook's argument, and `RUNIC_REMOTE`.
  ///   - input: one line of JSON for its standard input.
  public func run(_ hook: Hook, remote: String, operation: String, input: JSONValue = .null)
    throws(HookFailure)
  {
    guard exists(hook) else { return }
    let call = ProgramCall(
      path(hook), [remote, operation],
      environment: [
        "RUNIC_HOOK": hook.rawValue, "RUNIC_OPERATION": operation, "RUNIC_REMOTE": remote,
        "RUNIC_REPO": repository,
      ],
      input: input.isNull ? [] : input.canonicalBytes + [UInt8(ascii: "\n")],
      timeLimit: Int64(timeLimit) * 1000)
    let result: ProgramResult
    do throws(ProgramError) { result = try programs.run(call) } catch {
      throw HookFailure(hook: hook, path: path(hook), reason: reason(error), message: "")
    }
    for line in Self.lines(result.output + result.errors).prefix(Self.shownLines) { onMessage(hook, line) }
    guard result.status != 0 else { return }
    throw HookFailure(
      hook: hook, path: path(hook), reason: .status(result.status),
      message: Self.lines(result.errors).first ?? "")
  }

  /// Of a hook that could not be run, for want of what it is to be told.
  func notRun(_ hook: Hook, message: String) -> HookFailure {
    HookFailure(hook: hook, path: path(hook), reason: .noInput, message: message)
  }

  private func reason(_ error: ProgramError) -> HookFailure.Reason {
    switch error {
    case .missing: .notExecutable
    // A script without a first line that names its interpreter.
    case .system(let cause) where cause.isNotExecutable: .notExecutable
    case .timedOut: .timedOut(seconds: timeLimit)
    case .system, .interrupted, .tooMuchOutput: .program(error)
    }
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}
