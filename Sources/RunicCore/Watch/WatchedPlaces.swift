import ObjectStore

/// What lies in the places that `watch` looks at, as it was when it was last looked at.
struct WatchedPlaces {
  private let fileSystem: any FileSystem
  /// Those in the store.
  private(set) var heads: Set<HeadName> = []
  private var files: [String: FileStatus] = [:]
  private var configuration: FileStatus?
  private(set) var remoteHeads: [String: Set<String>] = [:]

  init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

  // MARK: - On this device

  /// Whether the store's heads are others than when this was last asked.
  mutating func noteHeads(_ names: [HeadName]) -> Bool {
    let present = Set(names)
    defer { heads = present }
    return present != heads
  }

  /// Whether one of the files was written, made or removed since it was last noted.
  func haveChanged(_ paths: [String]) -> Bool {
    paths.contains { status($0) != files[$0] }
  }

  mutating func noteFiles(_ paths: [String]) {
    files = [:]
    for path in paths { files[path] = status(path) }
  }

  /// Whether a file was one that nobody may write when it was last noted.
  func isReadOnly(_ path: String) -> Bool { files[path].map { $0.permissions & 0o222 == 0 } ?? false }

  /// Has the files taken for changed when they are looked at next.
  mutating func forgetFiles() { files = [:] }

  mutating func noteConfiguration(_ path: String) -> Bool {
    let present = status(path)
    defer { configuration = present }
    return present != configuration
  }

  private func status(_ path: String) -> FileStatus? { (try? fileSystem.status(path)) ?? nil }

  // MARK: - Remote folders

  /// The heads of other devices that a folder shows now; nil where it cannot be read.
  func heads(in folder: HeadsFolder, besides own: DeviceID) -> Set<String>? {
    guard let names = try? folder.names() else { return nil }
    return Set(names.lazy.filter { !$0.hasPrefix(own.hex) })
  }

  mutating func note(_ heads: Set<String>?, of remote: String) { remoteHeads[remote] = heads }
}
