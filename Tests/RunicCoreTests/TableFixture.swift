import ObjectStore
import RunicCore
import TestSupport

/// What the table tests share: a table on a disk, a dictionary that does the same, and seeded randomness.
struct TableFixture {
  static let folder = "/index"

  let disk: any FileSystem
  private(set) var table: SortedTable
  var model: [[UInt8]: [UInt8]] = [:]
  var metadata: [UInt8] = []

  init(_ disk: any FileSystem = MemoryFileSystem()) throws {
    self.disk = disk
    table = try Self.open(disk)
  }

  static func open(_ disk: any FileSystem) throws -> SortedTable {
    try SortedTable(folder: folder, fileSystem: disk, combine: joined)
  }

  /// Newer after older, with the key's first byte between, so that order and key are seen; bounded in length.
  static func joined(_ key: [UInt8], _ newer: [UInt8], _ older: [UInt8]) -> [UInt8] {
    older + [key.first ?? 0] + newer
  }

  mutating func reopen() throws { table = try Self.open(disk) }

  mutating func commit(
    _ batch: [(key: [UInt8], change: SortedTable.Change)], metadata new: [UInt8] = []
  ) throws {
    try table.commit(batch, metadata: new)
    Self.apply(batch, to: &model)
    metadata = new
  }

  static func apply(_ batch: [(key: [UInt8], change: SortedTable.Change)], to model: inout [[UInt8]: [UInt8]])
  {
    for (key, change) in batch {
      switch change {
      case .put(let value): model[key] = value
      case .merge(let value): model[key] = model[key].map { joined(key, value, $0) } ?? value
      case .remove: model[key] = nil
      }
    }
  }

  /// All that the table holds, by a full scan; nil where the order is wrong or a key comes twice.
  static func contents(_ table: SortedTable) throws -> [[UInt8]: [UInt8]]? {
    var found: [[UInt8]: [UInt8]] = [:]
    var last: [UInt8]?
    var isOrdered = true
    try table.scan { key, value in
      let key = [UInt8](key)
      if let last, !last.lexicographicallyPrecedes(key) { isOrdered = false }
      last = key
      found[key] = [UInt8](value)
      return true
    }
    return isOrdered ? found : nil
  }
}

extension SeededRandom {
  /// A batch over few keys, so that keys meet each other again.
  mutating func batch(keys: Int, values: Int) -> [(key: [UInt8], change: SortedTable.Change)] {
    (0..<Int.random(in: 0...6, using: &self)).map { _ in
      let number = Int.random(in: 0..<keys, using: &self)
      let key = [UInt8]("k\(number % 7)/\(number)".utf8)
      let value = bytes(Int.random(in: 0...values, using: &self))
      switch Int.random(in: 0..<5, using: &self) {
      case 0: return (key, .remove)
      case 1: return (key, .merge(Array(value.prefix(40))))
      default: return (key, .put(value))
      }
    }
  }
}
