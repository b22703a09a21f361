/// A remote that the user's own rsync reaches, over ssh or at a daemon.
///
/// A method that goes to the remote is one run of rsync, unless it says otherwise. One more comes before a write, where
/// the tree was not seen before, and one after a look that found no marker. What is left out of every run: modes,
/// times and owners of files, links, devices, and deletion but of named files.
public struct RsyncRemote: ProgramRemote {
  public let address: String
  let line: RsyncLine
  var program: RemoteProgram { line.program }
  let device: DeviceID
  let fileSystem: any FileSystem
  let random: RandomSource

  /// - Parameter device: names this side in leftovers.
  /// - Returns: nil for an address that rsync does not reach.
  public init?(
    _ address: String, device: DeviceID, fileSystem: any FileSystem, clock: Clock, random: RandomSource,
    options: RemoteOptions
  ) {
    guard let parsed = RsyncAddress(address) else { return nil }
    self.address = address
    line = RsyncLine(
      address: parsed, place: address, program: RemoteProgram(options, clock: clock, random: random))
    self.device = device
    self.fileSystem = fileSystem
    self.random = random
  }

  /// Files of this side are private until they are checked; nothing odd is brought here.
  private static let fetching = [
    "--no-links", "--no-devices", "--no-specials", "--whole-file", "--chmod=F600,D700",
  ]

  // MARK: - A first look

  /// One run: the target of the transfer already holds an empty file of the right length for each head that is
  /// known, so rsync lists all heads, and brings the marker and those that are new.
  public func look(known: KnownHeads, into folder: () throws -> String) throws -> RemoteSight {
    let folder = try folder()
    let target = try scratch(in: folder)
    try placeholders(for: try known.lengths(), in: target.path)
    let rules = ["- .*", "+ /runic.json", "+ /heads/", "- /heads/*/", "+ /heads/*", "- *"]
    let items = try line.run(
      Self.fetching + ["-r", "--size-only", "--max-size=\(Limits.headFile)"] + Self.filters(rules),
      [line.address.argument, target.path + "/"])
    let marker = try takeMarker(from: target.path)
    line.hasTree = true
    var heads: [HeadName: Int64] = [:]
    for item in items where item.type == .file {
      if case .head(let name)? = TreeName(path: item.path) { heads[name] = item.length }
    }
    let new = try heads.keys.filter { try !known.contains($0) }.sorted().map(TreeName.head)
    return RemoteSight(
      marker: marker, heads: heads, fetched: try take(new, from: target.path, into: folder))
  }

  private func placeholders(for known: [HeadName: Int64], in target: String) throws(RemoteError) {
    try local(target) { () throws(SystemError) in
      try fileSystem.makeDirectory("\(target)/heads", permissions: 0o700)
      for (name, length) in known {
        let path = "\(target)/\(TreeName.head(name).path)"
        let file = try OpenFile(path, .create(permissions: 0o600), in: fileSystem)
        try fileSystem.truncate(file.descriptor, to: length)
      }
    }
  }

  public func marker() throws(RemoteError) -> [UInt8] {
    let target = try scratch()
    _ = try line.run(
      Self.fetching + ["-r", "--max-size=\(Limits.smallFile)"] + Self.filters(["+ /runic.json", "- *"]),
      [line.address.argument, target.path + "/"])
    let marker = try takeMarker(from: target.path)
    line.hasTree = true
    return marker
  }

  private func takeMarker(from target: String) throws(RemoteError) -> [UInt8] {
    let path = "\(target)/\(TreeName.marker.path)"
    if let bytes = try readBrought(path) { return bytes }
    let items = try listing(["+ /*", "+ /heads/*", "+ /devices/*", "- *"])
    let isOverlong = items.contains { item in
      item.path == TreeName.marker.path && item.type == .file && item.length > Int64(Limits.smallFile)
    }
    if isOverlong { return Marker.overlong }
    throw RemoteError(isBegun(items) ? .empty : .notARepository, place: address)
  }

  /// Whether a place without a marker holds nothing but what an interrupted `create` leaves.
  private func isBegun(_ items: [RsyncItem]) -> Bool {
    items.allSatisfy { item in
      ["", "."].contains(item.path) || TreeFolder.isInRoot(item.path)
        || TemporaryName.isOne(item.path) && !item.path.contains("/")
    }
  }

  public func keys() throws(RemoteError) -> [TreeName: [UInt8]] {
    let target = try scratch()
    let rules = ["- .*", "+ /keys/", "- /keys/*/", "+ /keys/*.json", "- *"]
    let items: [RsyncItem]
    do throws(RemoteError) {
      items = try line.run(
        Self.fetching + ["-r", "--max-size=\(Limits.smallFile)"] + Self.filters(rules),
        [line.address.argument, target.path + "/"])
    } catch {
      guard error.reason == .unreachable, error.cause?.isMissing == true else { throw error }
      return [:]
    }
    var result: [TreeName: [UInt8]] = [:]
    for item in items {
      guard let name = TreeName(path: item.path), name.folder == .keys else { continue }
      result[name] = try readBrought("\(target.path)/\(name.path)")
    }
    return result
  }

  // MARK: - Lists

  public func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] {
    guard !folders.isEmpty else { return [] }
    let wanted = Set(folders)
    var seen: Set<TreeName> = []
    return try listing(Self.rules(for: folders)).compactMap { item in
      guard item.type == .file, let name = TreeName(path: item.path), wanted.contains(name.folder),
        seen.insert(name).inserted
      else { return nil }
      return RemoteEntry(name: name, length: item.length)
    }
  }

  public func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] {
    guard !folders.isEmpty else { return [] }
    let places = Dictionary(folders.map { ($0.path, $0) }) { first, _ in first }
    return try listing(Self.rules(for: folders)).compactMap { item in
      guard item.path != "." else { return nil }
      let slash = item.path.utf8.lastIndex(of: UInt8(ascii: "/"))
      let name = slash.map { String(item.path[item.path.utf8.index(after: $0)...]) } ?? item.path
      guard let folder = places[slash.map { String(item.path[..<$0]) } ?? ""] else { return nil }
      return folder.holds(DirectoryEntry(name: name, type: item.type)) ? nil : item.path
    }.sorted()
  }

  public func devices() throws(RemoteError) -> [DeviceID] {
    try listing(["+ /devices/", "+ /devices/*", "- *"]).compactMap { item in
      let folder = "\(TreeFolder.devices.path)/"
      guard item.type == .directory, item.path.hasPrefix(folder) else { return nil }
      return DeviceID(hex: item.path.dropFirst(folder.count))
    }
  }

  /// One run, where the address may be a repository's own tree. Where the folder above may not be looked into, as a
  /// key that opens one folder only has it, nobody can tell.
  public func isInUse() throws(RemoteError) -> Bool {
    guard let folder = line.address.aboveStore else { return false }
    do throws(RemoteError) {
      return try listing(["+ /\(WorkingPlace.device)", "- *"], of: folder)
        .contains { $0.path == WorkingPlace.device }
    } catch {
      if error.isPassing || error.reason == .interrupted { throw error }
      return false
    }
  }

  /// A transfer that is not done, into a folder that is not there: names, types and lengths.
  func listing(_ rules: [String], of folder: RsyncAddress? = nil) throws(RemoteError) -> [RsyncItem] {
    let target = try scratch()
    return try line.run(
      ["-n", "-r", "--links", "--devices", "--specials"] + Self.filters(rules),
      [(folder ?? line.address).argument, target.path + "/"])
  }

  static func filters(_ rules: [String]) -> [String] { rules.map { "--filter=\($0)" } }

  /// Lets through what lies directly in some folders.
  private static func rules(for folders: [TreeFolder]) -> [String] {
    var rules: [String] = []
    for folder in folders {
      if case .objects = folder { rules.append("+ /devices/") }
      rules += folder == .root ? ["+ /*"] : ["+ /\(folder.path)/", "+ /\(folder.path)/*"]
    }
    return rules + ["- *"]
  }

  // MARK: - Fetching

  /// One run. The names are passed as patterns, not with `--files-from`: a daemon of rsync 3.5 loses what that names
  /// below a module's root.
  public func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    guard !names.isEmpty else { return [] }
    let folder = try scratch(in: target)
    let limit = names.map(\.limit).max() ?? 0
    let expected = TransferProgress(files: 0, bytes: 0, allFiles: names.count, allBytes: 0)
    _ = try line.run(
      Self.fetching + ["-r", "--max-size=\(limit)", "--include-from=-", "--exclude=*"],
      [line.address.argument, folder.path + "/"], input: Self.patterns(for: names), expected: expected,
      isWell: RsyncFailure.isOnlyAboutMissingFiles)
    return try take(names, from: folder.path, into: target)
  }

  /// A line for each name, and for each folder above one.
  private static func patterns(for names: [TreeName]) -> [UInt8] {
    var lines: Set<String> = []
    for name in names {
      lines.insert("/\(name.path)")
      if name.folder != .root { lines.insert("/\(name.folder.path)/") }
      if case .object = name { lines.insert("/devices/") }
    }
    return lines.sorted().flatMap { Array($0.utf8) + [0x0a] }
  }
}
