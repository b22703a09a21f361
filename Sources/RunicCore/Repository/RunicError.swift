import CanonicalJSON
import ObjectStore

/// What can go wrong with a repository, as data; the words for people are made at the edge.
public enum RunicError: Error, Sendable {
  /// There is no repository at this path.
  case noRepository(path: String)
  /// The repository at this address is the one that would join it.
  case joinedAlready(url: String)
  /// There is one already, where a new one was to be made.
  case repositoryExists(path: String)
  /// The place lies in a folder that a sync tool covers; `sign` is the file that says so.
  case coveredPlace(path: String, sign: String)
  /// The place lies in a tree that is shared: with its keys, nothing in it would be secret.
  case sharedPlace(path: String, tree: String)
  /// Something else lies where a repository was to be made.
  case occupiedPlace(path: String)
  /// A private file is missing or is not what it should be.
  case badPrivateFile(path: String)
  /// The file of the repository key likewise; `Repository.restoreKeys` puts it back.
  case badKeyFile(path: String)
  /// Not all keys are there that this device held; `command` prints the keys in place of the file.
  case keysLost(held: Int, of: Int, command: String?)
  /// The place on a remote is another repository.
  case foreignRepository(here: RepositoryID, there: RepositoryID)
  /// Neither the passphrase nor the key opens it.
  case wrongKey
  /// What was given opens only keys that are held, not the one that is missing.
  case olderKey
  /// A command prints the keys, so that no new one can be stored here.
  case keyFromCommand(String)
  /// A command prints the keys, and not the one that is missing.
  case keyNotPrinted(String)
  /// No slot can be used with a passphrase.
  case noUsableSlot
  /// The file of a newer format.
  case newerFormat(name: String, version: Int)

  case unknownKind(String, known: [String])
  case badKindName(String)
  case kindExists(String)
  /// Records of one name that merge by two rules were to come together.
  case kindDeclaredTwice(String, Kind.Rule, Kind.Rule)
  /// `known` are some ids of the kind that may have been meant.
  case unknownRecord(kind: String, id: String, known: [String])
  case ambiguous(prefix: String, candidates: [String])
  case unknownDevice(String, known: [String])
  case unknownSlot(String)
  /// No file of the tree has a name that begins so.
  case unknownFile(String)
  case unknownCommit(String)
  case unknownRemote(String, known: [String])
  case remoteExists(String)
  /// The place is this repository's own.
  case ownPlace(url: String)
  /// The place is a remote under another name.
  case placeTaken(url: String, remote: String)
  case badRemoteName(String)
  case badAddress(String)

  /// A payload that its kind does not allow.
  case badField(kind: String, field: String, problem: FieldProblem)
  case badPayload(JSONError)
  /// A change that no reader would take, as a faulty caller or a hostile import makes it.
  case badChange(kind: String, id: String)
  case badID(String)
  case tooLarge(what: String, limit: Int)
  /// The kind's records are not of the family that the command is for.
  case wrongFamily(kind: String, family: Family)
  /// The kind's records do not merge key by key, as a tracked file needs it.
  case notPerKey(kind: String)
  /// A hook that may stop a sync did, or could not be run.
  case hookFailed(HookFailure)
  /// `--if` named another state than the record has.
  case changedMeanwhile(kind: String, id: String)
  /// A line of a batch: its number from 1, the byte in it from 0, the reason.
  indirect case badLine(number: Int, cause: any Error)

  case badConfiguration(key: String, value: String)
  case unknownConfiguration(key: String, known: [String])
  case badKeyString
  case notConflicting(kind: String, id: String)
  /// Nothing of the record waits on this device alone.
  case notLocal(kind: String, id: String)
}

/// What is wrong with a field's value.
public enum FieldProblem: Error, Equatable, Sendable {
  case missing
  case type(expected: String)
  case outOfBounds(least: String, greatest: String)
  case notATime
  /// A rule over several fields; the word names it.
  case rule(String)
}
