import ObjectStore
import RunicCore

/// Words for what goes wrong with a remote.
func remoteFailure(_ error: RemoteError) -> CommandFailure {
  switch error.reason {
  case .unreachable:
    unreachable(
      "unreachable", error.words,
      hint: error.program == nil
        ? "is the drive mounted? \(createHint)"
        : "see that the folder is there and the host is up; \(createHint)")
  case .empty:
    unreachable("empty", error.words, hint: "is the drive mounted? \(createHint)")
  case .notARepository:
    .failed(
      error.words, code: "not-a-repository",
      hint: "name an empty folder, or one that does not exist yet; where only its 'runic.json' is gone, "
        + "'runic push --repair' puts it back, on a machine that has it as a remote")
  case .inUse:
    .failed(error.words, code: "in-use", hint: "pull there instead, or share through a folder of its own")
  case .linked:
    .failed(
      error.words, code: "linked-folder",
      hint: "put a plain folder in its place; the remote's own folder may be a link")
  case .readOnly:
    .failed(
      error.words, code: "read-only",
      hint: error.program == nil
        ? "mount it for writing, then push again" : "let this user write there, then push again")
  case .forbidden:
    .failed(
      error.words, code: "forbidden",
      hint: error.program == nil
        ? "see who owns it: 'ls -ld \(error.place)'" : "see who owns the folder there, and whom it lets write"
    )
  case .full where error.program == nil: fullDisk(at: error.place)
  case .full:
    .failed(
      error.words, code: "disk-full", hint: "make room there and push again: it goes on where it stopped")
  case .quota:
    .failed(
      error.words, code: "quota",
      hint: "make room there and push again; 'runic stats --size' shows what takes how much")
  case .didNotArrive:
    .failed(
      error.words, code: "did-not-arrive", hint: "push again; if it happens again, see 'runic fsck REMOTE'")
  case .failed:
    .failed(error.words, code: "remote-failed", hint: error.cause.flatMap(systemHint))
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
  switch error.reason {
  case .unknownHost:
    unreachable(
      "unknown-host", error.words,
      hint: "see that its name is right and that this machine is on the network")
  case .refused:
    unreachable(
      "refused", error.words,
      hint: "see that its ssh server or rsync daemon runs, and at which port")
  case .timedOut:
    unreachable(
      "timed-out", error.words,
      hint: "try again, or wait longer: 'runic config set remote.NAME.timeout 300'")
  case .lostConnection:
    unreachable("lost-connection", error.words, hint: "run the command again: it goes on where it stopped")
  case .changedHostKey:
    unreachable(
      "changed-host-key", error.words,
      hint:
        "if it was set up anew, remove the old key with 'ssh-keygen -R HOST'; if not, somebody is in between")
  case .unknownHostKey:
    unreachable("unknown-host-key", error.words, hint: "connect once by hand and compare the key: 'ssh HOST'")
  case .authentication:
    unreachable(
      "authentication", error.words,
      hint:
        "for ssh, load the key ('ssh-add') or install it ('ssh-copy-id HOST'); for a daemon, set RSYNC_PASSWORD"
    )
  case .unknownModule:
    unreachable(
      "unknown-module", error.words,
      hint: "'rsync rsync://HOST/' lists a daemon's modules, 'rclone listremotes' the remotes of rclone")
  default: nil
  }
}

/// Words for the programs on both sides.
private func programFailure(_ error: RemoteError) -> CommandFailure {
  let program = error.program?.program ?? "the program"
  return switch error.reason {
  case .noise:
    unreachable(
      "noise", error.words,
      hint:
        "'ssh HOST true' must print nothing: let the login script there print only for people at a terminal")
  case .missingThere:
    unreachable(
      "missing-there", error.words,
      hint: "install it there, or name its folder in PATH for logins without a terminal")
  case .tooOldThere:
    .failed(error.words, code: "too-old-there", hint: "rsync 3.1.0 or later is needed there")
  case .missingHere:
    .failed(error.words, code: "missing-here", hint: "install it with this system's packages: '\(program)'")
  case .tooOldHere:
    .failed(
      error.words, code: "too-old-here",
      hint: program == "rsync" ? "rsync 3.1.0 or later is needed" : "rclone 1.60 or later is needed")
  default:
    unreachable("vanished", error.words, hint: "another device was pushing: run the command again")
  }
}
