/// A commit's place in its log, as the first bytes of its line say it (`docs/format.md`, "Commits").
///
/// A line is JSON with its fields in one fixed order, so that the chain can be followed without a JSON parser:
/// `{"sequence":1,"previous":"<64>","stamp":"<16>","time":0,"changes":[…]}`.
public struct CommitLine: Equatable, Sendable {
  public let sequence: Int64
  /// The hash of the commit before it; of the first one, `genesis`.
  public let previous: Digest
  /// The hybrid logical clock's reading: 48 bits of milliseconds, 16 of counter.
  public let stamp: UInt64
  /// Wall time in milliseconds since 1970, UTC.
  public let time: Int64
  /// Where the changes stand in the line, without the brackets around them.
  public let changes: Range<Int>

  public init(sequence: Int64, previous: Digest, stamp: UInt64, time: Int64, changes: Range<Int> = 0..<0) {
    self.sequence = sequence
    self.previous = previous
    self.stamp = stamp
    self.time = time
    self.changes = changes
  }

  /// Writes a line, without the line feed.
  public static func encode(
    sequence: Int64, previous: Digest, stamp: UInt64, time: Int64, changes: [UInt8]
  ) -> [UInt8] {
    let stampDigits = hexadecimal(Int64(bitPattern: stamp))
    var line = Array(
      "{\"sequence\":\(sequence),\"previous\":\"\(previous.hex)\",\"stamp\":\"\(stampDigits)\",\"time\":\(time),\"changes\":["
        .utf8)
    line.reserveCapacity(line.count + changes.count + 2)
    line += changes
    line += "]}".utf8
    return line
  }

  /// Reads a line without its line feed. What the changes say is not looked at.
  public init(decoding line: UnsafeRawBufferPointer) throws(FormatError) {
    var reader = LineReader(line: line)
    try reader.expect("{\"sequence\":")
    sequence = try reader.integer()
    try reader.expect(",\"previous\":\"")
    guard let previous = Digest(hex: try reader.text(64)) else { throw .content("previous") }
    self.previous = previous
    try reader.expect("\",\"stamp\":\"")
    let digits = try reader.text(16)
    guard let stamp = UInt64(digits, radix: 16), hexadecimal(Int64(bitPattern: stamp)) == digits
    else { throw .content("stamp") }
    self.stamp = stamp
    try reader.expect("\",\"time\":")
    time = try reader.integer()
    try reader.expect(",\"changes\":[")
    // Nothing can be later than the greatest stamp, so nobody may claim it.
    guard sequence >= 1, stamp < .max, time <= Limits.time, line.count <= Limits.commit else {
      throw .content("bounds")
    }
    let end = line.count - 2
    guard end >= reader.position, line[end] == UInt8(ascii: "]"), line[end + 1] == UInt8(ascii: "}")
    else { throw .content("end") }
    changes = reader.position..<end
  }

  /// What the first commit of a device's log names as the one before it.
  public static func genesis(repository: RepositoryID, device: DeviceID) -> Digest {
    SHA256.hash(Array("runic/1 log\n".utf8) + repository.bytes + device.bytes)
  }
}

/// Walks over the fixed parts of a line; every step checks its bounds.
private struct LineReader {
  let line: UnsafeRawBufferPointer
  var position = 0

  mutating func expect(_ text: StaticString) throws(FormatError) {
    let count = text.utf8CodeUnitCount
    guard line.count - position >= count else { throw .length }
    for index in 0..<count where line[position + index] != text.utf8Start[index] {
      throw .content("field")
    }
    position += count
  }

  /// A number without sign or leading zeros, at most 18 digits.
  mutating func integer() throws(FormatError) -> Int64 {
    let begin = position
    var value: Int64 = 0
    while position < line.count, position - begin < 18, (0x30...0x39).contains(line[position]) {
      value = value &* 10 &+ Int64(line[position] &- 0x30)
      position += 1
    }
    guard position > begin, line[begin] != 0x30 || position == begin + 1 else { throw .content("number") }
    return value
  }

  mutating func text(_ count: Int) throws(FormatError) -> Substring {
    guard line.count - position >= count else { throw .length }
    defer { position += count }
    return String(decoding: line[position..<position + count], as: UTF8.self)[...]
  }
}
