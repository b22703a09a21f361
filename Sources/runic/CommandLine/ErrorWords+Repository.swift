import CanonicalJSON
import ObjectStore
import RunicCore

/// Words for what goes wrong with a repository and its records.
func repositoryFailure(_ error: RunicError) -> CommandFailure {
  switch error {
  case .noRepository:
    CommandFailure(
      .noRepository, code: "no-repository", error.words,
      hint: "'runic init' makes one, 'runic clone REMOTE' brings one from elsewhere")
  case .repositoryExists:
    .failed(error.words, code: "repository-exists", hint: "name another place: --repo DIR")
  case .joinedAlready:
    .failed(
      error.words, code: "joined-already",
      hint: "'runic sync' brings both together; 'runic remote add NAME URL' names the place first")
  case .coveredPlace:
    .failed(
      error.words, code: "covered-place",
      hint:
        "keys do not belong there: keep the repository outside, and share with 'runic remote add NAME DIR'")
  case .sharedPlace(_, let tree):
    .failed(
      error.words, code: "shared-place",
      hint: "keys do not belong there: 'runic clone \(tree) --repo DIR' makes a device of it elsewhere")
  case .occupiedPlace:
    .failed(
      error.words, code: "place-taken", hint: "name an empty folder, or one that is not there yet: --repo DIR"
    )
  case .badPrivateFile(let path):
    CommandFailure(.damaged, code: "bad-private-file", error.words, hint: privateFileHint(path))
  case .badKeyFile:
    CommandFailure(.damaged, code: "bad-private-file", error.words, hint: keyFileHint)
  case .wrongKeyFile:
    CommandFailure(.wrongKey, code: "wrong-key", error.words, hint: keyFileHint)
  case .keysLost(_, _, let command):
    CommandFailure(
      .wrongKey, code: "keys-lost", error.words,
      hint: command == nil
        ? "'runic key add' takes what this older copy lacks, with a passphrase or --key-file F"
        : "let it print what 'runic key export' does; 'runic config unset key.command' goes back to repository.key"
    )
  case .foreignRepository:
    .failed(
      error.words, code: "foreign-repository",
      hint: "name another place, or bring this repository into that one: 'runic join REMOTE'")
  case .wrongKey:
    CommandFailure(
      .wrongKey, code: "wrong-key", error.words,
      hint: "try again; where the repository is in use, 'runic key export' prints what --key-file takes")
  case .olderKey:
    CommandFailure(
      .wrongKey, code: "older-key", error.words,
      hint: "where the key was rotated, 'runic key export' prints what 'runic key add --key-file F' takes")
  case .keyFromCommand:
    .failed(
      error.words, code: "key-from-command",
      hint: "'runic config unset key.command' keeps it in repository.key again")
  case .keyNotPrinted:
    CommandFailure(
      .wrongKey, code: "key-not-printed", error.words,
      hint: "let it print the line of 'runic key export' on the other machine as well, then 'runic key add'")
  case .keyFileAbsent:
    CommandFailure(
      .wrongKey, code: "key-file-absent", error.words,
      hint: "try again once it is there; 'runic push --repair' on a machine that holds the key puts it there")
  case .noUsableSlot:
    CommandFailure(
      .wrongKey, code: "no-usable-slot", error.words,
      hint: "on a machine that has the repository, 'runic key export' prints what --key-file takes")
  case .badKeyString:
    CommandFailure(
      .wrongKey, code: "bad-key-string", error.words,
      hint: "it begins with 'runic-key-1-' and has 104 digits after it")
  case .newerFormat: newerFormat(error.words)
  case .badLine(let number, let cause): badLine(number, cause)
  case .badPayload: badJSON(error.words)
  case .tooLarge: tooLarge(error.words)
  default: namingFailure(error) ?? recordFailure(error)
  }
}

private let keyFileHint =
  "'runic key add' puts it back, with a passphrase, or with --key-file and what 'runic key export' printed"

/// Of a private file, what still serves when it is gone.
private func privateFileHint(_ path: String) -> String {
  let (name, clone) = (path.split(separator: "/").last ?? "", "'runic clone REMOTE --repo DIR'")
  if name == TreeName.marker.path { return "copy 'runic.json' there from a remote of this repository" }
  let source = name == "device.json" ? "; the 'store' beside it also serves as REMOTE" : ""
  return "bring it back from a backup, or clone anew: \(clone)\(source)"
}

/// The status of a bad line is that of bad bytes, whatever is wrong with it.
private func badLine(_ number: Int, _ cause: any Error) -> CommandFailure {
  let inner = commandFailure(for: cause)
  return .failed(
    "line \(number): \(inner.message)", code: "bad-line",
    hint: "nothing was recorded; --skip-bad records the other lines")
}

/// Words for names that name nothing, several things, or cannot be names.
private func namingFailure(_ error: RunicError) -> CommandFailure? {
  switch error {
  case .unknownKind(let name, let known):
    .usage(
      error.words,
      hint: suggestion(name, known) ?? "'runic kind list' shows all kinds, 'runic kind add' declares one")
  case .unknownRecord(let kind, let id, let known):
    unknown(error, hint: suggestion(id, known) ?? "'runic list \(kind)' shows what there is")
  case .unknownDevice(let name, let known):
    unknown(error, hint: suggestion(name, known) ?? "'runic device list' shows all devices")
  case .unknownSlot: unknown(error, hint: "'runic key list' shows all slots")
  case .unknownFile: unknown(error, hint: "'runic reflog' shows heads")
  case .unknownCommit: unknown(error, hint: "'runic log' shows commits")
  case .unknownRemote(let name, let known):
    unknown(
      error,
      hint: suggestion(name, known)
        ?? (known.isEmpty
          ? "'runic remote add NAME URL' adds one" : "there is: \(known.joined(separator: ", "))"))
  case .ambiguous(_, let candidates):
    .failed(
      error.words, code: "ambiguous",
      hint: "type more of it: \(candidates.prefix(4).joined(separator: ", "))")
  case .remoteExists(let name):
    .failed(
      error.words, code: "remote-exists", hint: "'runic remote set-url \(name) URL' changes where it is")
  case .ownPlace:
    .failed(error.words, code: "own-place", hint: "name a folder that other devices see too")
  case .placeTaken(_, let remote):
    .failed(
      error.words, code: "remote-exists", hint: "'runic remote rename \(remote) NAME' gives it another name")
  case .badRemoteName:
    .usage(error.words, hint: "take letters, digits, '-' and '_', at most 64")
  case .badAddress:
    CommandFailure(
      .usage, code: "bad-address", error.words,
      hint:
        "a folder, user@host:path, ssh://user@host:port/path, rsync://host/module/path or rclone:NAME:path"
    )
  case .badConfiguration(let key, _):
    .usage(error.words, hint: configurationHint(key))
  case .unknownConfiguration(let key, let known):
    .usage(error.words, hint: suggestion(key, known) ?? "there is: \(known.joined(separator: ", "))")
  default: nil
  }
}

private func unknown(_ error: RunicError, hint: String) -> CommandFailure {
  .failed(error.words, code: "unknown", hint: hint)
}

private func suggestion(_ word: String, _ known: [String]) -> String? {
  Suggestion.nearest(to: word, among: known.filter { $0 != word }).map { "did you mean '\($0)'?" }
}

/// The bounds of a setting that is a number of seconds.
let boundsOfSeconds = "from \(Setting.bounds.lowerBound) to \(Setting.bounds.upperBound)"

private func configurationHint(_ key: String) -> String {
  switch key {
  case "sync.strategy":
    "it is one of: \(MergeStrategy.allCases.map(\.rawValue).joined(separator: ", "))"
  case "key.command": "it must print what 'runic key export' prints, or what repository.key holds"
  default: "it takes a whole number of seconds \(boundsOfSeconds)"
  }
}

/// Words for records that are not as they must be.
private func recordFailure(_ error: RunicError) -> CommandFailure {
  switch error {
  case .badField(let kind, _, _):
    .usage(error.words, hint: fieldHint(kind))
  case .badID:
    .usage(error.words, hint: "an id has 1 to 256 bytes, and the field that holds a kind's ids says the same")
  case .badKindName:
    .usage(error.words, hint: "a letter, then letters, digits and '-', all lower case, at most 64")
  case .kindExists:
    .failed(error.words, code: "kind-exists", hint: "'runic kind list' shows how its records merge")
  case .kindDeclaredTwice:
    .failed(
      error.words, code: "kind-exists",
      hint:
        "nothing was changed: give one of them another name in what 'runic export' prints, and 'runic import' "
        + "that into a new repository")
  case .wrongFamily(let kind, let family):
    .usage(
      error.words,
      hint: family == .history
        ? "'runic retract \(kind) ID' leaves a record out of lists and reports"
        : "'runic delete \(kind) ID' deletes a record, 'runic revert' takes an edit back")
  case .notPerKey:
    .usage(error.words, hint: "'runic kind add NAME --per-key' declares a kind that does")
  case .hookFailed(let failure): hookFailure(failure)
  case .changedMeanwhile(let kind, let id):
    .failed(error.words, code: "changed", hint: "look again: 'runic get \(kind) \(id) --json'")
  case .badChange(let kind, let id):
    .failed(
      error.words, code: "bad-change",
      hint: "'runic show \(kind) \(id)' shows what was written to it before; its keys can be set and unset")
  case .notConflicting(let kind, let id):
    .failed(
      error.words, code: "no-conflict",
      hint:
        "'runic conflicts' shows what is open; 'runic resolve \(kind) \(id) KEY --value V', or --device D, also settles "
        + "what this device wrote no side of")
  case .notLocal:
    .failed(
      error.words, code: "not-local",
      hint: "it is synced as it is; 'runic record … --local' makes what is not")
  default: unexpected(error)
  }
}

private func fieldHint(_ kind: String) -> String {
  KindRegistry().isBuiltIn(kind)
    ? "see 'runic record \(kind) --help'" : "'runic kind list' shows the kinds and their key fields"
}
