import CanonicalJSON
import ObjectStore
import TestSupport

@testable import RunicCore

extension Workbench {
  func open(_ name: String) throws -> Repository {
    try Repository.open(at: path(name), environment: environment)
  }

  /// Two devices that have each other's readings: so many of the first, and one of the second.
  func pair(readings: Int64 = 1) throws -> (Repository, Repository) {
    let a = try begin("a")
    for amount in 1...readings { try a.use("claude", amount) }
    _ = try a.push("shared")
    let b = try join("b", of: a)
    _ = try b.pull("shared")
    try b.use("codex", readings + 1)
    _ = try b.push("shared")
    _ = try a.pull("shared")
    return (a, b)
  }

  /// The disk, where it is one in memory.
  var disk: MemoryFileSystem { (fileSystem as? MemoryFileSystem) ?? MemoryFileSystem() }

  /// The files of a shared folder, by path.
  func shared(_ name: String = "shared") throws -> [String: [UInt8]] { try disk.tree(path(name)) }

  /// Puts a tree in the place of another.
  func replace(_ name: String, by files: [String: [UInt8]]) throws {
    for file in try disk.treeIfPresent(path(name)).keys where files[file] == nil {
      try disk.remove(path(name) + "/" + file)
    }
    for (file, bytes) in files {
      let target = path(name) + "/" + file
      try disk.makeDirectories(parent(of: target), permissions: 0o700)
      try disk.setContents(target, bytes)
    }
  }

  /// Copies a folder with all that is in it, as a backup or the imaging of a machine does.
  func copy(_ name: String, to other: String) throws {
    try replace(other, by: try disk.treeIfPresent(path(name)))
    for folder in ["tmp", "index", "local", "hooks", "store/keys", "store/heads", "store/devices"] {
      try disk.makeDirectories(path(other) + "/" + folder, permissions: 0o700)
    }
  }

  /// Everybody pulls and pushes until all that is known anywhere has come everywhere.
  func settle(_ devices: [Repository], rounds: Int = 3) throws {
    for _ in 0..<rounds {
      for device in devices {
        _ = try device.pull("shared")
        _ = try device.push("shared")
      }
    }
  }
}

extension MemoryFileSystem {
  func treeIfPresent(_ path: String) throws -> [String: [UInt8]] {
    try status(path) == nil ? [:] : try tree(path)
  }
}

extension Repository {
  typealias State = [[UInt8]: [UInt8]]

  /// Every record and every conflict, as the index holds them.
  func state() throws -> State {
    try read { snapshot in
      var state: State = [:]
      for sort in [IndexKey.history, IndexKey.keyed, IndexKey.conflict] {
        try snapshot.index.table.scan(prefix: [sort]) { key, value in
          state[Array(key)] = Array(value)
          return true
        }
      }
      return state
    }
  }

  /// What every usage record shows, by id.
  func usage() throws -> [[UInt8]: [UInt8]] {
    var found: [[UInt8]: [UInt8]] = [:]
    try read { snapshot in
      try snapshot.forEachRecord(of: "usage", .history) { record in
        found[record.name.id] = record.payload
        return true
      }
    }
    return found
  }

  /// What is wrong here: nothing, once a command has gone through after a mishap.
  func faults() throws -> [String] {
    var faults = try check().faults
    faults += try environment.fileSystem.listIfPresent(layout.temporary).map { "tmp/\($0.name)" }
    let newest = try store.headNames().last { $0.device == deviceID }?.sequence ?? 0
    for digest in try store.objectNames(of: deviceID) {
      let last = try SealedHeader(decoding: try store.read(.object(deviceID, digest))).last
      if last > newest { faults.append("unlisted object \(digest)") }
    }
    return faults
  }

  /// What is wrong with the shared folder.
  func faultsOfRemote(_ name: String = "shared") throws -> [String] {
    try check(remote: name).faults.map { "shared: \($0)" }
  }
}

extension CheckReport {
  var faults: [String] {
    damage.map { "damaged \($0.path): \($0.reason)" } + pending.map { "pending \($0.path)" }
      + strangers.map { "stranger \($0)" }
  }
}
