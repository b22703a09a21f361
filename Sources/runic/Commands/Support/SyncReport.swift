import CanonicalJSON
import ObjectStore
import RunicCore

/// What pulls and pushes say.
enum SyncReport {
  /// `{"remote","pushedCount","fetchedCount","conflicts","pending","warnings","duration"}`, of a repairing push also
  /// `"mendedCount"`.
  static func json(_ outcome: SyncOutcome) -> JSONValue {
    var json: JSONObject = [
      "conflicts": .count(outcome.conflicts), "duration": JSONValue.number(outcome.duration) ?? 0,
      "fetchedCount": .integer(outcome.fetchedCount), "pending": .array(outcome.pending.map(json)),
      "pushedCount": .integer(outcome.pushedCount), "remote": .text(outcome.remote),
      "warnings": .texts(outcome.warnings.map(\.words)),
    ]
    if let mended = outcome.mendedCount { json["mendedCount"] = .count(mended) }
    return .object(json)
  }

  /// The same with `"files"`, the paths of what would be sent.
  static func json(ofDryRun outcome: SyncOutcome) -> JSONValue {
    var json = json(outcome).objectValue ?? [:]
    json["files"] = .texts(outcome.files)
    return .object(json)
  }

  static func json(_ log: PendingLog) -> JSONValue {
    [
      "broken": .text(log.broken?.words), "device": .text(log.device.hex),
      "deviceName": .text(log.deviceName),
      "format": log.newerFormat.map { .count($0) } ?? .null, "have": .integer(log.have),
      "key": .text(log.key?.hex), "need": .integer(log.need),
    ]
  }

  /// Warnings and what waits, on standard error.
  static func warn(_ outcome: SyncOutcome, _ output: Output) {
    for words in Self.words(of: outcome.warnings) { output.warning("\(outcome.remote): \(words)") }
    for words in lines(ofRest: outcome) { output.note("\(outcome.remote): \(words)") }
  }

  /// How many damaged files are named: a remote whose every file is damaged would fill the screen.
  private static let namedFiles = 10

  /// The warnings that are told one by one, and how many damaged files are not named among them.
  static func fewer(_ warnings: [SyncWarning]) -> (told: [SyncWarning], unnamed: Int) {
    var damaged = 0
    let told = warnings.filter { warning in
      guard case .damaged = warning else { return true }
      damaged += 1
      return damaged <= namedFiles
    }
    return (told, max(0, damaged - namedFiles))
  }

  static func unnamed(_ files: Int) -> String { "\(counted(files, "more file")) damaged" }

  /// A line for each warning, and one for the damaged files beyond the first few.
  static func words(of warnings: [SyncWarning]) -> [String] {
    let (told, rest) = fewer(warnings)
    return told.map(\.words) + (rest > 0 ? ["\(unnamed(rest)): --json names all"] : [])
  }

  /// A line for each thing that is waited for: a log may wait with several heads for one key.
  static func lines(_ pending: [PendingLog]) -> [String] {
    var told: Set<String> = []
    return pending.map(words).filter { told.insert($0).inserted }
  }

  /// The same of what the warnings do not tell: of a log that breaks a rule there is one.
  static func lines(ofRest outcome: SyncOutcome) -> [String] {
    lines(outcome.pending.filter { $0.broken == nil })
  }

  /// What must be done before `key add` can take a key that is not held here.
  static func stepBeforeKey(_ configuration: Configuration) -> String {
    configuration.keyCommand == nil ? "" : "let key.command print the new key as well, then "
  }

  static func words(_ log: PendingLog) -> String {
    // Nothing that could be read says what it is called.
    let hex = log.device.hex
    let name = log.deviceName == hex ? "device \(hex.prefix(RecordText.shortLength))" : log.deviceName
    if let key = log.key {
      return "\(name) writes with the key \(key.hex.prefix(8)), which is not held here:"
        + " 'runic key add' takes it"
    }
    if let format = log.newerFormat {
      return "\(name) writes format \(format): a newer runic is needed to read it"
    }
    if let broken = log.broken {
      return "the log of \(name) cannot be read after commit \(log.have): \(broken.words);"
        + " \(FormatError.cureOfBroken)"
    }
    return "of \(name) \(counted(log.need - log.have, "commit")) not arrived yet "
      + "(\(log.have) of \(log.need) are here)"
  }
}

/// Goes through one remote or all of them.
struct RemoteRounds {
  let repository: Repository
  let invocation: Invocation
  let output: Output

  /// Does `step` for the named remote, else for each in the order added. One that fails does not keep the others
  /// waiting; the status is that of the first that is not done.
  func run(_ step: (String) throws -> ExitStatus) throws -> ExitStatus {
    if let name = invocation.positional(0) {
      let name = try repository.configuration.remote(name).name
      return try Self.naming(name) { try step(name) }
    }
    let names = repository.configuration.remotes.map(\.name)
    guard !names.isEmpty else {
      throw CommandFailure.failed(
        "there is no remote", code: "no-remote", hint: "'runic remote add NAME URL' adds one")
    }
    guard names.count > 1 else { return try Self.naming(names[0]) { try step(names[0]) } }
    var status = ExitStatus.done
    for name in names {
      let ended = try attempt(name, step)
      if status == .done { status = ended }
    }
    return status
  }

  /// Names the remote in the hint of what goes wrong with it.
  static func naming<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as RemoteError {
      throw commandFailure(for: error).naming(remote: name)
    }
  }

  private func attempt(_ name: String, _ step: (String) throws -> ExitStatus) throws -> ExitStatus {
    do { return try step(name) } catch {
      // The user wants all of it to stop.
      if Interrupt.isRequested { throw error }
      let failure = commandFailure(for: error)
      let named = CommandFailure(
        failure.status, code: failure.code, "\(name): \(failure.message)", hint: failure.hint
      ).naming(remote: name)
      if output.style.wantsJSON {
        var json = named.json.objectValue ?? [:]
        json["remote"] = .text(name)
        output.json(.object(json))
      } else {
        output.report(named)
      }
      return failure.status
    }
  }
}
