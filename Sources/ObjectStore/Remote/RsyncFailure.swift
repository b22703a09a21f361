/// What an exit status of rsync, and what it and ssh say, stand for.
///
/// The statuses are those of rsync(1), "EXIT VALUES", and 255 of ssh(1). Messages are matched in the C locale, in
/// which both are run.
enum RsyncFailure {
  /// Sorts how a run ended; nil where it ended well.
  static func sort(_ result: ProgramResult, place: String) -> RemoteError? {
    guard result.status != 0 else { return nil }
    let messages = ProgramMessages(result.errors)
    let (reason, said) = reason(result.status, messages)
    let program = reason == .missingHere ? missingShell(said) : "rsync"
    let failure = ProgramFailure(program: program, status: result.status, said: said)
    let isMissing = reason == .unreachable && isAbout(missing, said)
    return RemoteError(
      reason, place: place, cause: isMissing ? SystemError.missing(place) : nil, program: failure)
  }

  private static func reason(
    _ status: Int32, _ messages: ProgramMessages
  ) -> (RemoteError.Reason, String) {
    for line in messages.lines {
      if isMissingPlace(line) { return (.unreachable, messages.telling([line])) }
    }
    for (part, reason) in said where messages.contains(part) { return (reason, messages.telling([part])) }
    return (statuses[status] ?? .failed, messages.telling(["rsync error"]))
  }

  private static let missing = "No such file or directory"

  private static func isAbout(_ part: String, _ line: String) -> Bool {
    line.contains(part) || line.contains("chdir failed")
  }

  /// The program that rsync could not start to reach the host: "rsync: [Receiver] Failed to exec ssh: No such …".
  private static func missingShell(_ line: String) -> String {
    let words = line.split(separator: " ")
    guard let exec = words.firstIndex(of: "exec"), let name = words[exec...].dropFirst().first else {
      return "ssh"
    }
    return String(name.prefix { $0 != ":" })
  }

  /// The root of the tree is not there.
  private static func isMissingPlace(_ line: String) -> Bool {
    (line.contains("change_dir") || line.contains("mkdir \"")) && line.contains(missing)
      || line.contains("@ERROR: chdir failed")
  }

  /// Parts of messages, the more telling ones first: a line that breaks says little, and says it last.
  private static let said: [(String, RemoteError.Reason)] = [
    ("Failed to exec", .missingHere),
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", .changedHostKey),
    ("Host key verification failed", .unknownHostKey),
    ("Could not resolve hostname", .unknownHost),
    ("getaddrinfo", .unknownHost),
    ("Name or service not known", .unknownHost),
    ("Unknown module", .unknownModule),
    ("auth failed on module", .authentication),
    ("access denied to", .authentication),
    ("Permission denied (p", .authentication),
    ("Permission denied (k", .authentication),
    ("Permission denied (g", .authentication),
    ("Permission denied (h", .authentication),
    ("Too many authentication failures", .authentication),
    ("no more authentication methods", .authentication),
    ("is your shell clean", .noise),
    ("protocol version mismatch", .noise),
    ("command not found", .missingThere),
    ("rsync: not found", .missingThere),
    ("No such file or directory (code 127)", .missingThere),
    ("unknown option", .tooOldThere),
    ("module is read only", .readOnly),
    ("read-only server", .readOnly),
    ("Read-only file system", .readOnly),
    ("Disk quota exceeded", .quota),
    ("No space left on device", .full),
    ("failed: Not a directory", .notARepository),
    ("Permission denied", .forbidden),
    ("Operation not permitted", .forbidden),
    ("Connection refused", .refused),
    ("timed out", .timedOut),
    ("timeout", .timedOut),
    ("not responding", .timedOut),
    ("No route to host", .unreachable),
    ("Network is unreachable", .unreachable),
    ("Connection closed", .lostConnection),
    ("Connection reset", .lostConnection),
    ("connection unexpectedly closed", .lostConnection),
    ("Broken pipe", .lostConnection),
    ("did not see server greeting", .lostConnection),
    ("server sent \"@RSYNCD", .lostConnection),
    ("rather than greeting", .noise),
    // What a daemon says of its own accord and nobody above knows is no lost line.
    ("@ERROR", .failed),
  ]

  private static let statuses: [Int32: RemoteError.Reason] = [
    2: .noise, 4: .tooOldThere, 5: .lostConnection, 10: .lostConnection, 12: .lostConnection,
    20: .interrupted, 24: .vanished,
    30: .timedOut, 35: .timedOut, 126: .missingThere, 127: .missingThere, 130: .interrupted,
    255: .lostConnection,
  ]

  /// The option that a program complains not to know, without its dashes.
  static func unknownOption(_ result: ProgramResult) -> String? {
    for line in ProgramMessages(result.errors).lines where line.contains("unknown option") {
      guard let dashes = line.range(of: "--") else { continue }
      let name = line[dashes.upperBound...].prefix { $0.isLetter || $0 == "-" }
      if !name.isEmpty { return String(name) }
    }
    return nil
  }

  /// Whether every complaint is about single files that are not there, which a fetch leaves out.
  static func isOnlyAboutMissingFiles(_ result: ProgramResult) -> Bool {
    if result.status == 24 { return true }
    guard result.status == 23 else { return false }
    return ProgramMessages(result.errors).lines.allSatisfy { line in
      line.hasPrefix("rsync error:") || line.contains(missing) && !isMissingPlace(line)
    }
  }
}

extension String {
  /// The first place of a part, compared by bytes.
  fileprivate func range(of part: String) -> Range<String.Index>? {
    let (bytes, wanted) = (Array(utf8), Array(part.utf8))
    guard wanted.count <= bytes.count else { return nil }
    for start in 0...(bytes.count - wanted.count)
    where bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      let begin = utf8.index(startIndex, offsetBy: start)
      return begin..<utf8.index(begin, offsetBy: wanted.count)
    }
    return nil
  }
}
