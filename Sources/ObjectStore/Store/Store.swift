/// What is wrong with a file of the store.
public struct DamagedFile: Error, Equatable, Sendable {
  public let name: TreeName
  public let reason: FormatError

  public init(_ name: TreeName, _ reason: FormatError) {
    self.name = name
    self.reason = reason
  }

  /// Whether nothing is wrong with it but that it needs a key that is not held.
  public var needsKey: Bool { if case .keyNotHeld = reason { true } else { false } }

  /// The same, or that it needs a newer version of the program.
  public var isForLater: Bool { if case .newerFormat = reason { true } else { needsKey } }
}

/// The tree in a local repository: immutable files named by their content.
///
/// It knows where things lie and whether their bytes are what their names say; what they mean is for `Head` and
/// `ObjectReader` to tell. Only whoever holds the repository's lock writes.
public struct Store: Sendable {
  public let fileSystem: any FileSystem
  /// The tree's root.
  public let root: String
  /// A folder on the same file system for files that are being written.
  public let temporary: String
  public let random: RandomSource
  private let heads: HeadCache

  public init(
    root: String, temporary: String, fileSystem: any FileSystem, random: RandomSource,
    heads: HeadCache = HeadCache()
  ) {
    self.root = root
    self.temporary = temporary
    self.fileSystem = fileSystem
    self.random = random
    self.heads = heads
  }

  public func path(_ name: TreeName) -> String { "\(root)/\(name.path)" }

  public func path(_ folder: TreeFolder) -> String {
    folder == .root ? root : "\(root)/\(folder.path)"
  }

  /// The files of a folder that the grammar knows; strangers are left out.
  public func names(in folder: TreeFolder) throws(SystemError) -> [TreeName] {
    try fileSystem.listIfPresent(path(folder)).compactMap { $0.type == .file ? folder.entry($0.name) : nil }
  }

  /// The names of all heads, by device and sequence.
  public func headNames() throws(SystemError) -> [HeadName] {
    try names(in: .heads).compactMap { if case .head(let name) = $0 { name } else { nil } }.sorted()
  }

  public func objectNames(of device: DeviceID) throws(SystemError) -> Set<Digest> {
    Set(try names(in: .objects(device)).compactMap(\.digest))
  }

  /// The devices that have a folder of objects.
  public func devices() throws(SystemError) -> [DeviceID] {
    try fileSystem.listIfPresent(path(.devices)).compactMap { DeviceID(hex: $0.name[...]) }
  }

  public func contains(_ name: TreeName) throws(SystemError) -> Bool {
    try fileSystem.status(path(name))?.type == .file
  }

  /// A file's bytes, if they are what its name says.
  public func read(_ name: TreeName) throws -> [UInt8] {
    let bytes = try contents(of: name)
    if let digest = name.digest, SHA256.hash(bytes) != digest {
      throw DamagedFile(name, .authentication)
    }
    return bytes
  }

  private func contents(of name: TreeName) throws -> [UInt8] {
    do throws(ReadError) {
      return try fileSystem.read(path(name), limit: name.limit)
    } catch {
      if case .system(let error) = error { throw error }
      throw DamagedFile(name, .length)
    }
  }

  /// Reads a head. Its signature was verified before it was put here; `fsck` does so again.
  public func head(_ name: HeadName, keys: RepositoryKeys) throws -> Head {
    let file = try read(.head(name))
    do throws(FormatError) {
      return try heads.head(decoding: file, name: name, keys: keys, isKept: true)
    } catch {
      throw DamagedFile(.head(name), error)
    }
  }

  /// The objects that some heads list: all of them can be read, or it throws.
  public func listedObjects(of names: [HeadName], keys: RepositoryKeys) throws -> Set<Digest> {
    Set(try names.flatMap { try head($0, keys: keys).objects.map(\.digest) })
  }

  /// Opens an object that a verified head lists, if it is what the entry says.
  public func object(_ entry: ObjectEntry, of device: DeviceID, keys: RepositoryKeys) throws -> ObjectReader {
    let name = TreeName.object(device, entry.digest)
    let file = try contents(of: name)
    do throws(FormatError) {
      return try ObjectReader(file: file, entry: entry, device: device, keys: keys)
    } catch {
      throw DamagedFile(name, error)
    }
  }

  // MARK: - Writing

  /// Makes the folders of an empty tree.
  public func create() throws(SystemError) {
    for folder in [TreeFolder.root, .keys, .heads, .devices] {
      try fileSystem.makeDirectories(path(folder), permissions: 0o700)
    }
    try syncFolder(.root)
    try fileSystem.syncDirectory(parent(of: root))
  }

  /// Writes a file that is not there yet, or replaces a damaged one, and makes it last.
  public func write(_ bytes: [UInt8], to name: TreeName) throws(SystemError) {
    try makeFolder(of: name)
    try fileSystem.writeDurably(bytes, to: path(name), by: temporaryPath(), permissions: 0o600)
  }

  /// Moves a file that lies synced in `temporary`'s file system to its place. The caller syncs the folder.
  public func adopt(_ file: String, as name: TreeName) throws(SystemError) {
    try makeFolder(of: name)
    try fileSystem.rename(file, to: path(name))
  }

  public func syncFolder(_ folder: TreeFolder) throws(SystemError) {
    try fileSystem.syncDirectory(path(folder))
  }

  public func remove(_ name: TreeName) throws(SystemError) {
    try fileSystem.removeIfPresent(path(name))
  }

  /// A fresh name for a file in the making.
  public func temporaryPath() -> String {
    "\(temporary)/\(Hexadecimal.encode(random.bytes(8)))"
  }

  private func makeFolder(of name: TreeName) throws(SystemError) {
    if case .object(let device, _) = name {
      if try fileSystem.status(path(.objects(device))) != nil { return }
      do {
        try fileSystem.makeDirectory(path(.objects(device)), permissions: 0o700)
      } catch  where error.alreadyExists { return }
      try fileSystem.syncDirectory(path(.devices))
    }
  }
}
