import ObjectStore
import TestSupport

/// A folder of the real file system as a place for remotes.
struct DirectoryPlace: RemotePlace {
  private let folder: TemporaryFolder
  private let system = PosixFileSystem()
  let scratch: String
  let root: String
  var local: any FileSystem { system }

  /// - Parameter base: where its folder is made; nil: where temporary files go.
  init(in base: String? = nil) throws {
    folder = try TemporaryFolder(in: base)
    scratch = folder.path + "/scratch"
    root = folder.path + "/remote"
    try system.makeDirectory(scratch, permissions: 0o700)
  }

  func remote(for device: DeviceID) -> any Remote {
    DirectoryRemote(path: root, device: device, fileSystem: system, random: .seeded(5))
  }

  func makeEmpty() throws { try system.makeDirectory(root, permissions: 0o700) }

  func put(_ thing: RemoteThing, at path: String) throws {
    let whole = "\(root)/\(path)"
    try system.makeDirectories(parent(of: whole), permissions: 0o700)
    if let old = try system.status(whole) {
      if old.type == .directory { TemporaryFolder.remove(whole) } else { try system.remove(whole) }
    }
    switch thing {
    case .file(let bytes): try system.writeSynced(bytes, to: whole, permissions: 0o600)
    case .folder: try system.makeDirectory(whole, permissions: 0o700)
    case .pipe: try folder.makePipe(whole)
    case .link:
      // It leads to a whole file: only whoever follows it sees one.
      let target = "\(folder.path)/secret"
      if try system.status(target) == nil {
        try system.writeSynced(Array("secret".utf8), to: target, permissions: 0o600)
      }
      try folder.makeSymbolicLink(whole, to: target)
    }
  }

  func contents(_ path: String) throws -> [UInt8]? {
    guard try system.status("\(root)/\(path)")?.type == .file else { return nil }
    return try system.read("\(root)/\(path)", limit: Limits.objectFile)
  }

  func paths() throws -> [String] { try paths(below: "").sorted() }

  private func paths(below folder: String) throws -> [String] {
    try system.listIfPresent("\(root)/\(folder)").flatMap { entry in
      let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
      return entry.type == .directory ? try paths(below: path) : [path]
    }
  }
}
