import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Random changes, and random damage to their bytes.
private struct ChangeMaker {
  var noise: SeededRandom

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &noise) }

  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

  mutating func text(_ lengths: ClosedRange<Int>) -> [UInt8] {
    let letters = ["a", "b", "\"", "\\", "\n", "\u{1}", "/", "é", "\u{FFFD}", "\u{1F600}", " "]
    return Array((0..<number(lengths)).map { _ in letters[number(0...letters.count - 1)] }.joined().utf8)
  }

  mutating func commits(_ counts: ClosedRange<Int>) -> [Digest] {
    Set((0..<number(counts)).map { _ in SHA256.hash([UInt8(number(0...255))]) }).sorted()
  }

  mutating func value(_ depth: Int) -> JSONValue {
    switch number(0...(depth > 0 ? 6 : 4)) {
    case 0: return .null
    case 1: return .bool(chance(50))
    case 2: return .integer(Int64(bitPattern: noise.next()))
    case 3: return JSONValue.number(Double(bitPattern: noise.next())) ?? .null
    case 4: return .string(JSONString(utf8: text(0...8)) ?? "")
    case 5: return .array((0..<number(0...3)).map { _ in value(depth - 1) })
    default: return .object(object(depth - 1))
    }
  }

  mutating func object(_ depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<number(0...4) { object[JSONString(utf8: text(0...4)) ?? ""] = value(depth) }
    return object
  }

  mutating func origin() -> Origin? {
    guard chance(30) else { return nil }
    let device = DeviceID(bytes: (0..<16).map { _ in UInt8(number(0...255)) })
    return device.map { device in
      Origin(
        device: device, deviceName: chance(50) ? text(0...9) : nil, time: Int64(number(0...1_000_000)),
        commit: commits(0...1).first)
    }
  }

  mutating func stamp() -> Stamp? { chance(30) ? Stamp(rawValue: noise.next()) : nil }

  mutating func rank() -> Rank { Rank((0..<number(0...4)).map { _ in Int64(number(-2...2)) }) ?? .zero }

  mutating func add() -> HistoryAdd {
    let payload = object(3).canonicalBytes
    let natural = Array(Fingerprint.of(payload, family: .history, kind: "k").hex.utf8)
    return HistoryAdd(
      kind: "k", id: chance(50) ? natural : text(1...40), payload: payload[...], rank: rank(), stamp: stamp(),
      origin: origin())
  }

  mutating func write() -> RegisterWrite {
    var writes: [RegisterKey: WrittenValue] = [:]
    for _ in 0..<number(0...4) {
      let value = chance(70) ? value(2).canonicalBytes : nil
      writes[.key(text(0...4))] = WrittenValue(value: value, replaces: commits(0...3))
    }
    if chance(30) {
      let value = chance(70) ? object(2).canonicalBytes : nil
      writes[.whole] = WrittenValue(value: value, replaces: commits(0...2))
    }
    return RegisterWrite(
      kind: "k-2", id: text(1...40), generation: Int64(number(1...3)), writes: writes,
      settles: commits(writes.isEmpty ? 1...3 : 0...3), isResolution: chance(20), stamp: stamp(),
      origin: origin())
  }

  mutating func change() -> Change {
    switch number(0...3) {
    case 0, 1: .add(add())
    case 2: .set(write())
    default:
      .delete(
        RecordDelete(
          kind: "k", id: text(1...40), generation: Int64(number(1...9)), settles: commits(0...3),
          stamp: stamp(),
          origin: origin()))
    }
  }

  /// Some changes of different records.
  mutating func commit() -> [Change] {
    var rules = CommitRules()
    return (0..<number(0...6)).map { _ in change() }.filter { rules.admits($0) }
  }

  mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    var damaged = bytes
    let place = number(0...bytes.count - 1)
    switch number(0...4) {
    case 0: damaged[place] = UInt8(number(0...255))
    case 1: damaged.remove(at: place)
    case 2: damaged.insert(UInt8(number(0x20...0x7E)), at: place)
    case 3: damaged.removeSubrange(place...)
    default:
      let other = number(0...bytes.count - 1)
      damaged.insert(contentsOf: bytes[min(place, other)...max(place, other)], at: place)
    }
    return damaged
  }
}

@Suite struct CodingNoiseTests {
  private static func encode(_ changes: [Change]) throws -> [UInt8] {
    var output: [UInt8] = []
    var fingerprinter = Fingerprinter()
    for change in changes {
      if !output.isEmpty { output.append(UInt8(ascii: ",")) }
      try ChangeCodec.append(change, to: &output, using: &fingerprinter)
    }
    return output
  }

  @Test(arguments: [UInt64.random(in: 0...(.max)), 1, 2])
  func randomChangesComeBackAndAreCanonical(seed: UInt64) throws {
    var maker = ChangeMaker(noise: SeededRandom(seed: seed))
    for round in 0..<500 {
      let changes = maker.commit()
      let bytes = try Self.encode(changes)
      let again = try ChangeCodec.decode(bytes[...])
      #expect(again == changes, "seed \(seed), round \(round)")
      let list = Array("[".utf8) + bytes + Array("]".utf8)
      #expect(list.withUnsafeBytes { Canonicalizer.isCanonical($0) } == nil, "seed \(seed), round \(round)")
    }
  }

  /// What is still taken after it was damaged must be the one form of what it says.
  @Test(arguments: [UInt64.random(in: 0...(.max)), 3, 4])
  func damagedChangesAreRefusedOrAnotherCanonicalForm(seed: UInt64) throws {
    var maker = ChangeMaker(noise: SeededRandom(seed: seed))
    var refused = 0
    for round in 0..<3000 {
      let bytes = maker.damage(try Self.encode(maker.commit()))
      do {
        let changes = try ChangeCodec.decode(bytes[...])
        #expect(try Self.encode(changes) == bytes, "seed \(seed), round \(round)")
      } catch is FormatError {
        refused += 1
      }
    }
    #expect(refused > 1000, "seed \(seed)")
  }

  /// Bytes that say nothing true about where they end. What is taken all the same is stored in canonical form, and taken
  /// again as it is.
  @Test(arguments: [UInt64.random(in: 0...(.max)), 5])
  func payloadsOfAnySortNeverTrap(seed: UInt64) throws {
    var maker = ChangeMaker(noise: SeededRandom(seed: seed))
    var fingerprinter = Fingerprinter()
    var taken = 0
    for _ in 0..<2000 {
      let bytes = maker.damage(maker.object(3).canonicalBytes)
      for kind in [Kind.usage, .request, .alert, .preferences] {
        var output: [UInt8] = []
        let isTaken = bytes.withUnsafeBytes { (try? kind.prepare($0, into: &output)) != nil }
        if isTaken {
          taken += 1
          #expect(output.withUnsafeBytes { Canonicalizer.isCanonical($0) } == nil, "seed \(seed)")
          var again: [UInt8] = []
          try output.withUnsafeBytes { try kind.prepare($0, into: &again) }
          #expect(again == output, "seed \(seed)")
        } else {
          #expect(output.isEmpty, "seed \(seed)")
        }
        if let id = try? kind.naturalID(of: bytes[...], using: &fingerprinter).id {
          #expect(RecordGrammar.isID(id), "seed \(seed)")
        }
      }
    }
    #expect(taken > 0, "seed \(seed)")
  }
}
