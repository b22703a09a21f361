/// What went wrong with a remote: the sort decides the exit status, what to advise, and whether to try again.
public struct RemoteError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable, CaseIterable {
    /// It cannot be reached, or its place is missing: perhaps the drive is not mounted.
    case unreachable
    /// The place is there and empty: no repository was ever made in it, or the drive is not mounted.
    case empty
    /// The place holds something, but no repository.
    case notARepository
    /// The place is a repository that a device works in: it may be pulled from, not pushed into.
    case inUse
    /// A folder of the tree is a link, or no folder: what is written through it would lie elsewhere.
    case linked
    case readOnly
    case forbidden
    case full
    /// This user's share of the disk is used up.
    case quota
    /// A file was sent, and is not there at its full length.
    case didNotArrive
    /// Another failure of a system call or a program.
    case failed

    // On the line to it.
    case unknownHost, refused, timedOut, lostConnection
    /// The host shows another key than the one that is known, or one that nobody has confirmed yet.
    case changedHostKey, unknownHostKey
    /// The host, or the daemon of a module, does not let this user in.
    case authentication
    /// The daemon has no module of that name, or the program no remote of that name.
    case unknownModule
    /// Something else than the program speaks on the line: a login script that prints.
    case noise
    /// The program is missing there, or too old there.
    case missingThere, tooOldThere

    // On this side.
    case missingHere, tooOldHere
    case interrupted
    /// Files went while they were transferred.
    case vanished
  }

  public let reason: Reason
  /// The remote's address, or the path in it that the failure is about.
  public let place: String
  /// The system call behind it, where there is one.
  public let cause: SystemError?
  /// The program behind it, where there is one.
  public let program: ProgramFailure?

  public init(_ reason: Reason, place: String, cause: SystemError? = nil, program: ProgramFailure? = nil) {
    self.reason = reason
    self.place = place
    self.cause = cause
    self.program = program
  }

  /// Whether the failure may pass by itself, so that trying again is of use.
  public var isPassing: Bool {
    switch reason {
    case .timedOut, .lostConnection, .vanished: true
    default: false
    }
  }
}

/// How a program that a remote is reached through ended.
public struct ProgramFailure: Equatable, Sendable {
  public let program: String
  /// The exit status; nil where it did not end by itself.
  public let status: Int32?
  /// The line of its messages that says what happened: foreign text, at most 300 characters, none of
  /// them a control character.
  public let said: String

  public init(program: String, status: Int32?, said: String) {
    self.program = program
    self.status = status
    self.said = said
  }
}

extension RemoteError {
  /// Sorts the failure of a system call at a remote.
  public init(_ cause: SystemError, place: String) {
    let reason: Reason =
      if cause.isQuota { .quota } else if cause.isFull { .full } else if cause.isReadOnly {
        .readOnly
      } else if cause.isForbidden { .forbidden } else if cause.isMissing || cause.isGone {
        .unreachable
      } else { .failed }
    self.init(reason, place: place, cause: cause)
  }
}
