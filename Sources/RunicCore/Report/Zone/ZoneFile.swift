/// Why bytes are no zone.
public enum ZoneFileError: Error, Equatable, Sendable {
  /// Not a TZif file of version 1 to 4.
  case notAZone
  case truncated
  /// Something that the format does not allow, or that is out of bounds.
  case malformed
  /// Its times count leap seconds, as those under `right/` do; ours do not.
  case countsLeapSeconds
}

extension ZoneRules {
  /// A zone file is never longer: the largest there are have 4 KiB.
  public static let maximumFileLength = 1 << 20

  /// Reads a TZif file (RFC 9636, section 3).
  ///
  /// - Parameter name: what the zone is called.
  /// - Complexity: O(length).
  public init(name: String, decoding bytes: [UInt8]) throws(ZoneFileError) {
    guard bytes.count <= Self.maximumFileLength else { throw .malformed }
    var reader = ZoneReader(bytes)
    var header = try ZoneHeader(&reader)
    var wordSize = 4
    if header.version >= 2 {
      // The first block is for readers of the first version.
      _ = try reader.take(header.blockLength(wordSize: 4))
      header = try ZoneHeader(&reader)
      wordSize = 8
    }
    guard header.leapCount == 0 else { throw .countsLeapSeconds }
    let block = try ZoneBlock(header, wordSize: wordSize, &reader)
    var rule: PosixRule?
    if wordSize == 8 {
      let footer = try reader.footer()
      if !footer.isEmpty {
        guard let read = PosixRule(footer) else { throw .malformed }
        rule = read
      }
    }
    guard reader.isAtEnd else { throw .malformed }
    self.init(name: name, transitions: block.transitions, offsets: block.offsets, rule: rule)
  }
}

/// The counts at the front of a block.
private struct ZoneHeader {
  let version: Int
  let utCount: Int
  let standardCount: Int
  let leapCount: Int
  let timeCount: Int
  let typeCount: Int
  let characterCount: Int

  init(_ reader: inout ZoneReader) throws(ZoneFileError) {
    guard reader.startsWith("TZif") else { throw .notAZone }
    let front = Array(try reader.take(20))
    switch front[4] {
    case 0: version = 1
    case UInt8(ascii: "2")...UInt8(ascii: "4"): version = Int(front[4] - UInt8(ascii: "0"))
    default: throw .notAZone
    }
    utCount = try reader.count()
    standardCount = try reader.count()
    leapCount = try reader.count()
    timeCount = try reader.count()
    typeCount = try reader.count()
    characterCount = try reader.count()
    guard (1...256).contains(typeCount), characterCount >= 1, utCount == 0 || utCount == typeCount,
      standardCount == 0 || standardCount == typeCount
    else { throw .malformed }
  }

  func blockLength(wordSize: Int) -> Int {
    timeCount * (wordSize + 1) + typeCount * 6 + characterCount + leapCount * (wordSize + 4) + standardCount
      + utCount
  }
}

private struct ZoneBlock {
  let transitions: [Int64]
  let offsets: [Int64]

  init(_ header: ZoneHeader, wordSize: Int, _ reader: inout ZoneReader) throws(ZoneFileError) {
    var times: [Int64] = []
    for _ in 0..<header.timeCount { times.append(try reader.integer(wordSize)) }
    let types = Array(try reader.take(header.timeCount))
    var typeOffsets: [Int64] = []
    for _ in 0..<header.typeCount {
      let offset = try reader.integer(4)
      guard (-93_599...93_599).contains(offset) else { throw .malformed }
      typeOffsets.append(offset)
      _ = try reader.take(2)
    }
    _ = try reader.take(header.characterCount + header.standardCount + header.utCount)
    guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }), types.allSatisfy({ $0 < typeOffsets.count })
    else { throw .malformed }
    // Older writers put a time before the beginning of everything first; no such time is asked for.
    transitions = times.map { max($0, -ZoneRules.horizon) }.map { min($0, ZoneRules.horizon) }
    offsets = [typeOffsets[0]] + types.map { typeOffsets[Int($0)] }
  }
}

/// Takes bytes from the front.
private struct ZoneReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  func startsWith(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  mutating func take(_ count: Int) throws(ZoneFileError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw .truncated }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A signed number, the highest byte first.
  mutating func integer(_ size: Int) throws(ZoneFileError) -> Int64 {
    let bits = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
  }

  /// How many of something follow, each at least a byte long.
  mutating func count() throws(ZoneFileError) -> Int {
    let value = try integer(4)
    guard value >= 0, value <= Int64(bytes.count) else { throw .malformed }
    return Int(value)
  }

  /// What stands between two line feeds.
  mutating func footer() throws(ZoneFileError) -> [UInt8] {
    guard try take(1).first == UInt8(ascii: "\n") else { throw .malformed }
    let line = Array(bytes[position...].prefix { $0 != UInt8(ascii: "\n") })
    _ = try take(line.count + 1)
    return line
  }
}
