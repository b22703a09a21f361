import ObjectStore

/// The last 64 bytes of a run.
///
///     0  magic "runicrun"     8  format (32 bits)    12  length of the root block (32 bits)
///    16  its offset          24  number of entries   32  end of the blocks, where the filter begins
///    40  length of the filter  48  number of the run  56  CRC-32 of the filter  60  CRC-32 of bytes 0 to 59
struct RunFooter: Equatable {
  static let length = 64
  static let format: UInt32 = 2
  private static let magic = [UInt8]("runicrun".utf8)

  let root: BlockReference
  let entries: UInt64
  let blocksEnd: Int64
  let filterLength: Int64
  let number: UInt64
  let filterCheck: UInt32

  var encoded: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: Self.format)
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: root.length))
    bytes.append(littleEndian: root.offset)
    bytes.append(littleEndian: entries)
    bytes.append(littleEndian: blocksEnd)
    bytes.append(littleEndian: filterLength)
    bytes.append(littleEndian: number)
    bytes.append(littleEndian: filterCheck)
    bytes.append(littleEndian: CRC32.checksum(bytes))
    return bytes
  }

  /// The check at the end of an encoded footer: it tells one run from another.
  static func check(_ encoded: [UInt8]) -> UInt32 {
    encoded.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

extension RunFooter {
  /// From the end of a run of this length; nil where it is damaged or does not fit the length.
  init?(_ bytes: [UInt8], runLength: Int64) {
    guard bytes.count == Self.length, Array(bytes[..<8]) == Self.magic,
      CRC32.checksum(Array(bytes[..<60])) == Self.check(bytes)
    else { return nil }
    let footer = bytes.withUnsafeBytes { raw -> RunFooter? in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: raw[8...]))
      guard reader.integer(UInt32.self) == Self.format, let rootLength = reader.integer(UInt32.self),
        let rootOffset = reader.integer(Int64.self), let entries = reader.integer(UInt64.self),
        let blocksEnd = reader.integer(Int64.self), let filterLength = reader.integer(Int64.self),
        let number = reader.integer(UInt64.self), let filterCheck = reader.integer(UInt32.self)
      else { return nil }
      return RunFooter(
        root: BlockReference(offset: rootOffset, length: Int(rootLength)), entries: entries,
        blocksEnd: blocksEnd, filterLength: filterLength, number: number, filterCheck: filterCheck)
    }
    guard let footer, footer.fits(runLength) else { return nil }
    self = footer
  }

  private func fits(_ runLength: Int64) -> Bool {
    guard root.offset >= 0, blocksEnd >= 0, filterLength >= 0, blocksEnd <= runLength,
      filterLength <= runLength
    else { return false }
    return root.offset <= blocksEnd && Int64(root.length) <= blocksEnd &- root.offset
      && blocksEnd &+ filterLength &+ Int64(Self.length) == runLength
  }
}
