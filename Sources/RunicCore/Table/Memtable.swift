import ObjectStore

/// Entries in memory, each key once: found by key, read in the order of the keys, and encoded in one piece of
/// memory from the moment they come.
///
/// Memory: the entries, those too that others replaced, and about 40 bytes a key. O(1) for each entry.
struct Memtable: ~Copyable {
  /// An entry: where it lies, and the first bytes of its key as numbers, so that sorting compares few whole
  /// keys. Keys of one kind differ behind their first eight bytes or so.
  private struct Place {
    let first: UInt64
    let second: UInt64
    var offset: Int

    func beginsLike(_ other: Place) -> Bool { first == other.first && second == other.second }
  }

  private var buffer = RawBuffer()
  /// How much of the buffer is used.
  private var used = 0
  /// In the order in which the keys came.
  private var places: [Place] = []
  /// A hash table with open addressing: the number of a place plus one below 32 bits of its key's hash; 0 is free.
  private var slots: [UInt64] = []
  /// The length of the encoded entries, without those that were replaced.
  private(set) var byteCount = 0

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }
  /// What it takes in memory, about.
  var size: Int { used &+ count &* 40 }

  // MARK: Reading

  /// The entry of a key, good until the next change.
  func entry(_ key: UnsafeRawBufferPointer) -> EntryView? {
    guard !places.isEmpty, let found = find(key, Self.hash(key)).place else { return nil }
    return entry(at: places[found].offset)
  }

  subscript(key: [UInt8]) -> StoredValue? { key.withUnsafeBytes { entry($0)?.stored } }

  /// Calls for every entry, in the order in which the keys came.
  func forEach(_ body: (EntryView) throws -> Void) rethrows {
    for place in places {
      if let entry = entry(at: place.offset) { try body(entry) }
    }
  }

  /// The entries in the order of their keys; nothing may change while they are read.
  func sorted() -> MemoryCursor { MemoryCursor(buffer, offsets: offsets(in: places)) }

  /// The entries of a range as they are now, sorted.
  func image(_ range: KeyRange) -> MemoryCursor {
    let copy = RawBuffer()
    copy.reserve(used)
    copy.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer.bytes[..<used]))
    let inside = places.filter { place in entry(at: place.offset).map { range.contains($0.key) } ?? false }
    return MemoryCursor(copy, offsets: offsets(in: inside))
  }

  // MARK: Changing

  /// Puts a value over what is there.
  ///
  /// - Throws: `TableError.keyTooLong`, `.valueTooLong`, or what `combine` throws; then nothing has changed.
  mutating func apply(
    _ kind: EntryKind, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    combine: SortedTable.Combine
  ) throws {
    if key.count > EntryView.maximumKeyLength { throw TableError.keyTooLong(key.count) }
    if value.count > EntryView.maximumValueLength { throw TableError.valueTooLong(value.count) }
    let new = EntryView(kind: kind, key: key, value: value)
    makeSlot()
    let (slot, place) = find(key, Self.hash(key))
    guard kind == .operand, let place, let older = entry(at: places[place].offset) else {
      return put(new, slot, place)
    }
    let bytes = [UInt8](key)
    let both = try new.stored.over(older.stored, key: bytes, combine: combine)
    if both.bytes.count > EntryView.maximumValueLength { throw TableError.valueTooLong(both.bytes.count) }
    both.withView(bytes) { put($0, slot, place) }
  }

  mutating func apply(_ key: [UInt8], _ value: StoredValue, combine: SortedTable.Combine) throws {
    try value.withView(key) { try apply($0.kind, $0.key, $0.value, combine: combine) }
  }

  /// What is to be replaced to bring in newer entries: all that can fail, before anything is changed.
  func prepare(
    _ newer: borrowing Memtable, combine: SortedTable.Combine
  ) throws -> [(key: [UInt8], value: StoredValue)] {
    var prepared: [(key: [UInt8], value: StoredValue)] = []
    prepared.reserveCapacity(newer.count)
    try newer.forEach { new in
      let key = [UInt8](new.key)
      let older = entry(new.key)?.stored
      prepared.append(
        (key, try older.map { try new.stored.over($0, key: key, combine: combine) } ?? new.stored))
    }
    return prepared
  }

  mutating func replace(_ key: [UInt8], _ value: StoredValue) {
    makeSlot()
    value.withView(key) { entry in
      let (slot, place) = find(entry.key, Self.hash(entry.key))
      put(entry, slot, place)
    }
  }

  mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    for slot in slots.indices { slots[slot] = 0 }
    (used, byteCount) = (0, 0)
  }

  /// Puts an entry in a place of its key, or in a new one, which the slot then names.
  private mutating func put(_ entry: EntryView, _ slot: Int, _ place: Int?) {
    if let place {
      byteCount &-= self.entry(at: places[place].offset)?.encodedLength ?? 0
      places[place].offset = append(entry)
    } else {
      places.append(
        Place(first: Self.word(entry.key, at: 0), second: Self.word(entry.key, at: 8), offset: append(entry)))
      slots[slot] = UInt64(Self.hash(entry.key)) << 32 | UInt64(places.count)
    }
  }

  /// Appends the encoded entry and answers where it begins.
  private mutating func append(_ entry: EntryView) -> Int {
    let offset = used
    let end = used &+ entry.encodedLength
    if end > buffer.bytes.count { buffer.reserve(max(end, Self.nextSize(used)), keeping: used) }
    used = entry.encode(into: buffer, at: offset)
    byteCount &+= entry.encodedLength
    return offset
  }

  /// Doubles, and from some size on makes room for all that is usual at once: memory that is not touched costs
  /// nothing, a copy of a large piece does.
  private static func nextSize(_ used: Int) -> Int {
    used < 512 << 10 ? max(4 << 10, 2 &* used) : max(10 << 20, used &+ used / 2)
  }

  // MARK: Finding

  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: BloomFilter.hash(key))
  }

  /// The place of a key, or the free slot for it. There is always a free one.
  private func find(_ key: UnsafeRawBufferPointer, _ hash: UInt32) -> (slot: Int, place: Int?) {
    let mask = slots.count &- 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let place = Int(slots[slot] & 0xFFFF_FFFF) &- 1
      if slots[slot] >> 32 == UInt64(hash), let found = entry(at: places[place].offset),
        compareBytes(found.key, key) == 0
      {
        return (slot, place)
      }
      slot = (slot &+ 1) & mask
    }
    return (slot, nil)
  }

  /// Sees to it that at most half of the slots are taken.
  private mutating func makeSlot() {
    guard slots.count < 2 &* (places.count &+ 1) else { return }
    let old = slots
    slots = [UInt64](repeating: 0, count: max(16, 2 &* old.count))
    let mask = slots.count &- 1
    for entry in old where entry != 0 {
      var slot = Int(entry >> 32) & mask
      while slots[slot] != 0 { slot = (slot &+ 1) & mask }
      slots[slot] = entry
    }
  }

  private func entry(at offset: Int) -> EntryView? {
    EntryView(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<used]), at: offset)
  }

  // MARK: Order

  private func offsets(in places: [Place]) -> [Int] {
    var sorted = places
    sorted.sort { $0.first == $1.first ? $0.second < $1.second : $0.first < $1.first }
    // Keys that begin alike are few: only they are compared as a whole.
    var start = 0
    while start < sorted.count {
      var end = start &+ 1
      while end < sorted.count, sorted[end].beginsLike(sorted[start]) { end &+= 1 }
      if end > start &+ 1 { sorted[start..<end].sort { precedes($0, $1) } }
      start = end
    }
    return sorted.map(\.offset)
  }

  private func precedes(_ left: Place, _ right: Place) -> Bool {
    guard let left = entry(at: left.offset), let right = entry(at: right.offset) else { return false }
    return compareBytes(left.key, right.key) < 0
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
