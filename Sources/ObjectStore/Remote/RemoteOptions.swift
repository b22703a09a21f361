/// How far a transfer is.
public struct TransferProgress: Equatable, Sendable {
  /// Files and bytes that are over, of so many in all.
  public var files: Int
  public var bytes: Int64
  public let allFiles: Int
  public let allBytes: Int64

  public init(files: Int, bytes: Int64, allFiles: Int, allBytes: Int64) {
    self.files = files
    self.bytes = bytes
    self.allFiles = allFiles
    self.allBytes = allBytes
  }
}

/// What a person may want to see of a remote's work while it goes on.
public struct RemoteObserver: Sendable {
  /// A program is about to be run: it and its arguments. They hold no secret.
  public var willRun: @Sendable ([String]) -> Void
  /// A failure that may pass, and after how many milliseconds the same is tried again.
  public var willRetry: @Sendable (RemoteError, Int64) -> Void
  public var progress: @Sendable (TransferProgress) -> Void

  public init(
    willRun: @escaping @Sendable ([String]) -> Void = { _ in },
    willRetry: @escaping @Sendable (RemoteError, Int64) -> Void = { _, _ in },
    progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
  ) {
    self.willRun = willRun
    self.willRetry = willRetry
    self.progress = progress
  }
}

/// What remotes over a line need of the world around them.
public struct RemoteOptions: Sendable {
  /// Runs the programs.
  public var runner: any ProgramRunner
  /// Is told of them, of retries and of progress.
  public var observer: RemoteObserver
  /// Seconds without an answer after which a line counts as lost.
  public var timeout: Int
  /// Whether failures that may pass are tried again.
  public var retries: Bool
  /// The command that `RSYNC_RSH` names; nil where it is not set.
  public var remoteShell: String?
  /// A folder of this side for what lives no longer than a call.
  public var scratch: String

  /// Seconds, where nothing else is set.
  public static let defaultTimeout = 60

  public init(
    runner: any ProgramRunner, observer: RemoteObserver = RemoteObserver(), timeout: Int = defaultTimeout,
    retries: Bool = true, remoteShell: String? = nil, scratch: String = "/tmp"
  ) {
    self.runner = runner
    self.observer = observer
    self.timeout = timeout
    self.retries = retries
    self.remoteShell = remoteShell
    self.scratch = scratch
  }

  /// Real programs, and what the environment of this process says.
  public static func system(_ clock: Clock) -> RemoteOptions {
    let shell = ProcessEnvironment.value("RSYNC_RSH")
    let scratch = ProcessEnvironment.value("TMPDIR")
    return RemoteOptions(
      runner: SystemProgramRunner(clock: clock), remoteShell: shell.flatMap { $0.isEmpty ? nil : $0 },
      scratch: scratch.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil } ?? "/tmp")
  }
}
