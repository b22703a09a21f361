#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension [UInt8] {
  /// All but a line feed at the end: a small file's JSON is canonical but for that, and then needs one pass only.
  package var withoutLineFeed: ArraySlice<UInt8> { last == UInt8(ascii: "\n") ? dropLast() : self[...] }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first such byte at or after `start`; nil where there is none. memchr(3).
  package func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    guard let base = baseAddress, start >= 0, start < count else { return nil }
    return memchr(base + start, Int32(byte), count - start).map { UnsafeRawPointer($0) - base }
  }
}
