/// What an exit status of rclone, and what it says, stand for (rclone's manual, "Exit code").
enum RcloneFailure {
  /// Sorts how a run ended; nil where it ended well.
  static func sort(_ result: ProgramResult, place: String) -> RemoteError? {
    guard result.status != 0 else { return nil }
    let messages = ProgramMessages(result.errors)
    let plain = messages.lines.map(unquoted)
    let found = said.first { entry in plain.contains { $0.contains(entry.0) } }
    let reason = found?.1 ?? statuses[result.status] ?? .failed
    let failure = ProgramFailure(
      program: "rclone", status: result.status,
      said: untimed(messages.telling(found.map { [$0.0] } ?? ["ERROR"])))
    let isMissing = reason == .unreachable && isMissing(result)
    return RemoteError(
      reason, place: place, cause: isMissing ? SystemError.missing(place) : nil, program: failure)
  }

  /// Without the time that rclone's log puts before each line: "2026/11/30 09:42:57 Failed to …".
  private static func untimed(_ line: String) -> String {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, words[0].count == 10, words[0].allSatisfy({ $0.isNumber || $0 == "/" }) else {
      return line
    }
    return String(words[2])
  }

  /// A line without what stands in quotes: addresses and paths, which may hold any word.
  private static func unquoted(_ line: String) -> String {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    // A quote that nothing ends opens nothing.
    guard parts.count % 2 == 1 else { return line }
    return parts.indices.filter { $0 % 2 == 0 }.map { String(parts[$0]) }.joined(separator: "\"\"")
  }

  /// The folder that was named is not there.
  static func isMissing(_ result: ProgramResult) -> Bool { result.status == 3 }

  /// The file that was named is not there.
  static func isMissingFile(_ result: ProgramResult) -> Bool {
    let messages = ProgramMessages(result.errors)
    return result.status == 4 || ["doesn't exist", "object not found"].contains(where: messages.contains)
  }

  /// Parts of messages, the more telling ones first. Names of files are digits, so no part is digits alone.
  private static let said: [(String, RemoteError.Reason)] = [
    ("didn't find section in config file", .unknownModule),
    ("unknown flag", .tooOldHere),
    ("no such host", .unknownHost),
    ("connection refused", .refused),
    ("i/o timeout", .timedOut),
    ("deadline exceeded", .timedOut),
    ("no route to host", .unreachable),
    ("network is unreachable", .unreachable),
    ("Unauthorized", .authentication),
    ("Error 401", .authentication),
    ("status code: 401", .authentication),
    ("StatusCode: 401", .authentication),
    ("(401 ", .authentication),
    ("AccessDenied", .authentication),
    ("InvalidAccessKeyId", .authentication),
    ("SignatureDoesNotMatch", .authentication),
    ("couldn't decrypt configuration", .authentication),
    ("unable to decrypt", .authentication),
    ("Insufficient Storage", .full),
    ("no space left on device", .full),
    ("storageQuotaExceeded", .quota),
    ("quota exceeded", .quota),
    ("read-only file system", .readOnly),
    ("Forbidden", .forbidden),
    ("permission denied", .forbidden),
    ("not a directory", .notARepository),
    ("is a file not a directory", .notARepository),
    ("connection reset", .lostConnection),
    ("unexpected EOF", .lostConnection),
    (": EOF", .lostConnection),
  ]

  private static let statuses: [Int32: RemoteError.Reason] = [3: .unreachable, 5: .lostConnection]
}
