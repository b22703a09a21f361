/// A remote that a program reaches, which moves files between folders of one shape. What the kinds share: how files
/// of this side are laid out for the program, and what it brings is looked at before it is taken.
protocol ProgramRemote: Remote {
  var fileSystem: any FileSystem { get }
  var random: RandomSource { get }
  var program: RemoteProgram { get }
}

extension ProgramRemote {
  /// A folder for what a program brings, beside where it is to go.
  func scratch(in folder: String? = nil) throws(RemoteError) -> ScratchFolder {
    let parent = folder ?? program.options.scratch
    do {
      return try ScratchFolder(
        in: parent, named: folder == nil ? "runic-" : ".part-", fileSystem: fileSystem, random: random)
    } catch { throw RemoteError(.failed, place: parent, cause: error) }
  }

  func local<Result>(
    _ place: String, _ body: () throws(SystemError) -> Result
  ) throws(RemoteError) -> Result {
    do { return try body() } catch { throw RemoteError(.failed, place: place, cause: error) }
  }

  // MARK: - What comes

  /// Moves what came to where it was wanted: plain files that are not too long, by the names that were asked for. Not
  /// every program, or version of one, flushes what it writes.
  func take(
    _ names: [TreeName], from folder: String, into target: String
  ) throws(RemoteError) -> [LocalFile] {
    var result: [LocalFile] = []
    for name in names {
      let (path, wanted) = ("\(folder)/\(name.path)", "\(target)/\(name.name)")
      try local(wanted) { () throws(SystemError) in
        guard let status = try fileSystem.status(path), status.type == .file,
          status.length <= Int64(name.limit)
        else { return }
        try fileSystem.rename(path, to: wanted)
        try fileSystem.syncFile(wanted)
        result.append(LocalFile(name: name, path: wanted, length: status.length))
      }
    }
    return result
  }

  /// A small file that came, read where it lies; nil where none came, or nothing that the tree has.
  func readBrought(_ path: String) throws(RemoteError) -> [UInt8]? {
    do throws(ReadError) { return try fileSystem.read(path, limit: Limits.smallFile) } catch {
      if case .system(let cause) = error, !cause.isMissing {
        throw RemoteError(.failed, place: path, cause: cause)
      }
      return nil
    }
  }

  // MARK: - What goes

  /// Paths as both `--files-from` with `--from0` reads them.
  static func nulEnded(_ paths: [String]) -> [UInt8] { paths.flatMap { Array($0.utf8) + [0] } }

  /// Looks whether all files are still what they were; one that has been removed since is told as such.
  func check(_ files: [LocalFile]) throws(RemoteError) {
    for file in files {
      let status = try local(file.path) { () throws(SystemError) in
        guard let status = try fileSystem.status(file.path) else {
          throw SystemError.missing(file.path, call: "stat")
        }
        return status
      }
      guard status.type == .file, status.length == file.length else {
        throw RemoteError(.failed, place: file.path)
      }
    }
  }

  /// The folder that all files lie in as they shall lie in the tree.
  static func commonRoot(of files: [LocalFile]) -> String? {
    var root: String?
    for file in files {
      let end = "/" + file.name.path
      guard file.path.hasSuffix(end) else { return nil }
      let here = String(file.path.dropLast(end.utf8.count))
      if let root, root != here { return nil }
      root = here
    }
    return root.flatMap { $0.isEmpty ? nil : $0 }
  }

  func stage(_ files: [LocalFile], in root: String) throws(RemoteError) {
    try makeFolders(of: files.map(\.name.path), in: root)
    for file in files {
      let path = "\(root)/\(file.name.path)"
      do throws(CopyError) {
        _ = try fileSystem.copy(file.path, to: path, limit: file.name.limit, permissions: 0o600)
      } catch {
        switch error {
        case .source(let cause): throw RemoteError(.failed, place: file.path, cause: cause)
        case .target(let cause): throw RemoteError(.failed, place: path, cause: cause)
        case .refused: throw RemoteError(.failed, place: file.path)
        }
      }
    }
  }

  func makeFolders(of paths: [String], in root: String) throws(RemoteError) {
    try local(root) { () throws(SystemError) in
      for folder in Set(paths.map { parent(of: "\(root)/\($0)") }).sorted() {
        try fileSystem.makeDirectories(folder, permissions: 0o700)
      }
    }
  }

  /// A file of one byte at a path that is none of the tree's, in a folder laid out as the tree is.
  func stageStranger(_ path: String, in root: String) throws(RemoteError) {
    try makeFolders(of: [path], in: root)
    try local(root) { () throws(SystemError) in
      try fileSystem.writeSynced([0], to: "\(root)/\(path)", permissions: 0o600)
    }
  }
}
