import ObjectStore

/// One batch in a tail: length of the payload (32 bits), check (32 bits), payload.
///
/// The payload is the length of the metadata (32 bits), the metadata, and entries in the order of the batch.
/// Each check takes in the one before it, so that frames of an earlier tail, or of one that was cut and
/// written over, never pass.
struct TailFrame {
  static let headerLength = 8

  let metadata: UnsafeRawBufferPointer
  let entries: UnsafeRawBufferPointer

  /// The check of a payload after another frame's.
  private static func check(_ payload: UnsafeRawBufferPointer, after previous: UInt32) -> UInt32 {
    CRC32.checksum(payload) ^ (previous << 1 | previous >> 31) ^ 0x7461_696C
  }

  /// A whole frame, and its check.
  static func encode(
    _ batch: borrowing Memtable, metadata: [UInt8], after previous: UInt32
  ) -> (bytes: [UInt8], check: UInt32) {
    var payload: [UInt8] = []
    payload.append(littleEndian: UInt32(truncatingIfNeeded: metadata.count))
    payload.append(contentsOf: metadata)
    batch.forEach { $0.encode(into: &payload) }
    let check = payload.withUnsafeBytes { Self.check($0, after: previous) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerLength &+ payload.count)
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: payload.count))
    bytes.append(littleEndian: check)
    bytes.append(contentsOf: payload)
    return (bytes, check)
  }

  /// Takes the next frame; nil where it is cut, damaged or not of this chain: there the tail ends.
  static func next(
    _ reader: inout ByteReader, after previous: inout UInt32
  ) -> TailFrame? {
    guard let length = reader.integer(UInt32.self), let stored = reader.integer(UInt32.self),
      let payload = reader.take(Int(length)), stored == check(payload, after: previous)
    else { return nil }
    var inner = ByteReader(payload)
    guard let count = inner.integer(UInt32.self), let metadata = inner.take(Int(count)) else { return nil }
    previous = stored
    return TailFrame(metadata: metadata, entries: inner.rest)
  }

  /// Calls for each entry; false where they are malformed, which a checked frame never is.
  func forEachEntry(_ body: (EntryView) throws -> Void) rethrows -> Bool {
    var offset = 0
    while offset < entries.count {
      guard let entry = EntryView(entries, at: offset) else { return false }
      try body(entry)
      offset &+= entry.encodedLength
    }
    return true
  }
}
