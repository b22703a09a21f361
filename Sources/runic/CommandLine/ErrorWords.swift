import CanonicalJSON
import ObjectStore
import RunicCore

/// Turns whatever was thrown into a status and words: the one switch that knows the errors of all layers.
func commandFailure(for error: any Error) -> CommandFailure {
  switch error {
  case let failure as CommandFailure: failure
  case let error as RunicError: repositoryFailure(error)
  case let error as RemoteError: remoteFailure(error)
  case let error as SystemError: systemFailure(error)
  case let error as ProgramError: programFailure(error)
  case let error as ReadError: readFailure(error)
  case let error as DamagedFile: damageFailure(error.name.path, error.reason, hint: mendingHint(error.name))
  case let error as FormatError: damageFailure("a file", error)
  case let error as LockTimeout: busyFailure(error)
  case let error as JSONError: badJSON(RunicError.badPayload(error).words)
  case let error as CommitTooLarge: tooLarge(error.words)
  case let error as FileDidNotArrive:
    .failed(
      error.words, code: "did-not-arrive",
      hint: "push again; if it stays so, the disk or the connection is bad")
  case is TableError, is StateDecodingError:
    CommandFailure(
      .damaged, code: "bad-index", "the index cannot be read",
      hint: "'runic fsck' makes it anew: no record is lost")
  case is KeyDerivationError:
    .failed("the passphrase's key could not be derived", hint: "scrypt needs 128 MiB of free memory")
  default: unexpected(error)
  }
}

func unexpected(_ error: any Error) -> CommandFailure {
  .failed(
    "unexpected error: \(error)", code: "unexpected",
    hint: "this is a fault of runic: please report it, with what was typed")
}

func badJSON(_ words: String) -> CommandFailure {
  .failed(words, code: "bad-json", hint: "mend the text at that byte")
}

func tooLarge(_ words: String) -> CommandFailure {
  .failed(words, code: "too-large", hint: "store less in one record, or record less at once")
}

// MARK: - The system

/// Words for a system call that failed: what it was about and what the system says.
private func systemFailure(_ error: SystemError) -> CommandFailure {
  if error.isFull { return fullDisk(at: error.path) }
  return .failed(error.words, code: "system", hint: systemHint(error))
}

/// What helps where this machine, and not the repository, stands in the way.
func systemHint(_ error: SystemError) -> String? {
  if error.isReadOnly {
    return "mount it for writing, or name a repository elsewhere: --repo DIR; only what reads works here"
  }
  if error.isTooLong { return "files may be no longer than 'ulimit -f' says: 'ulimit -f unlimited' lifts it" }
  if error.isOutOfDescriptors {
    return "'ulimit -n' says how many files may be open: 'ulimit -n 256' is enough"
  }
  return error.path.isEmpty ? nil : "look at what is there: 'ls -ld \(error.path)'"
}

/// Words for a program of this machine that could not be run to its end.
private func programFailure(_ error: ProgramError) -> CommandFailure {
  switch error {
  case .interrupted: .interrupted
  case .missing(let program):
    .failed(
      "'\(program)' is not installed here", code: "missing-here",
      hint: "install it with this system's packages")
  case .system(let cause): systemFailure(cause)
  case .timedOut:
    .failed(
      "a program \(error.words)", code: "program-timed-out",
      hint: "run the command again with --verbose to see which")
  case .tooMuchOutput:
    .failed(
      "a program \(error.words)", code: "too-large",
      hint: "run the command again with --verbose to see which")
  }
}

private func readFailure(_ error: ReadError) -> CommandFailure {
  switch error {
  case .system(let cause): systemFailure(cause)
  case .refused(let path): .failed("'\(path)' is no plain file, or is too long", code: "refused")
  }
}

/// A full disk is named by the place where it is mounted.
func fullDisk(at path: String) -> CommandFailure {
  let disk = mountPoint(of: path).map { "the disk at '\($0)'" } ?? "the disk"
  return .failed(
    "\(disk) is full, or your share of it", code: "disk-full",
    hint:
      "make room and run the command again: it goes on where it stopped; 'runic gc' frees what is not needed")
}

/// The topmost folder above a path that lies on the same device.
private func mountPoint(of path: String) -> String? {
  let fileSystem = PosixFileSystem()
  func device(_ path: String) -> UInt64? { (try? fileSystem.status(path))?.identity.first }
  var folder = parent(of: path)
  guard !path.isEmpty, let own = device(folder) else { return nil }
  while true {
    let above = parent(of: folder)
    if above == folder || device(above) != own { return folder }
    folder = above
  }
}

private func busyFailure(_ error: LockTimeout) -> CommandFailure {
  CommandFailure(
    .busy, code: "busy",
    "another process has held the repository for \(counted(error.waited / 1000, "second")) "
      + "('\(error.path)')",
    hint: "try again, or wait longer: --lock-wait 120")
}

// MARK: - Damage

/// A damaged marker is a remote's: that of this device is told as a private file.
private func mendingHint(_ name: TreeName) -> String {
  name == .marker ? "on a machine that has the repository, 'runic push --repair' puts it back" : pullHint
}

private let pullHint = "see 'runic fsck'; 'runic pull' brings again what another copy holds whole"

func damageFailure(_ subject: String, _ reason: FormatError, hint: String? = nil) -> CommandFailure {
  let words = reason.words(of: subject)
  return switch reason {
  case .newerFormat: newerFormat(words)
  case .keyNotHeld:
    CommandFailure(
      .wrongKey, code: "key-not-held", words,
      hint: "'runic key add' takes it, with its passphrase or --key-file")
  default: CommandFailure(.damaged, code: "damaged", words, hint: hint ?? pullHint)
  }
}

func newerFormat(_ words: String) -> CommandFailure {
  .failed(words, code: "newer-format", hint: "install a newer runic")
}
