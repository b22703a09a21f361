import ObjectStore

/// Words for what goes wrong with a remote.
func remoteFailure(_ error: RemoteError) -> CommandFailure {
  let place = "'\(error.place)'"
  return switch error.reason {
  case .unreachable:
    unreachable(
      "unreachable", "\(place) cannot be reached\(cause(of: error))",
      hint: error.program == nil
        ? "is the drive mounted? \(createHint)"
        : "see that the folder is there and the host is up; \(createHint)")
  case .empty:
    unreachable("empty", "\(place) is empty", hint: "is the drive mounted? \(createHint)")
  case .notARepository:
    .failed(
      "\(place) holds something, but no runic repository", code: "not-a-repository",
      hint: "name an empty folder, or one that does not exist yet; where only its 'runic.json' is gone, "
        + "'runic push --repair' puts it back")
  case .inUse:
    .failed(
      "\(place) is the repository of a device: it may be pulled from, not pushed into", code: "in-use",
      hint: "pull there instead, or share through a folder of its own")
  case .linked:
    .failed(
      "\(place) is a link, or no folder: nothing is written through it", code: "linked-folder",
      hint: "put a plain folder in its place; the remote's own folder may be a link")
  case .readOnly:
    .failed(
      "\(place) is read-only\(cause(of: error))", code: "read-only",
      hint: error.program == nil
        ? "mount it for writing, then push again" : "let this user write there, then push again")
  case .forbidden:
    .failed(
      "\(place): permission denied\(error.program == nil ? "" : cause(of: error))", code: "forbidden",
      hint: error.program == nil
        ? "see who owns it: 'ls -ld \(error.place)'" : "see who owns the folder there, and whom it lets write"
    )
  case .full where error.program == nil: fullDisk(at: error.place)
  case .full:
    .failed(
      "the disk at \(place) is full\(cause(of: error))", code: "disk-full",
      hint: "make room there and push again: it goes on where it stopped")
  case .quota:
    .failed(
      "your share of the disk at \(place) is used up\(cause(of: error))", code: "quota",
      hint: "make room there and push again; 'runic stats --size' shows what takes how much")
  case .didNotArrive:
    .failed(
      "\(place) was sent and is not there at its full length", code: "did-not-arrive",
      hint: "push again; if it happens again, see 'runic fsck REMOTE'")
  case .failed:
    .failed(
      "\(place) failed\(cause(of: error))", code: "remote-failed", hint: error.cause.flatMap(systemHint))
  case .interrupted: .interrupted
  default: lineFailure(error) ?? programFailure(error)
  }
}

private let createHint = "'runic remote check NAME --create' makes the repository where none ever was"

private func unreachable(_ code: String, _ message: String, hint: String) -> CommandFailure {
  CommandFailure(.unreachable, code: code, message, hint: hint)
}

/// Words for a line that fails before a byte of the repository is read.
private func lineFailure(_ error: RemoteError) -> CommandFailure? {
  let (place, cause) = ("'\(error.place)'", cause(of: error))
  return switch error.reason {
  case .unknownHost:
    unreachable(
      "unknown-host", "the host of \(place) is unknown\(cause)",
      hint: "see that its name is right and that this machine is on the network")
  case .refused:
    unreachable(
      "refused", "the host of \(place) refuses the connection\(cause)",
      hint: "see that its ssh server or rsync daemon runs, and at which port")
  case .timedOut:
    unreachable(
      "timed-out", "\(place) did not answer in time\(cause)",
      hint: "try again, or wait longer: 'runic config set remote.NAME.timeout 300'")
  case .lostConnection:
    unreachable(
      "lost-connection", "the connection to \(place) was lost\(cause)",
      hint: "run the command again: it goes on where it stopped")
  case .changedHostKey:
    unreachable(
      "changed-host-key", "the host of \(place) shows another key than before",
      hint:
        "if it was set up anew, remove the old key with 'ssh-keygen -R HOST'; if not, somebody is in between")
  case .unknownHostKey:
    unreachable(
      "unknown-host-key", "the key of the host of \(place) is not confirmed\(cause)",
      hint: "connect once by hand and compare the key: 'ssh HOST'")
  case .authentication:
    unreachable(
      "authentication", "\(place) does not let you in\(cause)",
      hint:
        "for ssh, load the key ('ssh-add') or install it ('ssh-copy-id HOST'); for a daemon, set RSYNC_PASSWORD"
    )
  case .unknownModule:
    unreachable(
      "unknown-module", "there is no module or remote of that name at \(place)\(cause)",
      hint: "'rsync rsync://HOST/' lists a daemon's modules, 'rclone listremotes' the remotes of rclone")
  default: nil
  }
}

/// Words for the programs on both sides.
private func programFailure(_ error: RemoteError) -> CommandFailure {
  let (place, cause) = ("'\(error.place)'", cause(of: error))
  let program = error.program?.program ?? "the program"
  return switch error.reason {
  case .noise:
    unreachable(
      "noise", "the login at \(place) prints something of its own\(cause)",
      hint:
        "'ssh HOST true' must print nothing: let the login script there print only for people at a terminal")
  case .missingThere:
    unreachable(
      "missing-there", "rsync is not installed at \(place)\(cause)",
      hint: "install it there, or name its folder in PATH for logins without a terminal")
  case .tooOldThere:
    .failed(
      "rsync is too old at \(place)\(cause)", code: "too-old-there",
      hint: "rsync 3.1.0 or later is needed there")
  case .missingHere:
    .failed(
      "\(program) is not installed here", code: "missing-here",
      hint: "install it with this system's packages: '\(program)'")
  case .tooOldHere:
    .failed(
      "\(program) is too old here\(cause)", code: "too-old-here",
      hint: program == "rsync" ? "rsync 3.1.0 or later is needed" : "rclone 1.60 or later is needed")
  default:
    unreachable(
      "vanished", "files at \(place) went while they were read\(cause)",
      hint: "another device was pushing: run the command again")
  }
}

/// What the system or the program said, where it said something.
private func cause(of error: RemoteError) -> String {
  if let program = error.program {
    if !program.said.isEmpty { return ": \(program.said)" }
    return program.status.map { ": \(program.program) ended with status \($0)" } ?? ""
  }
  guard let cause = error.cause else { return "" }
  return ": \(System.message(cause.code))"
}
