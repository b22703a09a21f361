/// A key for dictionaries: an array of bytes hashes itself byte by byte, this as a whole.
struct ByteKey: Hashable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func == (left: ByteKey, right: ByteKey) -> Bool {
    left.bytes.count == right.bytes.count && compareBytes(left.bytes, right.bytes) == 0
  }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
