import CanonicalJSON
import ObjectStore
import RunicCore

/// Words for what goes wrong with a repository and its records.
func repositoryFailure(_ error: RunicError) -> CommandFailure {
  switch error {
  case .noRepository(let path):
    CommandFailure(
      .noRepository, code: "no-repository", "there is no repository at '\(path)'",
      hint: "'runic init' makes one, 'runic clone REMOTE' brings one from elsewhere")
  case .repositoryExists(let path):
    .failed(
      "there is a repository at '\(path)' already", code: "repository-exists",
      hint: "name another place: --repo DIR")
  case .joinedAlready(let url):
    .failed(
      "this repository is the one that lies at '\(url)'", code: "joined-already",
      hint: "'runic sync' brings both together; 'runic remote add NAME URL' names the place first")
  case .coveredPlace(let path, let sign):
    .failed(
      "'\(path)' lies in a folder that a sync tool copies elsewhere ('\(sign)')", code: "covered-place",
      hint:
        "keys do not belong there: keep the repository outside, and share with 'runic remote add NAME DIR'")
  case .badPrivateFile(let path):
    CommandFailure(
      .damaged, code: "bad-private-file", "'\(path)' is missing, or is not what it should be",
      hint: "bring it back from a backup, or clone anew: 'runic clone REMOTE --repo DIR'")
  case .foreignRepository(let here, let there):
    .failed(
      "another repository lies there: \(there), not \(here)", code: "foreign-repository",
      hint: "name another place, or bring this repository into that one: 'runic join REMOTE'")
  case .wrongKey:
    CommandFailure(
      .wrongKey, code: "wrong-key", "wrong key or passphrase",
      hint: "try again; where the repository is in use, 'runic key export' prints what --key-file takes")
  case .keyFromCommand(let command):
    .failed(
      "the key comes from key.command ('\(command)'), so no other can be kept here", code: "key-from-command",
      hint: "put what it prints into repository.key, then 'runic config unset key.command'")
  case .noUsableSlot:
    CommandFailure(
      .wrongKey, code: "no-usable-slot", "no key slot there can be opened with a passphrase",
      hint: "on a machine that has the repository, 'runic key export' prints what --key-file takes")
  case .badKeyString:
    CommandFailure(
      .wrongKey, code: "bad-key-string", "this is no key that 'runic key export' printed, or not all of it",
      hint: "it begins with 'runic-key-1-' and has 104 digits after it")
  case .newerFormat(let name, let version): newerFormat("'\(name)'", version)
  case .badLine(let number, let cause): badLine(number, cause)
  case .badPayload(let cause): badJSON(cause)
  case .tooLarge(let what, let limit): tooLarge("the \(what)", limit)
  default: namingFailure(error) ?? recordFailure(error)
  }
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
      "'\(name)' is an unknown kind",
      hint: suggestion(name, known) ?? "'runic kind list' shows all kinds, 'runic kind add' declares one")
  case .unknownRecord(let kind, let id, let known):
    unknown(
      "\(kind) '\(id)'", hint: suggestion(id, known) ?? "'runic list \(kind)' shows what there is")
  case .unknownDevice(let name, let known):
    unknown("device '\(name)'", hint: suggestion(name, known) ?? "'runic device list' shows all devices")
  case .unknownSlot(let name): unknown("key slot '\(name)'", hint: "'runic key list' shows all slots")
  case .unknownFile(let name): unknown("file '\(name)' in the store", hint: "'runic reflog' shows heads")
  case .unknownCommit(let name): unknown("commit '\(name)'", hint: "'runic log' shows commits")
  case .unknownRemote(let name, let known):
    unknown(
      "remote '\(name)'",
      hint: suggestion(name, known)
        ?? (known.isEmpty
          ? "'runic remote add NAME URL' adds one" : "there is: \(known.joined(separator: ", "))"))
  case .ambiguous(let prefix, let candidates):
    .failed(
      "'\(prefix)' may be any of \(candidates.count)", code: "ambiguous",
      hint: "type more of it: \(candidates.prefix(4).joined(separator: ", "))")
  case .remoteExists(let name):
    .failed(
      "there is a remote '\(name)' already", code: "remote-exists",
      hint: "'runic remote set-url \(name) URL' changes where it is")
  case .badRemoteName(let name):
    .usage("'\(name)' is no name for a remote", hint: "take letters, digits, '-' and '_', at most 64")
  case .badAddress(let address):
    .failed(
      "'\(address)' is no address that this version knows", code: "bad-address",
      hint:
        "a folder, user@host:path, ssh://user@host:port/path, rsync://host/module/path or rclone:NAME:path"
    )
  case .badConfiguration(let key, let value):
    .usage("'\(key)' cannot be '\(value)'", hint: configurationHint(key))
  case .unknownConfiguration(let key, let known):
    .usage(
      "'\(key)' is an unknown setting",
      hint: suggestion(key, known) ?? "there is: \(known.joined(separator: ", "))")
  default: nil
  }
}

private func unknown(_ what: String, hint: String) -> CommandFailure {
  .failed("there is no \(what)", code: "unknown", hint: hint)
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
  case "key.command": "it must print the repository key as 64 hexadecimal digits"
  default: "it takes a whole number of seconds \(boundsOfSeconds)"
  }
}

/// Words for records that are not as they must be.
private func recordFailure(_ error: RunicError) -> CommandFailure {
  switch error {
  case .badField(let kind, let field, let problem):
    .usage("\(kind): \(words(for: problem, field: field))", hint: fieldHint(kind))
  case .badID(let id):
    .usage(
      id.isEmpty ? "an id is needed" : "'\(id)' is no id",
      hint: "an id has 1 to 256 bytes, and the field that holds a kind's ids says the same")
  case .badKindName(let name):
    .usage(
      "'\(name)' is no name for a kind",
      hint: "a letter, then letters, digits and '-', all lower case, at most 64")
  case .kindExists(let name):
    .failed(
      "the kind '\(name)' exists already", code: "kind-exists",
      hint: "'runic kind list' shows how its records merge")
  case .wrongFamily(let kind, let family):
    .usage(
      family == .history
        ? "'\(kind)' is a history: nothing in it is deleted or edited" : "'\(kind)' is no history",
      hint: family == .history
        ? "'runic retract \(kind) ID' leaves a record out of lists and reports"
        : "'runic delete \(kind) ID' deletes a record, 'runic revert' takes an edit back")
  case .notPerKey(let kind):
    .usage(
      "'\(kind)' does not merge key by key, as a settings file does",
      hint: "'runic kind add NAME --per-key' declares a kind that does")
  case .hookFailed(let failure): hookFailure(failure)
  case .changedMeanwhile(let kind, let id):
    .failed(
      "\(kind) '\(id)' has changed meanwhile; nothing was written", code: "changed",
      hint: "look again: 'runic get \(kind) \(id) --json'")
  case .badChange(let kind, let id):
    .failed(
      "no device would take this change of \(kind) '\(id)'", code: "bad-change",
      hint: "'runic show \(kind) \(id)' shows what was written to it before; its keys can be set and unset")
  case .notConflicting(let kind, let id):
    .failed(
      "\(kind) '\(id)' has no conflict that this settles", code: "no-conflict",
      hint: "'runic conflicts' shows what is open")
  case .notLocal(let kind, let id):
    .failed(
      "nothing of \(kind) '\(id)' is local", code: "not-local",
      hint: "it is synced as it is; 'runic record … --local' makes what is not")
  default: unexpected(error)
  }
}

private func fieldHint(_ kind: String) -> String {
  KindRegistry().isBuiltIn(kind)
    ? "see 'runic record \(kind) --help'" : "'runic kind list' shows the kinds and their key fields"
}

/// What is wrong with a field.
func words(for problem: FieldProblem, field: String) -> String {
  switch problem {
  case .missing: "'\(field)' is missing"
  case .type(let expected): "'\(field)' must be \(expected)"
  case .outOfBounds(let least, let greatest): "'\(field)' must lie between \(least) and \(greatest)"
  case .notATime: "'\(field)' must be a time, such as 2026-09-05T12:00:00Z"
  case .rule("warning-above-critical"): "the warning threshold must not lie above the critical one"
  case .rule(let rule): "'\(field)' breaks the rule '\(rule)'"
  }
}
