/// A file that a remote shows in a folder of the tree.
public struct RemoteEntry: Hashable, Sendable {
  public let name: TreeName
  /// Length in bytes.
  public let length: Int64

  public init(name: TreeName, length: Int64) {
    self.name = name
    self.length = length
  }
}

/// A file on this side that is to be sent, or has been fetched.
public struct LocalFile: Hashable, Sendable {
  public let name: TreeName
  /// Where its bytes lie on this side.
  public let path: String
  public let length: Int64

  public init(name: TreeName, path: String, length: Int64) {
    self.name = name
    self.path = path
    self.length = length
  }
}

/// What went wrong with a remote: the sort decides the exit status and what to advise.
public struct RemoteError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// It cannot be reached, or its place is missing: perhaps the drive is not mounted.
    case unreachable
    /// The place is there and empty: no repository was ever made in it, or the drive is not mounted.
    case empty
    /// The place holds something, but no repository.
    case notARepository
    /// The place is a repository that a device works in: it may be pulled from, not pushed into.
    case inUse
    case readOnly
    case forbidden
    case full
    /// Another failure of a system call.
    case failed
  }

  public let reason: Reason
  /// The remote's address, or the path in it that the failure is about.
  public let place: String
  /// The system call behind it, where there is one.
  public let cause: SystemError?

  public init(_ reason: Reason, place: String, cause: SystemError? = nil) {
    self.reason = reason
    self.place = place
    self.cause = cause
  }
}

/// A place that holds the shared tree: the contract that every kind of remote keeps (`docs/format.md`,
/// "Remotes"). One conformance suite runs over all of them.
///
/// Every method is one batch, however many files it is about. Whatever a remote shows is foreign: a file counts
/// only once its bytes match its name, and only names of the tree's grammar are ever shown or asked for.
public protocol Remote: Sendable {
  /// The address, for people.
  var address: String { get }

  /// The marker's bytes, at most `Limits.smallFile` of them.
  ///
  /// Throws `.unreachable` where there is no place, `.empty` where it holds nothing or only what an interrupted
  /// `create` left, `.notARepository` where there is something else.
  func marker() throws(RemoteError) -> [UInt8]

  /// The key slots' bytes, each at most `Limits.smallFile`; larger ones and odd files are left out. Nothing is
  /// written on this side, so that a wrong passphrase leaves no trace.
  func slots() throws(RemoteError) -> [SlotID: [UInt8]]

  /// The files of these folders that the grammar knows. A folder that is missing has none. Names that the
  /// grammar does not know are left out; `strangers` lists them.
  func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry]

  /// What lies in these folders and is none of the tree's: paths below the root.
  func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String]

  /// The devices that have a folder of objects.
  func devices() throws(RemoteError) -> [DeviceID]

  /// Copies files into the folder `target` of this side, each under its name's last part. Answers those that
  /// came; one that is missing, longer than its sort may be, or no plain file is left out.
  func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile]

  /// Writes files that are not there at their full length: under a temporary name, flushed, renamed, the folder
  /// flushed. One that is there at full length is left as it is. Answers those that it wrote.
  @discardableResult
  func add(_ files: [LocalFile]) throws(RemoteError) -> [TreeName]

  /// Writes files over what is there: for damaged ones.
  func replace(_ files: [LocalFile]) throws(RemoteError)

  /// Removes files; one that is not there is no error.
  func remove(_ names: [TreeName]) throws(RemoteError)

  /// Removes what this side's interrupted writes left behind in these folders.
  func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError)

  /// Makes the tree in a place that is missing or empty: folders, slots, and last the marker.
  func create(_ files: [LocalFile]) throws(RemoteError)
}
