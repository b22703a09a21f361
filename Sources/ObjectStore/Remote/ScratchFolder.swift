/// A new private folder that goes, with all in it, when its owner does.
struct ScratchFolder: ~Copyable {
  let path: String
  private let fileSystem: any FileSystem

  init(
    in parent: String, named prefix: String = "runic-", fileSystem: any FileSystem, random: RandomSource
  ) throws(SystemError) {
    let path = "\(parent)/\(prefix)\(Hexadecimal.encode(random.bytes(8)))"
    try fileSystem.makeDirectory(path, permissions: 0o700)
    self.path = path
    self.fileSystem = fileSystem
  }

  deinit { fileSystem.removeLeftoverTree(path) }
}

extension FileSystem {
  /// Removes a folder with all in it, and follows no link. What cannot be removed stays.
  public func removeLeftoverTree(_ path: String) {
    for entry in (try? list(path)) ?? [] {
      let inner = "\(path)/\(entry.name)"
      if entry.type == .directory { removeLeftoverTree(inner) } else { removeLeftover(inner) }
    }
    do { try removeDirectory(path) } catch {}
  }
}
