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
  /// It holds keys, and not this repository's; the same puts it right.
  case wrongKeyFile(path: String)
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
  /// The key is this repository's, and its key file is not there: it has not arrived, or is damaged.
  case keyFileAbsent(KeyID)
  /// No slot can be used with a passphrase.
  case noUsableSlot
  /// The file of a newer format.
  case newerFormat(name: String, version: Int)

  /// No kind of that name is built in or declared; `known` are those that are.
  case unknownKind(String, known: [String])
  /// A kind's name is a lower-case letter and up to 63 more of them, digits and `-`.
  case badKindName(String)
  /// A kind of that name merges otherwise, or is one of runic's own.
  case kindExists(String)
  /// Records of one name that merge by two rules were to come together.
  case kindDeclaredTwice(String, Kind.Rule, Kind.Rule)
  /// `known` are some ids of the kind that may have been meant.
  case unknownRecord(kind: String, id: String, known: [String])
  /// Several names begin so.
  case ambiguous(prefix: String, candidates: [String])
  /// No device is called so, and no id begins so; `known` are the names that there are.
  case unknownDevice(String, known: [String])
  /// No key slot's id begins so.
  case unknownSlot(String)
  /// No file of the tree has a name that begins so.
  case unknownFile(String)
  /// No commit's hash begins so.
  case unknownCommit(String)
  /// No remote is called so; `known` are those that there are.
  case unknownRemote(String, known: [String])
  /// A remote is called so already.
  case remoteExists(String)
  /// The place is this repository's own.
  case ownPlace(url: String)
  /// The place is a remote under another name.
  case placeTaken(url: String, remote: String)
  /// A remote's name is 1 to 64 letters, digits, `-` and `_`, and begins with no `-`.
  case badRemoteName(String)
  /// Neither a folder nor an address that runic knows.
  case badAddress(String)

  /// A payload that its kind does not allow.
  case badField(kind: String, field: String, problem: FieldProblem)
  /// A payload that is no JSON object, or none that every reader takes.
  case badPayload(JSONError)
  /// A change that no reader would take, as a faulty caller or a hostile import makes it.
  case badChange(kind: String, id: String)
  /// An id is 1 to 256 bytes of UTF-8, and what the kind's key field says, where it has one.
  case badID(String)
  /// Something is longer than `limit` bytes; `what` names it.
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

  /// A value that the setting does not take.
  case badConfiguration(key: String, value: String)
  /// There is no such setting; `known` are those that there are.
  case unknownConfiguration(key: String, known: [String])
  /// What was to be an exported key is none.
  case badKeyString
  /// Nothing of the record is in conflict.
  case notConflicting(kind: String, id: String)
  /// Nothing of the record waits on this device alone.
  case notLocal(kind: String, id: String)
}

/// What is wrong with a field's value.
public enum FieldProblem: Error, Equatable, Sendable {
  /// The kind requires it.
  case missing
  /// A value of another type; `expected` says which, for people.
  case type(expected: String)
  /// A number outside these bounds, which are inside.
  case outOfBounds(least: String, greatest: String)
  /// No instant in RFC 3339 of the years 1 to 9999.
  case notATime
  /// A rule over several fields; the word names it.
  case rule(String)
}
