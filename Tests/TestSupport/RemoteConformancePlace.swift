import ObjectStore

/// A place for a remote to be tested in: how a device reaches it, and how a stranger does.
public protocol RemotePlace: Sendable {
  /// Where the files of this side lie.
  var local: any FileSystem { get }
  /// A folder in `local`, there and empty at first.
  var scratch: String { get }

  /// The remote as a device sees it. The place is missing until `makeEmpty` or `create`.
  func remote(for device: DeviceID) -> any Remote
  /// The place is there and holds nothing.
  func makeEmpty() throws
  /// Puts a thing at a path below the place's root, with the folders above it.
  func put(_ thing: RemoteThing, at path: String) throws
  /// What a stranger can put in a file's place there, and the remote can tell from a file.
  var oddities: [RemoteThing] { get }
  /// The bytes of a plain file; nil where there is none.
  func contents(_ path: String) throws -> [UInt8]?
  /// The paths of all plain files and links, below the root, sorted.
  func paths() throws -> [String]
}

extension RemotePlace {
  public var oddities: [RemoteThing] { [.folder, .link, .pipe] }
}

/// What a stranger may put into a shared folder.
public enum RemoteThing: Equatable, Sendable {
  case file([UInt8])
  case folder, link
  /// A named pipe, for places that have such.
  case pipe
}

/// What a check found: what was promised, what was seen, and where in the suite it says so.
public struct ContractBroken: Error, CustomStringConvertible {
  public let promise: String
  public let seen: String
  public let line: UInt
  public var description: String { "line \(line): \(promise); seen: \(seen)" }
}

/// A place, two devices and sample files for one check.
struct RemoteBench {
  static let repository = RepositoryID(from: .seeded(90))
  static let mine = DeviceID(from: .seeded(91))
  static let other = DeviceID(from: .seeded(92))

  let place: any RemotePlace
  let remote: any Remote

  init(_ place: any RemotePlace) {
    self.place = place
    remote = place.remote(for: Self.mine)
  }

  /// A tree with a marker and nothing else.
  static func created(_ place: any RemotePlace) throws -> RemoteBench {
    let bench = RemoteBench(place)
    try bench.remote.create([bench.file(.marker, Array("marker\n".utf8))])
    return bench
  }

  /// Sample names of each sort; the number makes the bytes, and so the name.
  static func object(_ number: UInt8, of device: DeviceID = mine) -> (name: TreeName, bytes: [UInt8]) {
    let bytes = [UInt8](repeating: number, count: 300 + Int(number))
    return (.object(device, SHA256.hash(bytes)), bytes)
  }

  static func head(_ number: UInt8, of device: DeviceID = mine) -> (name: TreeName, bytes: [UInt8]) {
    let bytes = [UInt8](repeating: number, count: 100 + Int(number))
    let name = HeadName(device: device, sequence: Int64(number) + 1, digest: SHA256.hash(bytes))
    return (.head(name), bytes)
  }

  static func slot(_ number: UInt8) -> (name: TreeName, bytes: [UInt8]) {
    (.slot(SlotID(from: .seeded(UInt64(number)))), [UInt8](repeating: number, count: 80))
  }

  /// A file of this side with these bytes.
  func file(_ name: TreeName, _ bytes: [UInt8]) throws -> LocalFile {
    let path = "\(place.scratch)/out-\(name.name)"
    try place.local.removeIfPresent(path)
    try place.local.writeSynced(bytes, to: path, permissions: 0o600)
    return LocalFile(name: name, path: path, length: Int64(bytes.count))
  }

  func file(_ sample: (name: TreeName, bytes: [UInt8])) throws -> LocalFile {
    try file(sample.name, sample.bytes)
  }

  /// Fetches into a folder of its own: the answered names and the bytes that lie there.
  func fetch(_ names: [TreeName], _ folder: String = "in") throws -> [TreeName: [UInt8]] {
    let target = "\(place.scratch)/\(folder)"
    try place.local.makeDirectories(target, permissions: 0o700)
    var result: [TreeName: [UInt8]] = [:]
    for file in try remote.fetch(names, into: target) {
      let bytes = try place.local.read(file.path, limit: Limits.objectFile)
      try demand(file.path == "\(target)/\(file.name.name)", "fetched under its last part", file.path)
      try demand(Int64(bytes.count) == file.length, "length of what came", "\(file.length)")
      result[file.name] = bytes
    }
    let lying = try place.local.list(target).map(\.name).sorted()
    try demand(lying == result.keys.map(\.name).sorted(), "only what is answered lies there", "\(lying)")
    return result
  }

  /// The reason that an action fails for.
  func reason(_ line: UInt = #line, _ action: () throws -> Void) throws -> RemoteError.Reason {
    do { try action() } catch let error as RemoteError { return error.reason }
    throw ContractBroken(promise: "fails", seen: "no error", line: line)
  }

  /// The plain files but the marker.
  func paths() throws -> [String] { try place.paths().filter { $0 != TreeName.marker.path } }
}

func demand(
  _ holds: Bool, _ promise: String, _ seen: @autoclosure () throws -> String, line: UInt = #line
) throws {
  if !holds { throw ContractBroken(promise: promise, seen: try seen(), line: line) }
}
