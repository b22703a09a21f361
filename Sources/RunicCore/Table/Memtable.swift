/// The newest entries, which lie in the tail or nowhere yet: a dictionary, sorted when it is read in order.
struct Memtable {
  private(set) var entries: [ByteKey: StoredValue] = [:]
  /// About the length that the entries have when encoded.
  private(set) var byteCount = 0

  var isEmpty: Bool { entries.isEmpty }

  subscript(key: [UInt8]) -> StoredValue? { entries.isEmpty ? nil : entries[ByteKey(key)] }

  mutating func apply(_ key: [UInt8], _ value: StoredValue, combine: SortedTable.Combine) throws {
    replace(ByteKey(key), try self[key].map { try value.over($0, key: key, combine: combine) } ?? value)
  }

  mutating func replace(_ key: ByteKey, _ value: StoredValue) {
    byteCount &+= value.bytes.count
    if let older = entries.updateValue(value, forKey: key) {
      byteCount &-= older.bytes.count
    } else {
      byteCount &+= key.bytes.count &+ EntryView.headerLength
    }
  }

  /// What is to be replaced to bring in a batch: all that can fail, before anything is changed.
  func prepare(
    _ batch: KeyChanges, combine: SortedTable.Combine
  ) throws -> [ByteKey: StoredValue] {
    var prepared: [ByteKey: StoredValue] = [:]
    prepared.reserveCapacity(batch.count)
    for (key, value) in batch {
      let place = ByteKey(key)
      let older = prepared[place] ?? entries[place]
      prepared[place] = try older.map { try value.over($0, key: key, combine: combine) } ?? value
    }
    return prepared
  }

  /// The entries of a range, sorted and encoded.
  func image(_ range: KeyRange) -> MemoryCursor {
    let keys = entries.keys.filter { range.contains($0.bytes) }.sorted {
      compareBytes($0.bytes, $1.bytes) < 0
    }
    var bytes: [UInt8] = []
    for key in keys { entries[key]?.withView(key.bytes) { $0.encode(into: &bytes) } }
    return MemoryCursor(bytes)
  }
}

/// Keys from one, included, up to another, not included (nil: to the last).
struct KeyRange {
  var start: [UInt8] = []
  var end: [UInt8]?

  static let all = KeyRange()

  init(start: [UInt8] = [], end: [UInt8]? = nil) {
    self.start = start
    self.end = end
  }

  /// All keys that begin with these bytes.
  init(prefix: [UInt8]) {
    start = prefix
    var next = prefix
    while next.last == 0xFF { next.removeLast() }
    guard let last = next.popLast() else { return }
    end = next + [last &+ 1]
  }

  func contains(_ key: [UInt8]) -> Bool {
    compareBytes(key, start) >= 0 && end.map { compareBytes(key, $0) < 0 } ?? true
  }
}

/// Entries that were encoded in memory.
final class MemoryCursor: EntrySource {
  private let buffer: RawBuffer
  let length: Int
  private var offset = 0
  private(set) var entry: EntryView?

  init(_ buffer: RawBuffer, length: Int) {
    (self.buffer, self.length) = (buffer, length)
    read()
  }

  convenience init(_ bytes: [UInt8]) {
    let buffer = RawBuffer()
    buffer.reserve(bytes.count)
    buffer.bytes.copyBytes(from: bytes)
    self.init(buffer, length: bytes.count)
  }

  func advance() {
    offset &+= entry?.encodedLength ?? 0
    read()
  }

  private func read() {
    entry = EntryView(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<length]), at: offset)
  }
}
