import ObjectStore

/// A tree that is to be checked, wherever it lies: every file of it is read once, a bounded number at a time.
struct CheckedTree {
  /// Lists the tree; for a local store a folder like any other.
  private let remote: any Remote
  private let fileSystem: any FileSystem
  /// Where files are fetched to; nil where they can be read in place.
  private let target: String?
  private let root: String

  /// How many bytes are fetched at once.
  private static let batch: Int64 = 32 << 20

  /// A tree in a folder of this machine.
  init(folder: String, fileSystem: any FileSystem) {
    // It writes nothing there, and so names nothing after a device.
    remote = DirectoryRemote(
      path: folder, device: DeviceID(from: .system), fileSystem: fileSystem, random: .system)
    self.fileSystem = fileSystem
    root = folder
    target = nil
  }

  /// - Parameter target: an empty folder on this machine.
  init(_ remote: any Remote, through target: String, fileSystem: any FileSystem) {
    self.remote = remote
    self.fileSystem = fileSystem
    self.target = target
    root = remote.address
  }

  var marker: [UInt8] { get throws { try remote.marker() } }

  /// All files that the grammar knows, and all names that it does not.
  func list() throws -> (files: [RemoteEntry], strangers: [String]) {
    let folders =
      [TreeFolder.root, .keys, .heads, .devices] + (try remote.devices().map { TreeFolder.objects($0) })
    return (try remote.list(folders), try remote.strangers(in: folders))
  }

  /// Hands every file to `body`, in the order given; nil where it cannot be had whole.
  func forEach(_ files: [RemoteEntry], _ body: (TreeName, [UInt8]?) throws -> Void) throws {
    guard let target else {
      for file in files { try body(file.name, bytes(at: "\(root)/\(file.name.path)", file.name)) }
      return
    }
    var rest = files[...]
    while !rest.isEmpty {
      var size: Int64 = 0
      let part = rest.prefix { file in
        let isFirst = size == 0
        size = size.addingReportingOverflow(max(1, file.length)).partialValue
        return isFirst || size <= Self.batch
      }
      rest = rest.dropFirst(part.count)
      let fetched = try remote.fetch(part.map(\.name), into: target)
      let paths = Dictionary(fetched.map { ($0.name, $0.path) }) { first, _ in first }
      for file in part {
        let path = paths[file.name]
        try body(file.name, path.flatMap { bytes(at: $0, file.name) })
        if let path { fileSystem.removeLeftover(path) }
      }
    }
  }

  private func bytes(at path: String, _ name: TreeName) -> [UInt8]? {
    try? fileSystem.read(path, limit: name.limit)
  }
}
