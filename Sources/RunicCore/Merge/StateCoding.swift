import ObjectStore

/// Why bytes are no state of a record. The index is derived, so whoever meets this rebuilds it.
public enum StateDecodingError: Error, Equatable, Sendable {
  case truncated(at: Int)
  /// Bytes that the encoder never writes: an unknown tag, a wrong order, a number that is too long.
  case malformed(at: Int)
  case trailingBytes(at: Int)
}

/// Appends the parts of a state: big-endian words, LEB128 numbers, counted bytes.
struct StateWriter {
  private(set) var bytes: [UInt8] = []

  /// Begins anew with the memory that there is.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }
  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }
  mutating func byte(_ value: UInt8) { bytes.append(value) }
  mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }
  mutating func raw(_ value: ArraySlice<UInt8>) { value.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  mutating func digest(_ value: Digest) { value.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  mutating func device(_ value: DeviceID) { value.withUnsafeBytes { bytes.append(contentsOf: $0) } }

  mutating func stamp(_ value: Stamp) {
    withUnsafeBytes(of: value.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func unsigned(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// The sign goes to the lowest bit, so that numbers near 0 of either sign are short.
  mutating func signed(_ value: Int64) {
    unsigned(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func count(_ value: Int) { unsigned(UInt64(value)) }

  mutating func counted(_ value: [UInt8]) {
    count(value.count)
    raw(value)
  }
}

/// Takes the parts apart again, never past the end and only in the one form that `StateWriter` gives them.
struct StateReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var malformed: StateDecodingError { .malformed(at: offset) }

  mutating func byte() throws(StateDecodingError) -> UInt8 {
    guard offset < bytes.count else { throw .truncated(at: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func raw(_ count: Int) throws(StateDecodingError) -> [UInt8] {
    guard count >= 0, count <= bytes.count - offset else { throw .truncated(at: offset) }
    defer { offset += count }
    return Array(bytes[offset..<(offset + count)])
  }

  mutating func digest() throws(StateDecodingError) -> Digest {
    guard let digest = Digest(bytes: try raw(32)) else { throw malformed }
    return digest
  }

  mutating func device() throws(StateDecodingError) -> DeviceID {
    guard let device = DeviceID(bytes: try raw(16)) else { throw malformed }
    return device
  }

  mutating func stamp() throws(StateDecodingError) -> Stamp {
    var value: UInt64 = 0
    for _ in 0..<8 { value = value << 8 | UInt64(try byte()) }
    return Stamp(rawValue: value)
  }

  mutating func unsigned() throws(StateDecodingError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      let isLast = next < 0x80
      // The tenth byte holds one bit; a last byte of 0 would be a longer form of a shorter number.
      if shift == 63, next > 1 { throw malformed }
      if isLast, next == 0, shift > 0 { throw malformed }
      value |= UInt64(next & 0x7F) << shift
      if isLast { return value }
      shift += 7
    }
  }

  mutating func signed() throws(StateDecodingError) -> Int64 {
    let value = try unsigned()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A number of things that follow, each at least one byte long: so a false count allocates nothing.
  mutating func count() throws(StateDecodingError) -> Int {
    let value = try unsigned()
    guard value <= UInt64(bytes.count - offset) else { throw .truncated(at: offset) }
    return Int(value)
  }

  mutating func counted() throws(StateDecodingError) -> [UInt8] {
    try raw(try count())
  }

  func finish() throws(StateDecodingError) {
    guard offset == bytes.count else { throw .trailingBytes(at: offset) }
  }
}
