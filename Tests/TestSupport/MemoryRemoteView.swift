import ObjectStore

extension MemoryRemote {
  /// A `MemoryRemote` as one device sees and changes it.
  public struct View: Remote {
    let remote: MemoryRemote
    let fileSystem: any FileSystem
    let side: DeviceID

    public var address: String { remote.address }
    private var prefix: String { ".runic-\(side.hex)-" }

    /// One operation: time moves on, and the place must be in reach.
    private func operate<Result>(
      _ body: (inout sending State) throws(RemoteError) -> sending Result
    ) throws(RemoteError) -> Result {
      try remote.state.withLock { state throws(RemoteError) in
        state.tick()
        if state.filesLeft == 0 { throw RemoteError(.unreachable, place: address) }
        return try body(&state)
      }
    }
  }
}

// MARK: - Reading

extension MemoryRemote.View {
  public func marker() throws(RemoteError) -> [UInt8] {
    try operate { state throws(RemoteError) in
      guard state.tree.isThere else { throw RemoteError(.unreachable, place: address) }
      if let marker = state.tree[.marker], !state.tree.isOdd(.marker) {
        state.counters.markersRead += 1
        return marker.bytes
      }
      throw RemoteError(state.tree.isEmpty || state.tree.isBegun ? .empty : .notARepository, place: address)
    }
  }

  public func keys() throws(RemoteError) -> [TreeName: [UInt8]] {
    try operate { state in
      var result: [TreeName: [UInt8]] = [:]
      for (name, file) in state.tree.files[.keys] ?? [:] {
        guard !state.tree.isOdd(name),
          file.bytes.count <= Limits.smallFile
        else { continue }
        result[name] = file.bytes
      }
      return result
    }
  }

  public func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] {
    try operate { state in
      state.counters.listings += 1
      state.counters.foldersListed += folders.count
      var result: [RemoteEntry] = []
      for folder in folders {
        for (name, file) in state.tree.sorted(folder) where !state.tree.isOdd(name) {
          guard let length = file.length(for: side, at: state.now) else { continue }
          result.append(RemoteEntry(name: name, length: Int64(length)))
        }
      }
      if state.vices.outOfOrder { result.shuffle(using: &state.random) }
      return result
    }
  }

  public var headsFolder: HeadsFolder? {
    if remote.isOverALine { return nil }
    return HeadsFolder(path: "\(address)/heads") { try list([.heads]).map(\.name.name) }
  }

  public func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] {
    try operate { state in
      let places = Set(folders.map(\.path))
      return state.tree.oddities.keys.filter { path in
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return places.contains(slash.map { String(path[..<$0]) } ?? "")
      }.sorted()
    }
  }

  public func devices() throws(RemoteError) -> [DeviceID] {
    try operate { state in
      state.tree.folders.compactMap { if case .objects(let device) = $0 { device } else { nil } }.sorted()
    }
  }

  public func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    var result: [LocalFile] = []
    try operate { _ in }
    for name in names {
      guard let bytes = try fetch(name), bytes.count <= name.limit else { continue }
      let path = "\(target)/\(name.name)"
      do { try fileSystem.writeSynced(bytes, to: path, permissions: 0o600) } catch {
        throw RemoteError(.failed, place: path, cause: error)
      }
      result.append(LocalFile(name: name, path: path, length: Int64(bytes.count)))
    }
    return result
  }

  private func fetch(_ name: TreeName) throws(RemoteError) -> [UInt8]? {
    try remote.state.withLock { state throws(RemoteError) in
      guard let file = state.tree[name], !state.tree.isOdd(name),
        let length = file.length(for: side, at: state.now)
      else { return nil }
      try state.pass(address)
      state.counters.filesFetched += 1
      state.counters.bytesFetched += length
      return length == file.bytes.count ? file.bytes : Array(file.bytes[..<length])
    }
  }
}

// MARK: - Writing

extension MemoryRemote.View {
  @discardableResult
  public func add(
    _ files: [LocalFile], replacing damaged: Set<TreeName>
  ) throws(RemoteError) -> [TreeName] {
    try operate { _ in }
    var written: [TreeName] = []
    for file in files {
      if damaged.contains(file.name) || length(of: file.name) != Int(file.length) {
        try put(file)
        written.append(file.name)
      }
    }
    return written
  }

  /// What this side sees of a file.
  private func length(of name: TreeName) -> Int? {
    remote.state.withLock { state in
      !state.tree.isOdd(name) ? state.tree[name]?.length(for: side, at: state.now) : nil
    }
  }

  public func remove(_ names: [TreeName]) throws(RemoteError) {
    try operate { state throws(RemoteError) in
      for name in names where state.tree[name] != nil || state.tree.isOdd(name) {
        if let reason = state.refusal { throw RemoteError(reason, place: name.path) }
        try state.pass(address)
        state.take(name)
      }
    }
  }

  public func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) {
    try operate { state in
      for folder in folders {
        let start = folder == .root ? prefix : "\(folder.path)/\(prefix)"
        for path in state.tree.oddities.keys.filter({ $0.hasPrefix(start) }) {
          state.tree.oddities[path] = nil
        }
      }
    }
  }

  public func create(_ files: [LocalFile]) throws(RemoteError) {
    try operate { state throws(RemoteError) in
      if let reason = state.refusal { throw RemoteError(reason, place: address) }
      state.tree.isThere = true
      state.tree.folders.formUnion([.keys, .heads, .devices])
    }
    try add(files.filter { $0.name != .marker })
    try add(files.filter { $0.name == .marker })
  }

  private func put(_ file: LocalFile) throws(RemoteError) {
    let bytes: [UInt8]
    do { bytes = try fileSystem.read(file.path, limit: file.name.limit) } catch {
      guard case .system(let cause) = error else { throw RemoteError(.failed, place: file.path) }
      throw RemoteError(.failed, place: file.path, cause: cause)
    }
    guard bytes.count == Int(file.length) else { throw RemoteError(.failed, place: file.path) }
    try remote.state.withLock { state throws(RemoteError) in
      let path = file.name.path
      if let reason = state.refusal { throw RemoteError(reason, place: path) }
      try state.pass(address)
      guard state.tree.isThere, state.canHold(file.name.folder) else {
        throw RemoteError(.unreachable, place: path)
      }
      if case .folder? = state.tree.oddities[path] { throw RemoteError(.failed, place: path) }
      let replaced = state.tree[file.name]?.bytes.count ?? 0
      if let capacity = state.capacity, state.tree.size - replaced + bytes.count > capacity {
        throw RemoteError(.full, place: path)
      }
      state.deliver(bytes, as: file.name, from: side)
    }
  }
}

extension MemoryRemote.State {
  /// A device's folder is made as it is needed; those above it only by `create`.
  fileprivate func canHold(_ folder: TreeFolder) -> Bool {
    switch folder {
    case .root: true
    case .objects: tree.folders.contains(.devices)
    default: tree.folders.contains(folder)
    }
  }
}
