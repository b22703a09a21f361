import ObjectStore

/// A file in a `MemoryRemote`, and from when on who sees what of it.
struct DeliveredFile: Sendable {
  var bytes: [UInt8]
  /// The sides that wrote it: they see all of it at once.
  var writers: [DeviceID]
  /// The operation from which on the others see the first `prefix` bytes.
  var arrives: Int
  /// The operation from which on they see all.
  var whole: Int
  var prefix: Int

  init(_ bytes: [UInt8], writers: [DeviceID] = [], arrives: Int = 0, whole: Int = 0, prefix: Int = 0) {
    self.bytes = bytes
    self.writers = writers
    self.arrives = arrives
    self.whole = whole
    self.prefix = prefix
  }

  /// How many bytes a side sees; nil where it does not see the file.
  func length(for side: DeviceID, at now: Int) -> Int? {
    if writers.contains(side) || now >= whole { return bytes.count }
    return now >= arrives ? prefix : nil
  }
}

/// What lies in a `MemoryRemote`: a value, so that a snapshot is an assignment.
struct MemoryRemoteTree: Sendable {
  /// What the grammar does not know, or what stands in the place of a file and is none.
  enum Oddity: Sendable {
    case file([UInt8])
    case folder, link
  }

  /// Whether the place itself is there.
  var isThere = false
  /// The folders of the tree that are there.
  var folders: Set<TreeFolder> = []
  var files: [TreeFolder: [TreeName: DeliveredFile]] = [:]
  /// By path below the root.
  var oddities: [String: Oddity] = [:]

  /// Whether something else stands in a file's place.
  func isOdd(_ name: TreeName) -> Bool { !oddities.isEmpty && oddities[name.path] != nil }

  var isEmpty: Bool { folders.isEmpty && oddities.isEmpty && files.values.allSatisfy(\.isEmpty) }

  /// Only what an interrupted `create` leaves: folders and slots, but no head and no object.
  var isBegun: Bool {
    oddities.keys.allSatisfy { $0.hasPrefix(".runic-") || $0.contains("/.runic-") }
      && files.allSatisfy { $0.key == .keys || $0.value.isEmpty }
      && folders.isSubset(of: [.keys, .heads, .devices])
  }

  var size: Int {
    files.values.reduce(0) { $1.values.reduce($0) { $0 + $1.bytes.count } }
  }

  subscript(name: TreeName) -> DeliveredFile? {
    get { files[name.folder]?[name] }
    set { files[name.folder, default: [:]][name] = newValue }
  }

  /// The files of a folder, in the order of their names.
  func sorted(_ folder: TreeFolder) -> [(name: TreeName, file: DeliveredFile)] {
    (files[folder] ?? [:]).sorted { Self.precedes($0.key, $1.key) }.map { ($0.key, $0.value) }
  }

  /// Puts a thing at a path without asking anyone.
  mutating func put(_ thing: Oddity, at path: String) {
    isThere = true
    let parts = path.split(separator: "/").map(String.init)
    let folder = Self.folder(parts.dropLast())
    if let folder { makeFolders(of: folder) }
    remove(path)
    if case .folder = thing, let made = Self.folder(parts[...]) { return makeFolders(of: made) }
    if case .file(let bytes) = thing, let last = parts.last, let name = folder?.entry(last) {
      self[name] = DeliveredFile(bytes)
    } else {
      oddities[path] = thing
    }
  }

  mutating func remove(_ path: String) {
    oddities[path] = nil
    let parts = path.split(separator: "/").map(String.init)
    if let last = parts.last, let name = Self.folder(parts.dropLast())?.entry(last) { self[name] = nil }
  }

  mutating func makeFolders(of folder: TreeFolder) {
    if folder == .root { return }
    folders.insert(folder)
    if case .objects = folder { folders.insert(.devices) }
  }

  /// The folder of the tree that a path names.
  private static func folder(_ parts: ArraySlice<String>) -> TreeFolder? {
    switch Array(parts) {
    case []: .root
    case ["keys"]: .keys
    case ["heads"]: .heads
    case ["devices"]: .devices
    case let parts where parts.count == 2 && parts[0] == "devices":
      DeviceID(hex: parts[1]).map(TreeFolder.objects)
    default: nil
    }
  }

  private static func precedes(_ a: TreeName, _ b: TreeName) -> Bool {
    switch (a, b) {
    case (.head(let a), .head(let b)): a < b
    case (.object(_, let a), .object(_, let b)): a < b
    case (.slot(let a), .slot(let b)): a < b
    default: false
    }
  }
}
