/// How an entry relates to older ones of its key. The raw values are on disk.
enum EntryKind: UInt32 {
  /// Nothing is there; hides what is older.
  case tombstone = 0
  /// To be combined with what is older.
  case operand = 1
  /// The whole value; hides what is older.
  case full = 2
}

/// A value with its kind, out of any file.
struct StoredValue: Equatable {
  var kind: EntryKind
  var bytes: [UInt8]

  /// This one over an older one of the same key.
  func over(
    _ older: StoredValue, key: [UInt8], combine: SortedTable.Combine
  ) throws -> StoredValue {
    guard kind == .operand else { return self }
    switch older.kind {
    case .tombstone: return StoredValue(kind: .full, bytes: bytes)
    case .operand, .full:
      return StoredValue(kind: older.kind, bytes: try combine(key, bytes, older.bytes))
    }
  }
}

/// An entry as it lies in memory: a view, good as long as the bytes under it.
///
/// Encoded: key length (16 bits), kind (2 bits) and value length (30 bits) in one word, key, value.
struct EntryView {
  static let headerLength = 6
  static let maximumKeyLength = 0xFFFF
  static let maximumValueLength = 64 << 20

  let kind: EntryKind
  let key: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer

  var encodedLength: Int { Self.headerLength &+ key.count &+ value.count }
  var stored: StoredValue { StoredValue(kind: kind, bytes: [UInt8](value)) }

  init(kind: EntryKind, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    self.kind = kind
    self.key = key
    self.value = value
  }

  /// Reads the entry at an offset; nil where the bytes are not one.
  init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    let left = bytes.count &- offset
    guard offset >= 0, left >= Self.headerLength else { return nil }
    let keyLength = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset &+ 2, as: UInt32.self))
    let valueLength = Int(word & 0x3FFF_FFFF)
    guard let kind = EntryKind(rawValue: word >> 30), valueLength <= Self.maximumValueLength,
      kind != .tombstone || valueLength == 0,
      keyLength &+ valueLength <= left &- Self.headerLength
    else { return nil }
    let keyStart = offset &+ Self.headerLength
    let valueStart = keyStart &+ keyLength
    self.kind = kind
    key = UnsafeRawBufferPointer(rebasing: bytes[keyStart..<valueStart])
    value = UnsafeRawBufferPointer(rebasing: bytes[valueStart..<valueStart &+ valueLength])
  }

  /// Writes the encoded entry behind the first `length` bytes of a buffer and answers where it ends.
  func encode(into buffer: RawBuffer, at length: Int) -> Int {
    let end = length &+ encodedLength
    buffer.reserve(end, keeping: length)
    let place = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[length..<end])
    place.storeBytes(of: UInt16(truncatingIfNeeded: key.count).littleEndian, as: UInt16.self)
    let word = kind.rawValue << 30 | UInt32(truncatingIfNeeded: value.count)
    place.storeBytes(of: word.littleEndian, toByteOffset: 2, as: UInt32.self)
    let valueStart = Self.headerLength &+ key.count
    UnsafeMutableRawBufferPointer(rebasing: place[Self.headerLength..<valueStart]).copyMemory(from: key)
    UnsafeMutableRawBufferPointer(rebasing: place[valueStart...]).copyMemory(from: value)
    return end
  }

  /// Appends the encoded entry. Lengths must be within the limits: `SortedTable.commit` checks them.
  func encode(into bytes: inout [UInt8]) {
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: key.count))
    bytes.append(littleEndian: kind.rawValue << 30 | UInt32(truncatingIfNeeded: value.count))
    bytes.append(contentsOf: key)
    bytes.append(contentsOf: value)
  }
}

extension StoredValue {
  /// Calls with a view of this value under a key.
  func withView<Result>(_ key: [UInt8], _ body: (EntryView) throws -> Result) rethrows -> Result {
    try key.withUnsafeBytes { key in
      try bytes.withUnsafeBytes { try body(EntryView(kind: kind, key: key, value: $0)) }
    }
  }
}

/// Entries in the order of their keys, each key once.
protocol EntrySource: AnyObject {
  /// The current entry, good until `advance`; nil at the end.
  var entry: EntryView? { get }
  func advance() throws
}
