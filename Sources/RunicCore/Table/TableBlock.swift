import ObjectStore

/// Where a block lies in its run.
struct BlockReference: Equatable {
  let offset: Int64
  /// With the header.
  let length: Int

  static let encodedLength = 12

  init(offset: Int64, length: Int) {
    self.offset = offset
    self.length = length
  }

  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    guard bytes.count == Self.encodedLength, let offset = reader.integer(Int64.self),
      let length = reader.integer(UInt32.self), offset >= 0
    else { return nil }
    self.init(offset: offset, length: Int(length))
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: offset)
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: length))
    return bytes
  }
}

/// The frame around a block: payload length (32 bits), check (32 bits), payload.
///
/// A payload is the block's level (8 bits; 0 holds records, n holds references to blocks of level n - 1 under
/// a key not above their first) and entries. The check is bound to the run and the offset, so that a block
/// from elsewhere does not pass.
enum BlockFrame {
  static let headerLength = 8
  /// Room for one entry of the greatest lengths.
  static let maximumPayload = EntryView.maximumValueLength + EntryView.maximumKeyLength + 64

  static func check(_ payload: UnsafeRawBufferPointer, run: UInt64, offset: Int64) -> UInt32 {
    BlockCheck.checksum(payload, seed: run << 40 ^ UInt64(bitPattern: offset))
  }

  /// The payload's length as the header says; nil where no block can be so long.
  static func payloadLength(_ header: UnsafeRawBufferPointer) -> Int? {
    var reader = ByteReader(header)
    guard let length = reader.integer(UInt32.self), length >= 1, length <= UInt32(maximumPayload) else {
      return nil
    }
    return Int(length)
  }

  /// The payload of a whole block, checked; nil where it is damaged.
  static func open(_ block: UnsafeRawBufferPointer, run: UInt64, offset: Int64) -> BlockView? {
    guard let length = payloadLength(block), block.count == headerLength &+ length else { return nil }
    let payload = UnsafeRawBufferPointer(rebasing: block[headerLength...])
    let stored = UInt32(littleEndian: block.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard stored == check(payload, run: run, offset: offset) else { return nil }
    return BlockView(payload)
  }
}

/// A checked payload.
struct BlockView {
  let level: UInt8
  let entries: UnsafeRawBufferPointer

  /// The payload has at least its level.
  init?(_ payload: UnsafeRawBufferPointer) {
    guard let level = payload.first else { return nil }
    self.level = level
    entries = UnsafeRawBufferPointer(rebasing: payload[1...])
  }

  /// From a whole block that was checked before.
  init?(block: UnsafeRawBufferPointer) {
    guard block.count > BlockFrame.headerLength else { return nil }
    self.init(UnsafeRawBufferPointer(rebasing: block[BlockFrame.headerLength...]))
  }

  enum Found {
    case entry(EntryView)
    case nothing
    case malformed
  }

  /// The entry of exactly this key.
  func find(_ key: UnsafeRawBufferPointer) -> Found {
    var offset = 0
    while offset < entries.count {
      guard let entry = EntryView(entries, at: offset) else { return .malformed }
      let order = compareBytes(entry.key, key)
      if order == 0 { return .entry(entry) }
      if order > 0 { return .nothing }
      offset &+= entry.encodedLength
    }
    return .nothing
  }

  /// In an index block: the last child whose key is not above this one.
  func child(_ key: UnsafeRawBufferPointer) -> BlockReference? {
    var offset = 0
    var last: EntryView?
    while offset < entries.count {
      guard let entry = EntryView(entries, at: offset) else { return nil }
      if last != nil, compareBytes(entry.key, key) > 0 { break }
      last = entry
      offset &+= entry.encodedLength
    }
    return last.flatMap { BlockReference($0.value) }
  }
}
