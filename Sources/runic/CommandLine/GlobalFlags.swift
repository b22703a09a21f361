/// The flags that every command takes, before its name or after it.
enum GlobalFlags {
  static let repository = Flag("--repo", value: "DIR", kind: .directory, "the repository to use")
  static let json = Flag("--json", "print JSON")
  static let quiet = Flag("--quiet", short: "-q", "print data and errors alone")
  static let verbose = Flag("--verbose", short: "-v", "say more of what happens")
  static let color = Flag("--color", "colour the output, also where it is no terminal")
  static let noColor = Flag("--no-color", "never colour the output")
  static let noProgress = Flag("--no-progress", "show no progress")
  static let lockWait = Flag(
    "--lock-wait", value: "S", kind: .number, "wait at most S seconds for another process (30)")
  static let passphraseFile = Flag(
    "--passphrase-file", value: "F", kind: .file, "read the passphrase from this file")
  static let help = Flag("--help", short: "-h", "show this help")
  static let version = Flag("--version", "show the version")

  static let all = [
    repository, json, quiet, verbose, color, noColor, noProgress, lockWait, passphraseFile, help, version,
  ]

  /// Pairs that contradict each other.
  static let exclusive = [["--quiet", "--verbose"], ["--color", "--no-color"]]
}
