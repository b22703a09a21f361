extension RsyncRemote {
  /// The modes that the umask there leaves, as for any new file.
  private static let sending = ["--no-links", "--whole-file", "--chmod=F666,D777", "--fsync"]

  @discardableResult
  public func add(
    _ files: [LocalFile], replacing damaged: Set<TreeName>
  ) throws(RemoteError) -> [TreeName] {
    guard !files.isEmpty else { return [] }
    try check(files)
    try requireTree()
    if let root = Self.commonRoot(of: files) { return try send(files, from: root, replacing: damaged) }
    let staging = try scratch()
    try stage(files, in: staging.path)
    return try send(files, from: staging.path, replacing: damaged)
  }

  /// One run. What is removed must not be there on this side, so what is sent lies in a folder of its own: heads and
  /// slots are small.
  @discardableResult
  public func publish(
    _ files: [LocalFile], replacing damaged: Set<TreeName>, removing names: [TreeName]
  ) throws(RemoteError) -> [TreeName] {
    guard !files.isEmpty || !names.isEmpty else { return [] }
    try check(files)
    try requireTree()
    let staging = try scratch()
    try stage(files, in: staging.path)
    return try send(files, from: staging.path, replacing: damaged, removing: names.map(\.path))
  }

  public func remove(_ names: [TreeName]) throws(RemoteError) {
    try publish([], replacing: [], removing: names)
  }

  // MARK: - Sending

  /// Files of the same length are left alone; where some are damaged, all are compared by checksum.
  private func send(
    _ files: [LocalFile], from root: String, replacing damaged: Set<TreeName>, removing paths: [String] = []
  ) throws(RemoteError) -> [TreeName] {
    var options = Self.sending + ["--from0", "--files-from=-"]
    options.append(damaged.isEmpty ? "--size-only" : "--checksum")
    if !paths.isEmpty { options.append("--delete-missing-args") }
    try makeFolders(of: paths, in: root)
    let expected = TransferProgress(
      files: 0, bytes: 0, allFiles: files.count,
      allBytes: files.reduce(0) { $0.addingReportingOverflow($1.length).partialValue })
    let items = try line.run(
      options, [root + "/", line.address.argument], input: Self.nulEnded(files.map(\.name.path) + paths),
      expected: expected, isWell: { !paths.isEmpty && $0.status == 24 && !$0.saysOfFiles(files) })
    return try written(files, items)
  }

  /// The files that rsync says it sent; every one must be among those that it says are there now.
  private func written(_ files: [LocalFile], _ items: [RsyncItem]) throws(RemoteError) -> [TreeName] {
    let lengths = Dictionary(files.map { ($0.name, $0.length) }) { first, _ in first }
    var there: Set<TreeName> = []
    var sent: Set<TreeName> = []
    for item in items where item.type == .file {
      guard let name = TreeName(path: item.path), lengths[name] == item.length else { continue }
      there.insert(name)
      if item.step == .moved { sent.insert(name) }
    }
    for file in files where !there.contains(file.name) {
      throw RemoteError(.didNotArrive, place: "\(address)/\(file.name.path)")
    }
    return files.map(\.name).filter(sent.contains)
  }

  /// rsync makes the last part of a path that is missing. A tree is only ever made by `create`.
  private func requireTree() throws(RemoteError) {
    if line.hasTree { return }
    let parts = try listing(["+ /*", "- *"]).map(\.path)
    guard parts.contains(where: TreeFolder.isInRoot) else {
      throw RemoteError(.unreachable, place: address, cause: SystemError.missing(address))
    }
    line.hasTree = true
  }

  // MARK: - Leftovers, and the beginning

  /// One run, and another where there is a leftover. rsync removes its temporary files itself, unless it is killed
  /// or its machine dies.
  public func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) {
    let ours = try strangers(in: folders).filter(isLeftover)
    guard !ours.isEmpty else { return }
    let staging = try scratch()
    _ = try send([], from: staging.path, replacing: [], removing: ours)
  }

  /// Two runs.
  public func tryWriting() throws(RemoteError) {
    try requireTree()
    let path = "\(TreeFolder.heads.path)/\(TemporaryName(device).fresh(random))"
    let staging = try scratch()
    try stageStranger(path, in: staging.path)
    _ = try line.run(
      Self.sending + ["--from0", "--files-from=-"], [staging.path + "/", line.address.argument],
      input: Self.nulEnded([path]))
    let empty = try scratch()
    _ = try send([], from: empty.path, replacing: [], removing: [path])
  }

  /// Whether a stranger is a temporary file of this side's: one that runic named, or rsync's `.<name>.<six
  /// characters>` for a file that bears this device's id. Another one's may be on its way.
  func isLeftover(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let last = parts.last, last.hasPrefix(".") else { return false }
    if TemporaryName.isOne(last) { return TemporaryName(device).isOurs(last) }
    let pieces = last.split(separator: ".", omittingEmptySubsequences: false)
    guard pieces.count == 3, pieces[2].utf8.count == 6,
      pieces[2].allSatisfy({ $0.isASCII && $0.isLetter || $0.isNumber })
    else { return false }
    let whole = (parts.dropLast() + [pieces[1]]).joined(separator: "/")
    switch TreeName(path: whole) {
    case .object(device, _): return true
    case .head(let head): return head.device == device
    default: return false
    }
  }

  /// Two runs: all but the marker, then the marker.
  public func create(_ files: [LocalFile]) throws(RemoteError) {
    try check(files)
    let staging = try scratch()
    try stage(files, in: staging.path)
    try local(staging.path) { () throws(SystemError) in
      for folder in [TreeFolder.keys, .heads, .devices] {
        try fileSystem.makeDirectories("\(staging.path)/\(folder.path)", permissions: 0o700)
      }
    }
    let paths = [staging.path + "/", line.address.argument]
    _ = try line.run(
      Self.sending + ["-r", "--size-only", "--mkpath", "--filter=- /\(TreeName.marker.path)"], paths)
    let marker = files.filter { $0.name == .marker }
    if !marker.isEmpty {
      _ = try line.run(
        Self.sending + ["--size-only", "--from0", "--files-from=-"], paths,
        input: Self.nulEnded(marker.map(\.name.path)))
    }
    line.hasTree = true
  }
}

extension ProgramResult {
  /// Whether a message names one of these files.
  fileprivate func saysOfFiles(_ files: [LocalFile]) -> Bool {
    let messages = ProgramMessages(errors)
    return files.contains { messages.contains($0.name.name) }
  }
}
