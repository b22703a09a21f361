import Synchronization

/// A remote that the user's own rclone reaches: object stores, WebDAV and whatever else it speaks.
///
/// Every call names its files. Stores without folders have none: a tree is there when its marker is. Links and other
/// odd files, where a store has them, are not seen.
public struct RcloneRemote: ProgramRemote {
  public let address: String
  let target: RcloneAddress
  let program: RemoteProgram
  let fileSystem: any FileSystem
  let random: RandomSource
  private let device: DeviceID
  private let memory = Memory()

  /// Whether the tree was seen there: nothing is written before.
  private final class Memory: Sendable { let hasTree = Mutex(false) }

  /// - Returns: nil for an address of another sort.
  public init?(
    _ address: String, device: DeviceID, fileSystem: any FileSystem, clock: Clock, random: RandomSource,
    options: RemoteOptions
  ) {
    guard let target = RcloneAddress(address) else { return nil }
    self.address = address
    self.target = target
    self.device = device
    self.fileSystem = fileSystem
    self.random = random
    program = RemoteProgram(options, clock: clock, random: random)
  }

  private func run(
    _ command: String, _ options: [String], _ paths: [String], input: [UInt8] = [],
    isWell: (ProgramResult) -> Bool = { _ in false }
  ) throws(RemoteError) -> ProgramResult {
    let limit = "\(program.options.timeout)s"
    let common = [
      "--ask-password=false", "--retries=1", "--low-level-retries=3", "--contimeout=\(limit)",
      "--timeout=\(limit)",
    ]
    let call = ProgramCall(
      "rclone", [command] + common + options + ["--"] + paths, environment: ["LC_ALL": "C"], input: input)
    return try program.run(call, place: address) { result in
      isWell(result) ? nil : RcloneFailure.sort(result, place: address)
    }
  }

  private static func lines(_ paths: [String]) -> [UInt8] { paths.flatMap { Array($0.utf8) + [0x0a] } }

  // MARK: - Lists

  /// A name in a folder, with its length; folders have none.
  private struct Thing {
    let path: String
    let length: Int64?
    var entry: DirectoryEntry { DirectoryEntry(name: path, type: length == nil ? .directory : .file) }
  }

  /// What lies in a folder of the tree and, where `patterns` name folders, below; nil where there is no folder.
  private func things(
    _ folder: String = "", matching patterns: [String] = []
  ) throws(RemoteError) -> [Thing]? {
    var options = ["--format=sp", "--separator=|"]
    if !patterns.isEmpty { options += ["-R"] + patterns.map { "--include=\($0)" } }
    let result = try run("lsf", options, [target.argument(folder)], isWell: RcloneFailure.isMissing)
    if RcloneFailure.isMissing(result) { return nil }
    return result.output.split(separator: 0x0a).compactMap { line in
      guard let bar = line.firstIndex(of: UInt8(ascii: "|")),
        let length = Int64(String(decoding: line[..<bar], as: UTF8.self))
      else { return nil }
      var path = line[bar...].dropFirst()
      let isFolder = path.last == UInt8(ascii: "/")
      if isFolder { path.removeLast() }
      return Thing(path: String(decoding: path, as: UTF8.self), length: isFolder ? nil : length)
    }
  }

  public func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] {
    guard !folders.isEmpty else { return [] }
    let wanted = Set(folders)
    let patterns = folders.map { $0 == .root ? "/*" : "/\($0.path)/*" }
    return (try things(matching: patterns) ?? []).compactMap { thing in
      guard let length = thing.length, let name = TreeName(path: thing.path), wanted.contains(name.folder)
      else { return nil }
      return RemoteEntry(name: name, length: length)
    }
  }

  public func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] {
    var result: [String] = []
    for folder in folders {
      for thing in try things(folder.path) ?? [] where !folder.holds(thing.entry) {
        result.append(folder == .root ? thing.path : "\(folder.path)/\(thing.path)")
      }
    }
    return result.sorted()
  }

  public func devices() throws(RemoteError) -> [DeviceID] {
    (try things(TreeFolder.devices.path) ?? []).compactMap { thing in
      thing.length == nil ? DeviceID(hex: thing.path[...]) : nil
    }
  }

  public func isInUse() throws(RemoteError) -> Bool {
    guard let file = target.beside(WorkingPlace.device) else { return false }
    let result = try run("lsf", [], [file], isWell: RcloneFailure.isMissing)
    return !RcloneFailure.isMissing(result) && !result.output.isEmpty
  }

  // MARK: - Reading

  public func marker() throws(RemoteError) -> [UInt8] {
    guard let things = try things() else {
      throw RemoteError(.unreachable, place: address, cause: SystemError.missing(address))
    }
    let marker = things.first { $0.path == TreeName.marker.path }
    if let length = marker?.length {
      guard length <= Int64(Limits.smallFile) else { return Marker.overlong }
      let bytes = try run("cat", [], [target.argument(TreeName.marker.path)]).output
      memory.hasTree.withLock { $0 = true }
      return bytes.count <= Limits.smallFile ? bytes : Marker.overlong
    }
    throw RemoteError(try isBegun(things) ? .empty : .notARepository, place: address)
  }

  /// Whether a place without a marker holds nothing but what an interrupted `create` leaves.
  private func isBegun(_ things: [Thing]) throws(RemoteError) -> Bool {
    guard things.allSatisfy({ TreeFolder.isInRoot($0.path) || TemporaryName.isOne($0.path) }) else {
      return false
    }
    for folder in [TreeFolder.heads, .devices] where things.contains(where: { $0.path == folder.path }) {
      guard try isEmpty(folder) else { return false }
    }
    return true
  }

  private func isEmpty(_ folder: TreeFolder) throws(RemoteError) -> Bool {
    (try things(folder.path) ?? []).isEmpty
  }

  public func keys() throws(RemoteError) -> [TreeName: [UInt8]] {
    let folder = try scratch()
    var result: [TreeName: [UInt8]] = [:]
    for file in try fetch(try list([.keys]).map(\.name), into: folder.path) {
      result[file.name] = try readBrought(file.path)
    }
    return result
  }

  /// A list tells what is there: a file that is named and missing would be a failure of the copy.
  public func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    guard !names.isEmpty else { return [] }
    let lengths = try lengths(of: names)
    let there = names.filter { name in lengths[name].map { $0 <= Int64(name.limit) } ?? false }
    guard !there.isEmpty else { return [] }
    let folder = try scratch(in: target)
    _ = try run(
      "copy", ["--files-from-raw=-", "--no-traverse"], [self.target.argument(), folder.path],
      input: Self.lines(there.map(\.path)))
    return try take(there, from: folder.path, into: target)
  }

  private func lengths(of names: [TreeName]) throws(RemoteError) -> [TreeName: Int64] {
    let listed = try list(Array(Set(names.map(\.folder))))
    return Dictionary(listed.map { ($0.name, $0.length) }) { first, _ in first }
  }

  // MARK: - Writing

  @discardableResult
  public func add(
    _ files: [LocalFile], replacing damaged: Set<TreeName>
  ) throws(RemoteError) -> [TreeName] {
    guard !files.isEmpty else { return [] }
    try check(files)
    try requireTree()
    let there = try lengths(of: files.map(\.name))
    let missing = files.filter { damaged.contains($0.name) || there[$0.name] != $0.length }
    guard !missing.isEmpty else { return [] }
    try copy(missing)
    let now = try lengths(of: missing.map(\.name))
    for file in missing where now[file.name] != file.length {
      throw RemoteError(.didNotArrive, place: "\(address)/\(file.name.path)")
    }
    return missing.map(\.name)
  }

  private func copy(_ files: [LocalFile]) throws(RemoteError) {
    if let root = Self.commonRoot(of: files) { return try copy(files, from: root) }
    let staging = try scratch()
    try stage(files, in: staging.path)
    try copy(files, from: staging.path)
  }

  /// Whatever lies there under these names is replaced.
  private func copy(_ files: [LocalFile], from root: String) throws(RemoteError) {
    _ = try run(
      "copy", ["--files-from-raw=-", "--no-traverse", "--ignore-times"], [root, target.argument()],
      input: Self.lines(files.map(\.name.path)))
  }

  /// rclone makes whatever folder is missing. A tree is only ever made by `create`.
  private func requireTree() throws(RemoteError) {
    if memory.hasTree.withLock({ $0 }) { return }
    let isPart = { (path: String) in TreeFolder.isInRoot(path) || path == TreeName.marker.path }
    guard try things()?.contains(where: { isPart($0.path) }) == true else {
      throw RemoteError(.unreachable, place: address, cause: SystemError.missing(address))
    }
    memory.hasTree.withLock { $0 = true }
  }

  public func remove(_ names: [TreeName]) throws(RemoteError) {
    for name in names { try remove(path: name.path) }
  }

  private func remove(path: String) throws(RemoteError) {
    _ = try run("deletefile", [], [target.argument(path)], isWell: RcloneFailure.isMissingFile)
  }

  /// rclone keeps what it is not done with out of sight, or under names of its own; only what runic named is ours.
  public func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) {
    let temporary = TemporaryName(device)
    for path in try strangers(in: folders) where temporary.isOurs(path.split(separator: "/").last ?? "") {
      try remove(path: path)
    }
  }

  public func tryWriting() throws(RemoteError) {
    try requireTree()
    let path = "\(TreeFolder.heads.path)/\(TemporaryName(device).fresh(random))"
    let staging = try scratch()
    try stageStranger(path, in: staging.path)
    _ = try run(
      "copy", ["--files-from-raw=-", "--no-traverse"], [staging.path, target.argument()],
      input: Self.lines([path]))
    try remove(path: path)
  }

  /// The marker last; a store without folders has none to be made.
  public func create(_ files: [LocalFile]) throws(RemoteError) {
    try check(files)
    for folder in [TreeFolder.keys, .heads, .devices] {
      _ = try run("mkdir", [], [target.argument(folder.path)])
    }
    memory.hasTree.withLock { $0 = true }
    try add(files.filter { $0.name != .marker })
    try add(files.filter { $0.name == .marker })
  }
}
