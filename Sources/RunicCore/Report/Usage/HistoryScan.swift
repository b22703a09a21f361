import ObjectStore

/// A history record where it lies in the index: its device and its payload, without an allocation.
struct HistoryScan {
  /// 16 bytes.
  let device: UnsafeRawBufferPointer
  let stamp: Stamp
  /// UTF-8; nil but where the record was brought in from elsewhere under a name.
  let deviceName: UnsafeRawBufferPointer?
  /// Canonical JSON.
  let payload: UnsafeRawBufferPointer

  /// Steps over the header that `HistoryState.encode` writes; nil where the bytes are none.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let tag = bytes.first, tag & 0xF0 == 0x10, tag & 0x07 <= 4 else { return nil }
    var place = 1
    // The integers of the rank, and the time.
    for _ in 0...(tag & 0x07) {
      while place < bytes.count, bytes[place] >= 0x80 { place &+= 1 }
      place &+= 1
    }
    guard place &+ 24 <= bytes.count else { return nil }
    device = UnsafeRawBufferPointer(rebasing: bytes[place..<place &+ 16])
    stamp = Stamp(
      rawValue: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place &+ 16, as: UInt64.self)))
    place &+= 24
    var name = 0..<0
    if tag & 0x08 != 0 {
      var (length, shift) = (0, 0)
      repeat {
        guard place < bytes.count, shift < 28 else { return nil }
        length |= Int(bytes[place] & 0x7F) << shift
        shift &+= 7
        place &+= 1
      } while bytes[place &- 1] >= 0x80
      name = place..<place &+ length
      place &+= length
    }
    guard place <= bytes.count else { return nil }
    deviceName = name.isEmpty ? nil : UnsafeRawBufferPointer(rebasing: bytes[name])
    payload = UnsafeRawBufferPointer(rebasing: bytes[place...])
  }
}
