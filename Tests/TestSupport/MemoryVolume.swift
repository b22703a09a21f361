import ObjectStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The state of a `MemoryFileSystem`: a value, so that a snapshot is an assignment.
struct MemoryVolume: Sendable {
  struct Node: Sendable {
    let type: FileType
    var permissions: UInt32
    var modified: Int64 = 0
    var bytes: [UInt8] = []
    var synced: [UInt8] = []
    var children: [String: Int] = [:]
    /// For each name changed since the folder was synced, what it stood for then (nil: nothing).
    var unsynced: [String: Int?] = [:]
    /// The folder's list, kept until a name changes.
    var listing: [DirectoryEntry]?
    /// Names, unsynced names and descriptors that lead here; at zero the node goes.
    var references = 0

    init(type: FileType, permissions: UInt32) {
      self.type = type
      self.permissions = permissions & 0o7777
    }
  }

  static let root = 1

  var nodes: [Int: Node]
  var descriptors: [Int32: Int] = [:]
  /// Which descriptor holds the lock of an inode.
  var locks: [Int: Int32] = [:]
  var time: Int64 = 1_700_000_000_000_000_000
  private var lastInode = Self.root
  private var lastDescriptor: Int32 = 2
  /// Inodes of folders by the path they were last asked for; emptied when a folder moves or goes.
  private var folders: [String: Int] = [:]

  init() {
    nodes = [Self.root: Node(type: .directory, permissions: 0o755)]
    nodes[Self.root]?.references = 1
  }

  // MARK: Paths

  /// What a look at a path found. Not thrown where it may be nothing: that costs, where a test runner keeps the stack
  /// of every error.
  private typealias Found<Value> = Result<Value, Failure>

  private struct Failure: Error {
    let code: Int32

    init(_ code: Int32) { self.code = code }
  }

  /// The inode of a folder, by walking from the root.
  private mutating func folder(_ path: String) -> Found<Int> {
    if let known = folders[path] { return .success(known) }
    var trail = [Self.root]
    for part in path.split(separator: "/") where part != "." {
      if part == ".." {
        if trail.count > 1 { trail.removeLast() }
        continue
      }
      let above = trail[trail.count - 1]
      guard fileType(above) == .directory else { return .failure(Failure(ENOTDIR)) }
      guard let next = child(String(part), of: above) else { return .failure(Failure(ENOENT)) }
      trail.append(next)
    }
    let id = trail[trail.count - 1]
    guard fileType(id) == .directory else { return .failure(Failure(ENOTDIR)) }
    folders[path] = id
    return .success(id)
  }

  /// The folder a path lies in and its last name; an empty name stands for the root.
  private mutating func place(_ path: String) -> Found<(folder: Int, name: String)> {
    let (above, name) = Self.split(path)
    if name.isEmpty { return path.isEmpty ? .failure(Failure(ENOENT)) : .success((Self.root, "")) }
    guard let above else { return .success((Self.root, name)) }
    guard name.utf8.count <= 255 else { return .failure(Failure(ENAMETOOLONG)) }
    return folder(above).map { ($0, name) }
  }

  /// The path before the last slash, if there is one, and the name behind it; no name stands for the root.
  private static func split(_ path: String) -> (above: String?, name: String) {
    var path = path
    return path.withUTF8 { text in
      var end = text.count
      while end > 0, text[end - 1] == UInt8(ascii: "/") { end -= 1 }
      let slash = text[..<end].lastIndex(of: UInt8(ascii: "/"))
      let name = String(decoding: text[(slash.map { $0 + 1 } ?? 0)..<end], as: UTF8.self)
      return (
        slash.map { String(decoding: text[..<$0], as: UTF8.self) }, name == "." && slash == nil ? "" : name
      )
    }
  }

  private func fileType(_ id: Int) -> FileType? {
    nodes.index(forKey: id).map { nodes.values[$0].type }
  }

  private func child(_ name: String, of folder: Int) -> Int? {
    nodes.index(forKey: folder).flatMap { nodes.values[$0].children[name] }
  }

  private mutating func place(
    _ path: String, call: String
  ) throws(SystemError) -> (folder: Int, name: String) {
    switch place(path) {
    case .success(let place): return place
    case .failure(let failure): throw SystemError(call: call, path: path, code: failure.code)
    }
  }

  private mutating func look(_ path: String) -> Found<Int?> {
    place(path).map { $0.name.isEmpty ? $0.folder : child($0.name, of: $0.folder) }
  }

  /// What a path stands for; nil where only the last name is missing.
  mutating func find(_ path: String, call: String) throws(SystemError) -> Int? {
    switch look(path) {
    case .success(let id): return id
    case .failure(let failure): throw SystemError(call: call, path: path, code: failure.code)
    }
  }

  /// What a path stands for; nil where any name of it is missing.
  mutating func findIfPresent(_ path: String, call: String) throws(SystemError) -> Int? {
    switch look(path) {
    case .success(let id): return id
    case .failure(let failure) where failure.code == ENOENT || failure.code == ENOTDIR: return nil
    case .failure(let failure): throw SystemError(call: call, path: path, code: failure.code)
    }
  }

  mutating func existing(_ path: String, call: String) throws(SystemError) -> Int {
    guard let id = try find(path, call: call) else {
      throw SystemError(call: call, path: path, code: ENOENT)
    }
    return id
  }

  // MARK: Names

  /// Makes a node under a name that must be free.
  mutating func add(_ node: Node, at path: String, call: String) throws(SystemError) -> Int {
    let (folder, name) = try place(path, call: call)
    if name.isEmpty || child(name, of: folder) != nil {
      throw SystemError(call: call, path: path, code: EEXIST)
    }
    lastInode += 1
    nodes[lastInode] = node
    change(lastInode) { _ in }
    point(name, in: folder, at: lastInode)
    return lastInode
  }

  mutating func unlink(_ path: String, call: String) throws(SystemError) {
    let (folder, name) = try place(path, call: call)
    if name.isEmpty { throw SystemError(call: call, path: path, code: EBUSY) }
    let isFolder = child(name, of: folder).flatMap { fileType($0) } == .directory
    point(name, in: folder, at: nil)
    if isFolder { folders.removeAll(keepingCapacity: true) }
  }

  mutating func rename(_ source: String, to target: String) throws(SystemError) {
    let (sourceFolder, sourceName) = try place(source, call: "rename")
    let (targetFolder, targetName) = try place(target, call: "rename")
    guard let moved = child(sourceName, of: sourceFolder) else {
      throw SystemError(call: "rename", path: target, code: ENOENT)
    }
    let isFolder = fileType(moved) == .directory
    if let replaced = child(targetName, of: targetFolder), let node = nodes[replaced] {
      if replaced == moved { return }
      if node.type == .directory {
        if !isFolder { throw SystemError(call: "rename", path: target, code: EISDIR) }
        if !node.children.isEmpty { throw SystemError(call: "rename", path: target, code: ENOTEMPTY) }
      } else if isFolder {
        throw SystemError(call: "rename", path: target, code: ENOTDIR)
      }
    }
    point(targetName, in: targetFolder, at: moved)
    point(sourceName, in: sourceFolder, at: nil)
    if isFolder { folders.removeAll(keepingCapacity: true) }
  }

  /// The one place that changes a name: keeps what the last sync of the folder saw, and the counts.
  private mutating func point(_ name: String, in folder: Int, at id: Int?) {
    if let id { nodes[id]?.references += 1 }
    var released: Int?
    change(folder) { node in
      let old = node.children[name]
      node.children[name] = id
      node.listing = nil
      if node.unsynced[name] == nil {
        node.unsynced.updateValue(old, forKey: name)
      } else {
        released = old
      }
    }
    if let released { release(released) }
  }

  private mutating func release(_ id: Int) {
    guard let index = nodes.index(forKey: id) else { return }
    nodes.values[index].references -= 1
    guard nodes.values[index].references <= 0 else { return }
    let node = nodes.remove(at: index).value
    locks[id] = nil
    for child in node.children.values { release(child) }
    for child in node.unsynced.values.compactMap({ $0 }) { release(child) }
  }

  /// What is in a folder, in the order of the names; nil where that is no folder.
  mutating func list(_ id: Int) -> [DirectoryEntry]? {
    guard let index = nodes.index(forKey: id), nodes.values[index].type == .directory else { return nil }
    if let known = nodes.values[index].listing { return known }
    let listing = nodes.values[index].children.sorted { $0.key < $1.key }.map { name, child in
      DirectoryEntry(name: name, type: fileType(child) ?? .other)
    }
    nodes.values[index].listing = listing
    return listing
  }

  // MARK: Contents

  mutating func change(_ id: Int, _ body: (inout Node) -> Void) {
    time &+= 1
    let now = time
    guard let index = nodes.index(forKey: id) else { return }
    body(&nodes.values[index])
    nodes.values[index].modified = now
  }

  mutating func syncContents(_ id: Int) {
    guard let index = nodes.index(forKey: id) else { return }
    if nodes.values[index].type == .directory { return syncNames(id) }
    nodes.values[index].synced = nodes.values[index].bytes
  }

  mutating func syncNames(_ folder: Int) {
    guard let index = nodes.index(forKey: folder) else { return }
    let past = nodes.values[index].unsynced
    nodes.values[index].unsynced = [:]
    for id in past.values.compactMap({ $0 }) { release(id) }
  }

  func status(_ id: Int) throws(SystemError) -> FileStatus {
    guard let node = nodes[id] else { throw SystemError(call: "stat", path: "", code: ENOENT) }
    return FileStatus(
      type: node.type, length: Int64(node.bytes.count), permissions: node.permissions,
      modified: node.modified, identity: [1, UInt64(id)])
  }

  // MARK: Descriptors

  mutating func openDescriptor(_ id: Int) -> Int32 {
    lastDescriptor += 1
    descriptors[lastDescriptor] = id
    nodes[id]?.references += 1
    return lastDescriptor
  }

  mutating func close(_ descriptor: Int32) {
    guard let id = descriptors.removeValue(forKey: descriptor) else { return }
    if locks[id] == descriptor { locks[id] = nil }
    release(id)
  }

  func inode(_ descriptor: Int32, call: String) throws(SystemError) -> Int {
    guard let id = descriptors[descriptor] else { throw SystemError(call: call, path: "", code: EBADF) }
    return id
  }

  // MARK: Power

  func afterPowerCut(_ model: MemoryFileSystem.PowerCut) -> MemoryVolume {
    var result = MemoryVolume()
    result.time = time
    result.lastInode = lastInode
    var waiting = [Self.root]
    while let id = waiting.popLast() {
      guard let node = nodes[id] else { continue }
      var names = node.children
      if model == .lastSynced { for (name, past) in node.unsynced { names[name] = past } }
      var kept = Node(type: node.type, permissions: node.permissions)
      (kept.bytes, kept.synced, kept.children) = (node.synced, node.synced, names)
      kept.modified = node.modified
      // A file moved between folders of which one was synced may have two names: one node, counted twice.
      kept.references = (result.nodes[id]?.references ?? 0) + 1
      let seen = result.nodes.updateValue(kept, forKey: id) != nil
      if !seen || id == Self.root { waiting.append(contentsOf: names.values) }
    }
    result.nodes[Self.root]?.references = 1
    return result
  }
}
