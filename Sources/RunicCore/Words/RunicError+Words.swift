import CanonicalJSON

extension RunicError {
  /// What is wrong with a repository or a record.
  package var words: String {
    switch self {
    case .noRepository(""): "nothing says where the repository lies"
    case .noRepository(let path): "there is no repository at '\(path)'"
    case .joinedAlready(let url): "this repository is the one that lies at '\(url)'"
    case .repositoryExists(let path): "there is a repository at '\(path)' already"
    case .coveredPlace(let path, let sign):
      "'\(path)' lies in a folder that a sync tool copies elsewhere ('\(sign)')"
    case .sharedPlace(let path, let tree): "'\(path)' lies in the shared tree '\(tree)'"
    case .occupiedPlace(let path): "there is something at '\(path)' already"
    case .badPrivateFile(let path), .badKeyFile(let path): "'\(path)' is missing, or is not what it should be"
    case .wrongKeyFile(let path): "'\(path)' holds another key than this repository's"
    case .foreignRepository(let here, let there): "another repository lies there: \(there), not \(here)"
    case .wrongKey: "wrong key or passphrase"
    case .olderKey: "it opens only what was written before the key was rotated"
    case .keysLost(let held, let count, let command):
      (command.map { "key.command ('\($0)') prints" } ?? "repository.key holds")
        + " only \(held) of the \(count) keys of this device"
    case .keyNotPrinted(let command): "key.command ('\(command)') does not print the key that is missing"
    case .keyFromCommand(let command):
      "the key comes from key.command ('\(command)'), so no other can be kept here"
    case .keyFileAbsent(let key):
      "the file of the key \(key.hex.prefix(8)) in 'keys' has not arrived yet, or is damaged"
    case .noUsableSlot: "no key slot there can be opened with a passphrase"
    case .badKeyString: "this is no key that 'runic key export' printed, or not all of it"
    case .newerFormat(let name, let version):
      "'\(name)' has format \(version), which is newer than what this runic reads"

    case .unknownKind(let name, _): "'\(name)' is an unknown kind"
    case .badKindName(let name): "'\(name)' is no name for a kind"
    case .kindExists(let name): "the kind '\(name)' exists already"
    case .kindDeclaredTwice(let name, let one, let other):
      "the kind '\(name)' was declared twice, as \(one.words) and as \(other.words): such records do not go together"
    case .unknownRecord(let kind, let id, _): "there is no \(kind) '\(id)'"
    case .ambiguous(let prefix, let candidates): "'\(prefix)' may be any of \(candidates.count)"
    case .unknownDevice(let name, _): "there is no device '\(name)'"
    case .unknownSlot(let name): "there is no key slot '\(name)'"
    case .unknownFile(let name): "there is no file '\(name)' in the store"
    case .unknownCommit(let name): "there is no commit '\(name)'"
    case .unknownRemote("", _): "there are several remotes, and none was named"
    case .unknownRemote(let name, _): "there is no remote '\(name)'"
    case .remoteExists(let name): "there is a remote '\(name)' already"
    case .ownPlace(let url): "'\(url)' is this repository itself"
    case .placeTaken(let url, let remote): "'\(url)' is the remote '\(remote)' already"
    case .badRemoteName(let name): "'\(name)' is no name for a remote"
    case .badAddress(let address): "'\(address)' is no address that this version knows"
    case .badConfiguration("key.command", let command):
      "key.command ('\(command)') does not print the repository key"
    case .badConfiguration(let key, let value): "'\(key)' cannot be '\(value)'"
    case .unknownConfiguration(let key, _): "'\(key)' is an unknown setting"

    case .badField(let kind, let field, let problem): "\(kind): \(problem.words(of: field))"
    case .badPayload(let cause): "bad JSON: \(cause.words)"
    case .badChange(let kind, let id): "no device would take this change of \(kind) '\(id)'"
    case .badID(""): "an id is needed"
    case .badID(let id): "'\(id)' cannot be the id"
    case .tooLarge(let what, let limit): "the \(what) is too large: at most \(limit) bytes are taken"
    case .wrongFamily(let kind, .history): "'\(kind)' is a history: nothing in it is deleted or edited"
    case .wrongFamily(let kind, .keys): "'\(kind)' is no history"
    case .notPerKey(let kind): "'\(kind)' does not merge key by key, as a settings file does"
    case .hookFailed(let failure): failure.words
    case .changedMeanwhile(let kind, let id):
      "\(kind) '\(id)' has changed meanwhile; nothing was written"
    case .badLine(let number, let cause):
      "line \(number): \((cause as? RunicError)?.words ?? "it cannot be taken")"
    case .notConflicting(let kind, let id): "\(kind) '\(id)' has no conflict that this settles"
    case .notLocal(let kind, let id): "nothing of \(kind) '\(id)' is local"
    }
  }
}

extension Kind.Rule {
  /// The rule as the flags of `kind add` spell it.
  package var words: String {
    switch self {
    case .history: "history"
    case .perKey: "per-key"
    case .lastWriterWins: "last-writer-wins"
    }
  }
}

extension FieldProblem {
  /// What is wrong with a field.
  package func words(of field: String) -> String {
    switch self {
    case .missing: "'\(field)' is missing"
    case .type(let expected): "'\(field)' must be \(expected)"
    case .outOfBounds(let least, let greatest): "'\(field)' must lie between \(least) and \(greatest)"
    case .notATime: "'\(field)' must be a time, such as 2026-09-05T12:00:00Z"
    case .rule("warning-above-critical"): "the warning threshold must not lie above the critical one"
    case .rule(let rule): "'\(field)' breaks the rule '\(rule)'"
    }
  }
}
