/// What a batch does to keys, oldest first; a key may stand in it more than once.
typealias KeyChanges = [(key: [UInt8], value: StoredValue)]

/// A batch in the order of its keys, each key once: sorted by numbers, so that few whole keys are compared.
struct SortedBatch {
  /// The first bytes of a key as numbers, and its place in the batch. Keys of one kind differ behind their
  /// first eight bytes or so.
  private struct Place {
    let first: UInt64
    let second: UInt64
    let index: Int

    init(_ key: [UInt8], index: Int) {
      (first, second) = key.withUnsafeBytes { (Self.word($0, at: 0), Self.word($0, at: 8)) }
      self.index = index
    }

    private static func word(_ key: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
      if offset &+ 8 <= key.count {
        return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      var word: UInt64 = 0
      for position in offset..<offset &+ 8 {
        word = word << 8 | (position < key.count ? UInt64(key[position]) : 0)
      }
      return word
    }
  }

  /// Sorts and encodes a batch; the entries of one key are put together.
  static func image(of batch: KeyChanges, combine: SortedTable.Combine) throws -> MemoryCursor {
    var places: [Place] = []
    places.reserveCapacity(batch.count)
    var length = 0
    for index in batch.indices {
      places.append(Place(batch[index].key, index: index))
      length &+= EntryView.headerLength &+ batch[index].key.count &+ batch[index].value.bytes.count
    }
    places.sort { precedes($0, $1, in: batch) }
    let buffer = RawBuffer()
    buffer.reserve(length)
    length = 0
    var next = 0
    while next < places.count {
      let change = batch[places[next].index]
      next &+= 1
      guard next < places.count, compareBytes(batch[places[next].index].key, change.key) == 0 else {
        length = change.value.withView(change.key) { $0.encode(into: buffer, at: length) }
        continue
      }
      var value = change.value
      while next < places.count, compareBytes(batch[places[next].index].key, change.key) == 0 {
        value = try batch[places[next].index].value.over(value, key: change.key, combine: combine)
        next &+= 1
      }
      length = value.withView(change.key) { $0.encode(into: buffer, at: length) }
    }
    return MemoryCursor(buffer, length: length)
  }

  private static func precedes(_ left: Place, _ right: Place, in batch: KeyChanges) -> Bool {
    if left.first != right.first { return left.first < right.first }
    if left.second != right.second { return left.second < right.second }
    let order = compareBytes(batch[left.index].key, batch[right.index].key)
    return order == 0 ? left.index < right.index : order < 0
  }
}

/// What is to become a run: entries in order, from sources of which the newest stands first.
struct NewEntries {
  let sources: [any EntrySource]
  /// The greatest number of entries that may come.
  let capacity: Int
  let byteCount: Int

  init(_ memtable: Memtable) {
    sources = [memtable.image(.all)]
    capacity = memtable.entries.count
    byteCount = memtable.byteCount
  }

  /// A batch over what is in memory already.
  init(_ batch: KeyChanges, over memtable: Memtable, combine: SortedTable.Combine) throws {
    let image = try SortedBatch.image(of: batch, combine: combine)
    sources = [image] + (memtable.isEmpty ? [] : [memtable.image(.all)])
    capacity = batch.count &+ memtable.entries.count
    byteCount = image.length &+ memtable.byteCount
  }
}
