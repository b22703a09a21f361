import CanonicalJSON
import ObjectStore

/// Why an engine could not do what it was asked. Each case carries what it concerns, in words.
public enum SyncError: Error, Hashable, Sendable {
  /// The place of the remote is missing, empty or not writable, or does not let this user in.
  case remoteUnavailable(String)
  /// The line to the remote is down. What was enqueued waits.
  case networkUnavailable(String)
  /// A disk, here or there, is full, or the user's share of it.
  case quotaExceeded(String)
  case wrongKey(String)
  /// Files here or there are not what they should be, or are missing.
  case damaged(String)
  /// Another process holds the repository, or the user's `pre-sync` hook stopped the sync. What was enqueued waits.
  case busy(String)
  case conflictResolutionFailed(String)
  /// A record that its kind does not allow, or that is not there. The rest of a batch is not touched by it.
  case invalidRecord(String)
  case timeout(String)

  /// What it concerns.
  public var subject: String {
    switch self {
    case .remoteUnavailable(let text), .networkUnavailable(let text), .quotaExceeded(let text),
      .wrongKey(let text), .damaged(let text), .busy(let text), .conflictResolutionFailed(let text),
      .invalidRecord(let text), .timeout(let text):
      text
    }
  }

  /// One sentence for people.
  public var localizedDescription: String {
    switch self {
    case .remoteUnavailable(let text): "The remote is not available: \(text)"
    case .networkUnavailable(let text): "The network is not available, what was recorded waits: \(text)"
    case .quotaExceeded(let text): "There is no room left: \(text)"
    case .wrongKey(let text): "The key does not open the repository: \(text)"
    case .damaged(let text): "Something is not as it should be: \(text)"
    case .busy(let text): "The repository is busy: \(text)"
    case .conflictResolutionFailed(let text): "A conflict could not be resolved: \(text)"
    case .invalidRecord(let text): "The record is not valid: \(text)"
    case .timeout(let text): "It took too long: \(text)"
    }
  }
}

extension SyncError: CustomStringConvertible {
  public var description: String { localizedDescription }
}

// MARK: - Causes

extension SyncError {
  /// Does something whose failures an app is told in its own terms.
  static func of<Value>(_ body: () throws -> Value) throws(SyncError) -> Value {
    do { return try body() } catch { throw SyncError(error) }
  }

  /// As `on-failure` gets it.
  var json: JSONValue {
    ["code": .string(JSONString(code)), "hint": .null, "message": .string(JSONString(localizedDescription))]
  }

  private var code: String {
    switch self {
    case .remoteUnavailable: "remote-unavailable"
    case .networkUnavailable: "network-unavailable"
    case .quotaExceeded: "quota-exceeded"
    case .wrongKey: "wrong-key"
    case .damaged: "damaged"
    case .busy: "busy"
    case .conflictResolutionFailed: "conflict-resolution-failed"
    case .invalidRecord: "invalid-record"
    case .timeout: "timeout"
    }
  }

  /// Sorts what the core threw.
  init(_ error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as RemoteError: self.init(remote: error)
    case let error as RunicError: self.init(repository: error)
    case let error as SystemError: self.init(system: error)
    case ReadError.system(let cause): self.init(system: cause)
    case ReadError.refused(let path): self = .damaged("'\(path)' is no plain file, or is too long")
    case ProgramError.timedOut: self = .timeout("a program \(ProgramError.timedOut.words)")
    case let error as ProgramError: self = .damaged("a program \(error.words)")
    case let error as LockTimeout: self = .busy("another process holds '\(error.path)'")
    case let error as DamagedFile: self.init(format: error.reason, of: error.name.path)
    case let error as FormatError: self.init(format: error, of: "a file")
    case let error as JSONError: self = .invalidRecord(RunicError.badPayload(error).words)
    case let error as FileDidNotArrive: self = .remoteUnavailable(error.words)
    case let error as CommitTooLarge: self = .invalidRecord(error.words)
    case is TableError, is StateDecodingError: self = .damaged("the index cannot be read")
    case is KeyDerivationError: self = .wrongKey("the passphrase's key could not be derived")
    case is CancellationError: self = .timeout("the task was cancelled")
    default: self = .damaged("unexpected error: \(error)")
    }
  }

  private init(remote error: RemoteError) {
    let words = error.words
    self =
      switch error.reason {
      case .full, .quota: .quotaExceeded(words)
      case .timedOut: .timeout(words)
      case .unknownHost, .refused, .lostConnection: .networkUnavailable(words)
      default: .remoteUnavailable(words)
      }
  }

  private init(system error: SystemError) {
    self = error.isFull ? .quotaExceeded(error.words) : .damaged(error.words)
  }

  private init(format error: FormatError, of subject: String) {
    let words = error.words(of: subject)
    if case .keyNotHeld = error { self = .wrongKey(words) } else { self = .damaged(words) }
  }

  private init(repository error: RunicError) {
    let words = error.words
    self =
      switch error {
      case .wrongKey, .wrongKeyFile, .foreignRepository, .noUsableSlot, .badKeyString, .keyFromCommand,
        .keysLost, .olderKey, .keyNotPrinted, .keyFileAbsent,
        .badConfiguration("key.command", _):
        .wrongKey(words)
      case .noRepository, .repositoryExists, .joinedAlready, .coveredPlace, .sharedPlace, .occupiedPlace,
        .badPrivateFile, .badKeyFile, .newerFormat,
        .badConfiguration, .unknownConfiguration:
        .damaged(words)
      case .unknownRemote, .remoteExists, .ownPlace, .placeTaken, .badRemoteName, .badAddress:
        .remoteUnavailable(words)
      case .hookFailed: .busy(words)
      case .unknownKind, .badKindName, .kindExists, .kindDeclaredTwice, .unknownRecord, .ambiguous,
        .unknownDevice, .unknownSlot,
        .unknownFile, .unknownCommit, .badField, .badPayload, .badChange, .badID, .tooLarge, .wrongFamily,
        .notPerKey, .changedMeanwhile, .badLine, .notConflicting, .notLocal:
        .invalidRecord(words)
      }
  }
}
