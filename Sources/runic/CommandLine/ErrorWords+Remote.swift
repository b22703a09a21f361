import ObjectStore

/// Words for what goes wrong with a remote.
func remoteFailure(_ error: RemoteError) -> CommandFailure {
  let place = "'\(error.place)'"
  return switch error.reason {
  case .unreachable:
    CommandFailure(
      .unreachable, code: "unreachable", "\(place) cannot be reached\(cause(of: error))",
      hint:
        "is the drive mounted? 'runic remote check NAME --create' makes the repository where none ever was")
  case .empty:
    CommandFailure(
      .unreachable, code: "empty", "\(place) is empty",
      hint:
        "is the drive mounted? 'runic remote check NAME --create' makes the repository where none ever was")
  case .notARepository:
    .failed(
      "\(place) holds something, but no runic repository", code: "not-a-repository",
      hint: "name an empty folder, or one that does not exist yet")
  case .inUse:
    .failed(
      "\(place) is the repository of a device: it may be pulled from, not pushed into", code: "in-use",
      hint: "pull there instead, or share through a folder of its own")
  case .readOnly:
    .failed("\(place) is read-only", code: "read-only", hint: "mount it for writing, then push again")
  case .forbidden:
    .failed(
      "\(place): permission denied", code: "forbidden", hint: "see who owns it: 'ls -ld \(error.place)'")
  case .full: fullDisk(at: error.place)
  case .failed: .failed("\(place) failed\(cause(of: error))", code: "remote-failed")
  }
}

/// What the system said, where it said something.
private func cause(of error: RemoteError) -> String {
  guard let cause = error.cause else { return "" }
  return ": \(System.message(cause.code))"
}
