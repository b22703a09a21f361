import ObjectStore
import TestSupport
import Testing

@Suite struct CommitLineTests {
  private static let zeros = String(repeating: "0", count: 64)
  private static let line =
    "{\"sequence\":7,\"previous\":\"\(zeros)\",\"stamp\":\"fedcba9876543210\",\"time\":12,\"changes\":[{\"a\":1}]}"

  private static func decode(_ line: [UInt8]) throws(FormatError) -> CommitLine {
    var result: Result<CommitLine, FormatError> = .failure(.length)
    line.withUnsafeBytes { bytes in
      do throws(FormatError) { result = .success(try CommitLine(decoding: bytes)) } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  private static func encode(_ read: CommitLine, of line: [UInt8]) -> [UInt8] {
    CommitLine.encode(
      sequence: read.sequence, previous: read.previous, stamp: read.stamp, time: read.time,
      changes: Array(line[read.changes]))
  }

  @Test func aLineStandsAsTheFormatSays() throws {
    let bytes = Array(Self.line.utf8)
    let read = try Self.decode(bytes)
    #expect(read.sequence == 7)
    #expect(read.previous.hex == Self.zeros)
    #expect(read.stamp == 0xfedc_ba98_7654_3210)
    #expect(read.time == 12)
    #expect(Array(bytes[read.changes]) == Array("{\"a\":1}".utf8))
    #expect(Self.encode(read, of: bytes) == bytes)
  }

  @Test func extremesAreReadAsTheyAreWritten() throws {
    let previous = SHA256.hash([1])
    for sequence in [1, 9, 10, 999_999_999_999_999_999] as [Int64] {
      for stamp in [0, 1, .max - 1, 1 << 63] as [UInt64] {
        for time in [0, 1, Limits.time] {
          let line = CommitLine.encode(
            sequence: sequence, previous: previous, stamp: stamp, time: time, changes: [])
          let read = try Self.decode(line)
          #expect(read.sequence == sequence && read.stamp == stamp && read.time == time)
          #expect(read.previous == previous && read.changes.isEmpty)
        }
      }
    }
  }

  static let deviations: [(old: String, new: String)] = [
    ("{\"sequence\"", "{ \"sequence\""), ("\"sequence\":7", "\"sequence\": 7"), (":7,", ":07,"),
    (":7,", ":-7,"),
    (":7,", ":0,"), (":7,", ":7.0,"), (":7,", ":7e0,"), (":7,", ":,"), (":7,", ":+7,"),
    (":7,", ":1000000000000000000,"), (":7,", ":99999999999999999999,"), ("\"sequence\":7,", ""),
    ("sequence", "sequencE"), (zeros, String(zeros.dropLast())), (zeros, zeros + "0"),
    (zeros, "A" + zeros.dropLast()),
    (zeros, "g" + zeros.dropLast()), ("previous", "parent"), ("fedcba9876543210", "ffffffffffffffff"),
    ("fedcba", "FEDCBA"), ("fedcba", "+edcba"),
    ("fedcba", "-edcba"), ("fedcba", "edcba"), ("fedcba", "0fedcba"), ("3210\"", "321\u{661}\""),
    ("\"time\":12", "\"time\":-1"), ("\"time\":12", "\"time\":012"),
    ("\"time\":12", "\"time\":253402300800000"),
    ("\"time\":12,", ""), ("\"changes\":[", "\"changes\":{"), ("}]}", "}]"), ("}]}", "}"), ("}]}", "}]} "),
    ("}]}", "}]}\n"), ("}]}", "}],}"), ("\"changes\"", "\"change\""), (",\"changes\":[{\"a\":1}]}", "}"),
    (",\"changes\":[{\"a\":1}]}", ",\"changes\":[}"), (",\"changes\":[{\"a\":1}]}", ",\"changes\":["),
    (line, ""), (line, "{}"), (line, "null"),
  ]

  @Test(arguments: deviations.indices)
  func everyDeviationIsRefused(row: Int) throws {
    let (old, new) = Self.deviations[row]
    let range = try #require(Self.line.range(of: old), "row \(row)")
    let changed = Self.line.replacingCharacters(in: range, with: new)
    #expect(throws: FormatError.self, "row \(row): \(changed)") { try Self.decode(Array(changed.utf8)) }
  }

  @Test func whateverIsReadIsWrittenTheSame() {
    let bytes = Array(Self.line.utf8)
    for index in bytes.indices {
      for byte in UInt8.min ... .max where byte != bytes[index] {
        var changed = bytes
        changed[index] = byte
        guard let read = try? Self.decode(changed) else { continue }
        guard Self.encode(read, of: changed) == changed else {
          Issue.record("byte \(index) as \(byte)")
          return
        }
      }
    }
  }

  @Test func aLineThatIsCutIsRefused() {
    let bytes = Array(Self.line.utf8)
    for count in 0..<bytes.count {
      #expect(throws: FormatError.self, "\(count)") { try Self.decode(Array(bytes[..<count])) }
    }
  }

  @Test func aLineOverTheLimitIsRefused() throws {
    func line(_ count: Int) -> [UInt8] {
      let empty = CommitLine.encode(sequence: 1, previous: SHA256.hash([]), stamp: 0, time: 0, changes: [])
      return CommitLine.encode(
        sequence: 1, previous: SHA256.hash([]), stamp: 0, time: 0,
        changes: [UInt8](repeating: 32, count: count - empty.count))
    }
    #expect(try Self.decode(line(Limits.commit)).sequence == 1)
    #expect(throws: FormatError.content("bounds")) { try Self.decode(line(Limits.commit + 1)) }
  }

  @Test func theFirstCommitNamesItsLog() {
    let (repository, device) = (RepositoryID(from: .seeded(1)), DeviceID(from: .seeded(2)))
    let genesis = CommitLine.genesis(repository: repository, device: device)
    #expect(genesis == SHA256.hash(Array("runic/1 log\n".utf8) + repository.bytes + device.bytes))
    #expect(genesis != CommitLine.genesis(repository: repository, device: DeviceID(from: .seeded(3))))
    #expect(genesis != CommitLine.genesis(repository: RepositoryID(from: .seeded(3)), device: device))
  }
}

extension String {
  fileprivate func range(of part: String) -> Range<Int>? {
    let (whole, part) = (Array(utf8), Array(part.utf8))
    return (0...max(0, whole.count - part.count)).first { whole[$0...].starts(with: part) }.map {
      $0..<$0 + part.count
    }
  }

  fileprivate func replacingCharacters(in range: Range<Int>, with text: String) -> String {
    var bytes = Array(utf8)
    bytes.replaceSubrange(range, with: Array(text.utf8))
    return String(decoding: bytes, as: UTF8.self)
  }
}
