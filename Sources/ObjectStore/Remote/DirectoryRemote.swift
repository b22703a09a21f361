/// A remote in any mounted folder.
///
/// Best effort where the file system cannot change modes or flush a folder; modification times decide nothing.
public struct DirectoryRemote: Remote {
  public let address: String
  private let fileSystem: any FileSystem
  private let random: RandomSource
  private let progress: (@Sendable (TransferProgress) -> Void)?
  private let temporary: TemporaryName

  /// - Parameters:
  ///   - path: the folder; absolute, or relative to the working directory.
  ///   - device: names this side in temporary files.
  ///   - progress: is called after each file that was moved.
  public init(
    path: String, device: DeviceID, fileSystem: any FileSystem, random: RandomSource,
    progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) {
    address = path
    self.progress = progress
    self.fileSystem = fileSystem
    self.random = random
    temporary = TemporaryName(device)
  }

  private func path(_ name: TreeName) -> String { "\(address)/\(name.path)" }

  private func path(_ folder: TreeFolder) -> String {
    folder == .root ? address : "\(address)/\(folder.path)"
  }

  private func attempt<Result>(
    _ place: String, _ body: () throws(SystemError) -> Result
  ) throws(RemoteError) -> Result {
    do { return try body() } catch { throw RemoteError(error, place: place) }
  }

  // MARK: - Reading

  public var headsFolder: HeadsFolder? {
    let path = path(TreeFolder.heads)
    return HeadsFolder(path: path) { [fileSystem] in try fileSystem.list(path).map(\.name) }
  }

  public func marker() throws(RemoteError) -> [UInt8] {
    do throws(ReadError) {
      return try fileSystem.read(path(.marker), limit: Limits.smallFile)
    } catch {
      guard error.isMissing else {
        if case .system(let cause) = error { throw RemoteError(cause, place: address) }
        if (try? fileSystem.status(path(.marker)))?.type == .file { return Marker.overlong }
        throw RemoteError(.notARepository, place: address)
      }
    }
    let entries: [DirectoryEntry]
    do { entries = try fileSystem.list(address) } catch {
      if error.isMissing, fileSystem.isOtherFile(address) {
        throw RemoteError(.notARepository, place: address, cause: error)
      }
      throw RemoteError(error, place: address)
    }
    throw RemoteError(try isBegun(entries) ? .empty : .notARepository, place: address)
  }

  /// Whether a place without a marker holds nothing but what an interrupted `create` leaves.
  private func isBegun(_ entries: [DirectoryEntry]) throws(RemoteError) -> Bool {
    guard entries.allSatisfy({ TreeFolder.isInRoot($0.name) || TemporaryName.isOne($0.name) }) else {
      return false
    }
    return try attempt(address) { () throws(SystemError) in
      for folder in [TreeFolder.heads, .devices] {
        guard try fileSystem.listIfPresent(path(folder)).isEmpty else { return false }
      }
      return true
    }
  }

  public func keys() throws(RemoteError) -> [TreeName: [UInt8]] {
    var result: [TreeName: [UInt8]] = [:]
    for entry in try list([.keys]) {
      do throws(ReadError) {
        result[entry.name] = try fileSystem.read(path(entry.name), limit: Limits.smallFile)
      } catch {
        if case .system(let cause) = error, !cause.isMissing {
          throw RemoteError(cause, place: path(entry.name))
        }
      }
    }
    return result
  }

  public func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] {
    var result: [RemoteEntry] = []
    for folder in folders {
      let entries = try attempt(path(folder)) { () throws(SystemError) in
        try fileSystem.listIfPresent(path(folder))
      }
      for entry in entries where entry.type == .file {
        guard let name = folder.entry(entry.name) else { continue }
        let status = try attempt(path(name)) { () throws(SystemError) in try fileSystem.status(path(name)) }
        if let status { result.append(RemoteEntry(name: name, length: status.length)) }
      }
    }
    return result
  }

  public func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] {
    var result: [String] = []
    for folder in folders {
      let entries = try attempt(path(folder)) { () throws(SystemError) in
        try fileSystem.listIfPresent(path(folder))
      }
      for entry in entries where !folder.holds(entry) {
        result.append(folder == .root ? entry.name : "\(folder.path)/\(entry.name)")
      }
    }
    return result.sorted()
  }

  public func devices() throws(RemoteError) -> [DeviceID] {
    try attempt(path(.devices)) { () throws(SystemError) in
      try fileSystem.listIfPresent(path(.devices)).compactMap {
        $0.type == .directory ? DeviceID(hex: $0.name[...]) : nil
      }
    }
  }

  public func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    var result: [LocalFile] = []
    var seen = TransferProgress(files: 0, bytes: 0, allFiles: names.count, allBytes: 0)
    for name in names {
      defer {
        seen.files += 1
        progress?(seen)
      }
      let local = "\(target)/\(name.name)"
      do throws(CopyError) {
        let length = try fileSystem.copy(path(name), to: local, limit: name.limit, permissions: 0o600)
        result.append(LocalFile(name: name, path: local, length: length))
        seen.bytes += length
      } catch {
        switch error {
        case .source(let cause) where cause.isMissing: continue
        case .source(let cause): throw RemoteError(cause, place: path(name))
        case .target(let cause): throw RemoteError(.failed, place: local, cause: cause)
        case .refused: continue
        }
      }
    }
    return result
  }

  public func isInUse() throws(RemoteError) -> Bool {
    // Whatever links lead there.
    let place = (try? fileSystem.resolved(address)) ?? address
    guard let folder = WorkingPlace.folder(above: place) else { return false }
    let path = folder.isEmpty ? WorkingPlace.device : "\(folder)/\(WorkingPlace.device)"
    return try attempt(path) { () throws(SystemError) in try fileSystem.status(path) != nil }
  }

  // MARK: - Writing

  /// Looks, before anything is written or removed, whether it would be outside of the place. The place itself may be a
  /// link: whoever named it made it.
  private func refuseLinks(_ folders: some Sequence<TreeFolder>) throws(RemoteError) {
    var parts: Set<TreeFolder> = []
    for folder in folders where folder != .root {
      if case .objects = folder { parts.insert(.devices) }
      parts.insert(folder)
    }
    for path in parts.map({ path($0) }).sorted() {
      let status = try attempt(path) { () throws(SystemError) in try fileSystem.status(path) }
      guard status == nil || status?.type == .directory else { throw RemoteError(.linked, place: path) }
    }
  }

  @discardableResult
  public func add(
    _ files: [LocalFile], replacing damaged: Set<TreeName>
  ) throws(RemoteError) -> [TreeName] {
    try removeLeftovers(in: Array(Set(files.map(\.name.folder))))
    var written: [TreeName] = []
    let allBytes: Int64 = files.reduce(0) { $0.addingReportingOverflow($1.length).partialValue }
    var seen = TransferProgress(files: 0, bytes: 0, allFiles: files.count, allBytes: allBytes)
    for file in files {
      defer {
        seen.files += 1
        seen.bytes = seen.bytes.addingReportingOverflow(file.length).partialValue
        progress?(seen)
      }
      if !damaged.contains(file.name) {
        if try isWhole(file) { continue }
      }
      try put(file)
      written.append(file.name)
    }
    try flush(foldersOf: written)
    for file in files where written.contains(file.name) {
      guard try isWhole(file) else { throw RemoteError(.didNotArrive, place: path(file.name)) }
    }
    return written
  }

  private func isWhole(_ file: LocalFile) throws(RemoteError) -> Bool {
    let there = try attempt(path(file.name)) { () throws(SystemError) in
      try fileSystem.status(path(file.name))
    }
    return there?.type == .file && there?.length == file.length
  }

  public func remove(_ names: [TreeName]) throws(RemoteError) {
    try refuseLinks(names.map(\.folder))
    for name in names {
      try attempt(path(name)) { () throws(SystemError) in try fileSystem.removeIfPresent(path(name)) }
    }
  }

  public func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) {
    try refuseLinks(folders)
    for folder in folders {
      try attempt(path(folder)) { () throws(SystemError) in
        for entry in try fileSystem.listIfPresent(path(folder))
        where entry.type == .file && temporary.isOurs(entry.name) {
          try fileSystem.removeIfPresent("\(path(folder))/\(entry.name)")
        }
      }
    }
  }

  public func tryWriting() throws(RemoteError) {
    try refuseLinks(TreeFolder.inRoot)
    let name = temporary.fresh(random)
    try attempt(address) { () throws(SystemError) in
      // Sync tools drop empty folders; a push makes them again.
      let folder = try fileSystem.status(path(.heads)) == nil ? address : path(.heads)
      let path = "\(folder)/\(name)"
      try fileSystem.writeSynced([], to: path, permissions: 0o666)
      try fileSystem.remove(path)
    }
  }

  public func create(_ files: [LocalFile]) throws(RemoteError) {
    try refuseLinks(TreeFolder.inRoot)
    try attempt(address) { () throws(SystemError) in
      try fileSystem.makeDirectories(address, permissions: 0o777)
      for folder in TreeFolder.inRoot {
        try fileSystem.makeDirectories(path(folder), permissions: 0o777)
      }
    }
    try removeLeftovers(in: [.root, .keys])
    let markerLast = files.filter { $0.name != .marker } + files.filter { $0.name == .marker }
    for file in markerLast { try add([file]) }
    try flush([address, parent(of: address)])
  }

  /// Sync tools drop empty folders, and a device's own is made with its first object.
  private func makeFolder(of name: TreeName) throws(CopyError) {
    let folders: [TreeFolder] = if case .object = name { [.devices, name.folder] } else { [name.folder] }
    do throws(SystemError) {
      for folder in folders where folder != .root {
        if try fileSystem.status(path(folder)) != nil { continue }
        // The tree's own folders are made only in a place that is a repository.
        let isFixed = [.devices, .heads, .keys].contains(folder)
        if isFixed, try fileSystem.status(path(.marker)) == nil { continue }
        do { try fileSystem.makeDirectory(path(folder), permissions: 0o777) } catch  where error.alreadyExists
        {
          continue
        }
      }
    } catch { throw .target(error) }
  }

  private func put(_ file: LocalFile) throws(RemoteError) {
    let folder = path(file.name.folder)
    let temporary = "\(folder)/\(temporary.fresh(random))"
    do throws(CopyError) {
      try makeFolder(of: file.name)
      let length = try fileSystem.copy(file.path, to: temporary, limit: file.name.limit, permissions: 0o666)
      guard length == file.length else {
        fileSystem.removeLeftover(temporary)
        throw CopyError.refused
      }
      do { try fileSystem.rename(temporary, to: path(file.name)) } catch {
        fileSystem.removeLeftover(temporary)
        throw CopyError.target(error)
      }
    } catch {
      switch error {
      case .source(let cause): throw RemoteError(.failed, place: file.path, cause: cause)
      case .target(let cause): throw RemoteError(cause, place: path(file.name))
      case .refused: throw RemoteError(.failed, place: file.path)
      }
    }
  }

  /// Makes names last, those of new device folders included.
  private func flush(foldersOf names: [TreeName]) throws(RemoteError) {
    let folders = Set(names.map { path($0.folder) })
    let hasObjects = names.contains { if case .object = $0 { true } else { false } }
    try flush(folders.sorted() + (hasObjects ? [path(.devices)] : []))
  }

  private func flush(_ folders: [String]) throws(RemoteError) {
    for folder in folders {
      do { try fileSystem.syncDirectory(folder) } catch  where error.isUnsupported {
        continue
      } catch { throw RemoteError(error, place: folder) }
    }
  }
}

extension TreeFolder {
  /// Whether something in this folder belongs to the tree.
  func holds(_ entry: DirectoryEntry) -> Bool {
    switch self {
    case .root where entry.type == .directory: Self.isInRoot(entry.name)
    case .devices: entry.type == .directory && DeviceID(hex: entry.name[...]) != nil
    default: entry.type == .file && self.entry(entry.name) != nil
    }
  }
}

extension FileSystem {
  /// Whether a plain file lies where a folder should; a link may lead to a drive that is not mounted.
  fileprivate func isOtherFile(_ path: String) -> Bool {
    do { return try status(path)?.type == .file } catch { return false }
  }
}
