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

  /// The inode of a folder, by walking from the root.
  private mutating func folder(_ path: String, call: String) throws(SystemError) -> Int {
    if let known = folders[path] { return known }
    var trail = [Self.root]
    for part in path.split(separator: "/") where part != "." {
      if part == ".." {
        if trail.count > 1 { trail.removeLast() }
        continue
      }
      guard let node = nodes[trail[trail.count - 1]], node.type == .directory else {
        throw SystemError(call: call, path: path, code: ENOTDIR)
      }
      guard let next = node.children[String(part)] else {
        throw SystemError(call: call, path: path, code: ENOENT)
      }
      trail.append(next)
    }
    let id = trail[trail.count - 1]
    guard nodes[id]?.type == .directory else { throw SystemError(call: call, path: path, code: ENOTDIR) }
    folders[path] = id
    return id
  }

  /// The folder a path lies in and its last name; an empty name stands for the root.
  private mutating func place(_ path: String, call: String) throws(SystemError) -> (folder: Int, name: String)
  {
    var text = path[...]
    while text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
    if text.isEmpty || text == "." {
      if path.isEmpty { throw SystemError(call: call, path: path, code: ENOENT) }
      return (Self.root, "")
    }
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (Self.root, String(text)) }
    let name = String(text[text.utf8.index(after: slash)...])
    guard name.utf8.count <= 255 else { throw SystemError(call: call, path: path, code: ENAMETOOLONG) }
    do throws(SystemError) {
      return (try folder(String(text[..<slash]), call: call), name)
    } catch { throw SystemError(call: call, path: path, code: error.code) }
  }

  /// What a path stands for; nil where only the last name is missing.
  mutating func find(_ path: String, call: String) throws(SystemError) -> Int? {
    let (folder, name) = try place(path, call: call)
    return name.isEmpty ? folder : nodes[folder]?.children[name]
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
    if name.isEmpty || nodes[folder]?.children[name] != nil {
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
    let isFolder = nodes[folder]?.children[name].flatMap { nodes[$0] }?.type == .directory
    point(name, in: folder, at: nil)
    if isFolder { folders.removeAll(keepingCapacity: true) }
  }

  mutating func rename(_ source: String, to target: String) throws(SystemError) {
    let (sourceFolder, sourceName) = try place(source, call: "rename")
    let (targetFolder, targetName) = try place(target, call: "rename")
    guard let moved = nodes[sourceFolder]?.children[sourceName] else {
      throw SystemError(call: "rename", path: target, code: ENOENT)
    }
    let isFolder = nodes[moved]?.type == .directory
    if let replaced = nodes[targetFolder]?.children[targetName], let node = nodes[replaced] {
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
    let old = nodes[folder]?.children[name]
    if let id { nodes[id]?.references += 1 }
    nodes[folder]?.children[name] = id
    if nodes[folder]?.unsynced[name] == nil {
      nodes[folder]?.unsynced.updateValue(old, forKey: name)
    } else if let old {
      release(old)
    }
    change(folder) { _ in }
  }

  private mutating func release(_ id: Int) {
    nodes[id]?.references -= 1
    guard let node = nodes[id], node.references <= 0 else { return }
    nodes[id] = nil
    locks[id] = nil
    for child in node.children.values { release(child) }
    for child in node.unsynced.values.compactMap({ $0 }) { release(child) }
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
    if nodes[id]?.type == .directory { return syncNames(id) }
    let bytes = nodes[id]?.bytes ?? []
    nodes[id]?.synced = bytes
  }

  mutating func syncNames(_ folder: Int) {
    let past = nodes[folder]?.unsynced ?? [:]
    nodes[folder]?.unsynced = [:]
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
