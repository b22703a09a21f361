import ObjectStore

/// A repository on a thread of its own: whatever blocks in it (files, the lock, a remote) holds up nobody else.
actor RepositoryWorker {
  private let thread: SerialThread
  private let repository: Repository

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Throws: `RunicError.noRepository`, `SystemError` where there is no thread to be had, and whatever else
  ///   opening it throws.
  init(path: String, environment: Environment) throws {
    thread = try SerialThread()
    repository = try Repository.open(at: path, environment: environment)
  }

  func run<Value: Sendable>(_ body: @Sendable (Repository) throws -> Value) throws -> Value {
    try body(repository)
  }
}
