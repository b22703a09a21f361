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
    case let error as SystemError where error.isFull: self = .quotaExceeded(error.path)
    case let error as SystemError: self = .damaged("\(error.call) \(error.path): errno \(error.code)")
    case let error as LockTimeout: self = .busy("another process holds \(error.path)")
    case let error as DamagedFile: self = .damaged(error.name.path)
    case let error as FileDidNotArrive: self = .remoteUnavailable(error.name.path)
    case is CommitTooLarge: self = .invalidRecord("the record is too large")
    case is CancellationError: self = .timeout("the task was cancelled")
    default: self = .damaged("\(error)")
    }
  }

  private init(remote error: RemoteError) {
    let said = error.program.map { $0.said.isEmpty ? "" : ": \($0.said)" } ?? ""
    let text = "\(error.place) (\(error.reason))\(said)"
    self =
      switch error.reason {
      case .full, .quota: .quotaExceeded(text)
      case .timedOut: .timeout(text)
      case .unknownHost, .refused, .lostConnection: .networkUnavailable(text)
      default: .remoteUnavailable(text)
      }
  }

  private init(repository error: RunicError) {
    switch error {
    case .wrongKey: self = .wrongKey("wrong key")
    case .foreignRepository(let here, let there):
      self = .wrongKey("another repository lies there: \(there.hex), not \(here.hex)")
    case .noRepository(let path):
      self = .damaged(path.isEmpty ? "nothing says where one lies" : "there is no repository at \(path)")
    case .repositoryExists(let path): self = .damaged("there is a repository at \(path) already")
    case .coveredPlace(let path, let sign): self = .damaged("a sync tool covers \(path): \(sign)")
    case .badPrivateFile(let path): self = .damaged(path)
    case .noUsableSlot: self = .wrongKey("no passphrase opens it")
    case .hookFailed(let failure): self = .busy("hooks/\(failure.hook.rawValue) \(failure.reason.words)")
    case .newerFormat(let name, let version): self = .damaged("\(name) needs format \(version)")
    case .unknownRemote(let name, _): self = .remoteUnavailable("there is no remote '\(name)'")
    case .badAddress(let address): self = .remoteUnavailable(address)
    case .badField(let kind, let field, let problem): self = .invalidRecord("\(kind): \(field): \(problem)")
    case .unknownKind(let kind, _): self = .invalidRecord("there is no kind '\(kind)'")
    case .unknownRecord(let kind, let id, _): self = .invalidRecord("there is no \(kind) '\(id)'")
    case .wrongFamily(let kind, let family):
      self = .invalidRecord(
        family == .history ? "'\(kind)' is a history: nothing in it is deleted" : "'\(kind)' is no history")
    case .badPayload(let cause): self = .invalidRecord("\(cause.message) at byte \(cause.position)")
    case .tooLarge(let what, let limit): self = .invalidRecord("\(what) over \(limit) bytes")
    default: self = .invalidRecord("\(error)")
    }
  }
}
