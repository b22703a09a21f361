/// Orders byte strings as unsigned bytes, a prefix first: negative, zero or positive.
func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  var offset = 0
  while offset &+ 8 <= shared {
    let a = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let b = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    if a != b { return UInt64(bigEndian: a) < UInt64(bigEndian: b) ? -1 : 1 }
    offset &+= 8
  }
  while offset < shared {
    if left[offset] != right[offset] { return left[offset] < right[offset] ? -1 : 1 }
    offset &+= 1
  }
  return left.count &- right.count
}

func compareBytes(_ left: [UInt8], _ right: [UInt8]) -> Int {
  left.withUnsafeBytes { a in right.withUnsafeBytes { b in compareBytes(a, b) } }
}

/// Takes little-endian numbers and strings from the front of bytes; nil where they end too early.
struct ByteReader {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }

  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) -> T? {
    take(MemoryLayout<T>.size).map { T(littleEndian: $0.loadUnaligned(as: T.self)) }
  }
}

extension [UInt8] {
  mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

/// Heap bytes with a fixed address, so that a view stays good until the next `reserve`.
final class RawBuffer {
  private(set) var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit { bytes.deallocate() }

  /// Makes room for at least `count` bytes and keeps the first `kept`.
  func reserve(_ count: Int, keeping kept: Int = 0) {
    guard count > bytes.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<min(kept, bytes.count)]))
    bytes.deallocate()
    bytes = larger
  }
}
