import ObjectStore

extension RemoteError {
  /// What happened at which place, and what the system or the program said of it.
  package var words: String {
    let place = "'\(place)'"
    return switch reason {
    case .unreachable: "\(place) cannot be reached\(saying)"
    case .empty: "\(place) is empty"
    case .notARepository: "\(place) holds something, but no runic repository"
    case .inUse: "\(place) is the repository of a device: it may be pulled from, not pushed into"
    case .linked: "\(place) is a link, or no folder: nothing is written through it"
    case .readOnly: "\(place) is read-only\(saying)"
    case .forbidden: "\(place): permission denied\(program == nil ? "" : saying)"
    case .full: "the disk at \(place) is full\(saying)"
    case .quota: "your share of the disk at \(place) is used up\(saying)"
    case .didNotArrive: "\(place) was sent and is not there at its full length"
    case .failed: "\(place) failed\(saying)"
    case .interrupted: "interrupted"
    case .missingThere: "rsync is not installed at \(place)\(saying)"
    case .tooOldThere: "rsync is too old at \(place)\(saying)"
    case .missingHere: "\(programName) is not installed here"
    case .tooOldHere: "\(programName) is too old here\(saying)"
    case .vanished: "files at \(place) went while they were read\(saying)"
    default: lineWords(place)
    }
  }

  /// Of a line that fails before a byte of the repository is read.
  private func lineWords(_ place: String) -> String {
    switch reason {
    case .unknownHost: "the host of \(place) is unknown\(saying)"
    case .refused: "the host of \(place) refuses the connection\(saying)"
    case .timedOut: "\(place) did not answer in time\(saying)"
    case .changedHostKey: "the host of \(place) shows another key than before"
    case .unknownHostKey: "the key of the host of \(place) is not confirmed\(saying)"
    case .authentication: "\(place) does not let you in\(saying)"
    case .unknownModule: "there is no module or remote of that name at \(place)\(saying)"
    case .noise: "the login at \(place) prints something of its own\(saying)"
    default: "the connection to \(place) was lost\(saying)"
    }
  }

  private var programName: String { program?.program ?? "the program" }

  /// What the system or the program said, where it said something.
  private var saying: String {
    if let program {
      if !program.said.isEmpty { return ": \(program.said)" }
      return program.status.map { ": \(program.program) ended with status \($0)" } ?? ""
    }
    return cause.map { ": \($0.said)" } ?? ""
  }
}
