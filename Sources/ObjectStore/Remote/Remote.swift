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

/// What a remote shows at first sight.
public struct RemoteSight: Sendable {
  /// The marker's bytes, at most `Limits.smallFile` of them.
  public let marker: [UInt8]
  /// The heads that are listed, with their lengths.
  public let heads: [HeadName: Int64]
  /// Heads that were not known and came along.
  public let fetched: [LocalFile]

  public init(marker: [UInt8], heads: [HeadName: Int64], fetched: [LocalFile]) {
    self.marker = marker
    self.heads = heads
    self.fetched = fetched
  }
}

/// The heads that this side has, or has read: their bytes are not wanted again.
public struct KnownHeads {
  public let contains: (HeadName) throws -> Bool
  /// All of them, with their lengths, for remotes that must say beforehand what is not wanted.
  public let lengths: () throws -> [HeadName: Int64]

  public init(
    contains: @escaping (HeadName) throws -> Bool, lengths: @escaping () throws -> [HeadName: Int64]
  ) {
    self.contains = contains
    self.lengths = lengths
  }

  public static var none: KnownHeads { KnownHeads(contains: { _ in false }, lengths: { [:] }) }
}

/// Where a remote's heads lie, of one at which a look costs next to nothing.
public struct HeadsFolder {
  /// The folder, for whoever is told of changes in folders.
  public let path: String
  /// What lies there now; throws where it cannot be reached.
  public let names: () throws -> [String]

  public init(path: String, names: @escaping () throws -> [String]) {
    self.path = path
    self.names = names
  }
}

/// A place that holds the shared tree: the contract that every kind of remote keeps (`docs/format.md`,
/// "Remotes"). One conformance suite runs over all of them.
///
/// Every method is one batch, however many files it is about; over a line that is one run of a program, so that a
/// pull of nothing is one (`look`), a pull two (`look`, `fetch`), and a push three (`look`, `add`, `publish`), or
/// four where something of this side's may leave (`list`). Heads and objects never travel in one batch.
/// Whatever a remote shows is foreign: a file counts only once its bytes match its name, and only names of the
/// tree's grammar are ever shown or asked for.
public protocol Remote: Sendable {
  /// The address, for people.
  var address: String { get }

  /// Reads the marker, lists the heads, and fetches those that are not known into a folder of this side.
  ///
  /// Throws as `marker` and `fetch` do, and what `folder` throws.
  /// - Parameter folder: makes the folder; not called where the remote knows beforehand that nothing will come.
  func look(known: KnownHeads, into folder: () throws -> String) throws -> RemoteSight

  /// The marker's bytes; of a file that is longer than `Limits.smallFile`, any that are more.
  ///
  /// Throws `.unreachable` where there is no place, `.empty` where it holds nothing or only what an interrupted
  /// `create` left, `.notARepository` where there is something else.
  func marker() throws(RemoteError) -> [UInt8]

  /// The bytes of key slots and key files, each at most `Limits.smallFile`; larger ones and odd files are left
  /// out. Nothing stays on this side, so that a wrong passphrase leaves no trace.
  func keys() throws(RemoteError) -> [TreeName: [UInt8]]

  /// The files of these folders that the grammar knows. A folder that is missing has none. Names that the
  /// grammar does not know are left out; `strangers` lists them.
  func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry]

  /// What lies in these folders and is none of the tree's: paths below the root.
  func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String]

  /// The devices that have a folder of objects.
  func devices() throws(RemoteError) -> [DeviceID]

  /// Copies files into the folder `target` of this side, each under its name's last part, flushed. Answers those
  /// that came; one that is missing, longer than its sort may be, or no plain file is left out.
  func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile]

  /// Writes files that are not there at their full length, and those named as damaged even so: under a temporary
  /// name, flushed, renamed, the folder flushed. One that is there at full length is left as it is.
  ///
  /// When it returns, all of them have arrived at full length, and what interrupted writes of this side's left in
  /// their folders is gone, as far as the program that writes does not see to that itself. Answers those that it
  /// wrote.
  @discardableResult
  func add(_ files: [LocalFile], replacing damaged: Set<TreeName>) throws(RemoteError) -> [TreeName]

  /// Adds what shows the objects that arrived before, heads and slots, and removes what they make needless.
  @discardableResult
  func publish(
    _ files: [LocalFile], replacing damaged: Set<TreeName>, removing names: [TreeName]
  ) throws(RemoteError) -> [TreeName]

  /// Removes files; one that is not there is no error.
  func remove(_ names: [TreeName]) throws(RemoteError)

  /// Removes what this side's interrupted writes left behind in these folders.
  func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError)

  /// Writes a file that is none of the tree's, and removes it: whether this side may write is not always to be seen.
  func tryWriting() throws(RemoteError)

  /// Whether a device works in the place: it is the folder `store` of a repository, beside which that device's own
  /// file lies. No run of a program where the address ends otherwise.
  func isInUse() throws(RemoteError) -> Bool

  /// Makes the tree in a place that is missing or empty: folders, slots, and last the marker.
  func create(_ files: [LocalFile]) throws(RemoteError)

  /// Its heads, to look at between syncs; nil for one over a line, where each look runs a program.
  var headsFolder: HeadsFolder? { get }
}

/// How a repository that a device works in is told from a shared tree.
public enum WorkingPlace {
  /// The folder of its own tree, and the file beside it that names the device.
  public static let store = "store"
  public static let device = "device.json"

  /// The folder above, where a path ends with the name of a repository's own tree; empty for a path of one part.
  static func folder(above path: String) -> String? {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)
    while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    guard parts.popLast() == store[...] else { return nil }
    return parts == [""] ? "/" : parts.joined(separator: "/")
  }
}

extension Remote {
  public func look(known: KnownHeads, into folder: () throws -> String) throws -> RemoteSight {
    let marker = try marker()
    var heads: [HeadName: Int64] = [:]
    for entry in try list([.heads]) {
      if case .head(let name) = entry.name { heads[name] = entry.length }
    }
    let unknown = try heads.keys.filter { try !known.contains($0) }.sorted().map(TreeName.head)
    let fetched = unknown.isEmpty ? [] : try fetch(unknown, into: try folder())
    return RemoteSight(marker: marker, heads: heads, fetched: fetched)
  }

  public var headsFolder: HeadsFolder? { nil }

  /// No, where no device can work.
  public func isInUse() throws(RemoteError) -> Bool { false }

  /// Nothing, where a write would tell nothing.
  public func tryWriting() throws(RemoteError) {}

  @discardableResult
  public func add(_ files: [LocalFile]) throws(RemoteError) -> [TreeName] { try add(files, replacing: []) }

  /// Writes files over what is there: for damaged ones.
  public func replace(_ files: [LocalFile]) throws(RemoteError) {
    try add(files, replacing: Set(files.map(\.name)))
  }

  @discardableResult
  public func publish(
    _ files: [LocalFile], replacing damaged: Set<TreeName>, removing names: [TreeName]
  ) throws(RemoteError) -> [TreeName] {
    let written = try add(files, replacing: damaged)
    try remove(names)
    return written
  }
}
