import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

@Suite struct MergeCodingTests {
  /// Keyed states with everything that one can hold: commits missing, some brought in, some resolved.
  private static func keyedStates(_ count: UInt64) -> [KeyedState] {
    (0..<count).map { seed in
      var generator = SeededRandom(seed: seed)
      var state = KeyedState()
      for commit in MergeSchedule<KeyedState>(seed: seed).commits where !generator.chance(30) {
        state.apply(commit.change, commit.context)
      }
      return state
    }
  }

  private static let histories: [HistoryState] = {
    let ranks: [Rank] = [.zero, [1], [0, -1], [.min, .max, 0, 5]]
    return ranks.map { rank in
      let writer = Writer(
        device: device(3), deviceName: rank == .zero ? nil : bytes("desk"), time: rank == .zero ? -1 : .max)
      let added = HistoryState.Added(writer: writer, stamp: Stamp(rawValue: 0x0102_0304_0506_0708))
      return HistoryState(rank: rank, payload: bytes("{\"tokens\":12}")[...], added: added)
    }
  }()

  @Test func keyedStatesComeBackAsTheyWere() throws {
    let states = Self.keyedStates(300)
    for (seed, state) in states.enumerated() {
      #expect(try KeyedState(decoding: state.encode()) == state, "seed \(seed)")
    }
    #expect(states.contains { !$0.awaited.isEmpty } && states.contains { !$0.origins.isEmpty })
  }

  @Test func historiesComeBackAsTheyWereWithTheirPayloadInPlace() throws {
    for state in Self.histories {
      let encoded = state.encode()
      let whole = [9, 9, 9] + encoded
      let decoded = try HistoryState(decoding: whole[3...])
      #expect(decoded == state)
      let header = try encoded.withUnsafeBytes { try HistoryState.Header(decoding: $0) }
      #expect(Array(encoded[header.payloadOffset...]) == Array(state.payload))
      #expect(decoded.payload.endIndex == whole.endIndex)
    }
  }

  @Test func cutKeyedStateIsRefusedAtEveryLength() {
    for (seed, state) in Self.keyedStates(30).enumerated() {
      let encoded = state.encode()
      for length in encoded.indices {
        #expect(throws: StateDecodingError.self, "seed \(seed) at \(length)") {
          try KeyedState(decoding: encoded[..<length])
        }
      }
      #expect(throws: StateDecodingError.trailingBytes(at: encoded.count)) {
        try KeyedState(decoding: encoded + [0])
      }
    }
  }

  @Test func cutHistoryIsRefusedUpToItsPayload() throws {
    for state in Self.histories {
      let encoded = state.encode()
      let header = try encoded.withUnsafeBytes { try HistoryState.Header(decoding: $0) }
      for length in 0..<header.payloadOffset {
        #expect(throws: StateDecodingError.self) { try HistoryState(decoding: encoded[..<length]) }
      }
    }
  }

  /// Decoding is strict: whatever is accepted is what the encoder would have written.
  @Test func everyFlippedBitIsRefusedOrIsAnotherStateExactly() {
    for (seed, state) in Self.keyedStates(6).enumerated() {
      forEachFlip(of: state.encode()) { flipped, place in
        guard let other = try? KeyedState(decoding: flipped) else { return }
        #expect(other.encode() == flipped, "seed \(seed) at \(place)")
        #expect(other != state, "seed \(seed) at \(place)")
      }
    }
    for state in Self.histories {
      forEachFlip(of: state.encode()) { flipped, place in
        guard let other = try? HistoryState(decoding: flipped) else { return }
        #expect(other.encode() == flipped, "at \(place)")
        #expect(other != state, "at \(place)")
      }
    }
  }

  @Test func randomBytesTrapNothing() {
    for seed in 0..<3000 as Range<UInt64> {
      var generator = SeededRandom(seed: seed)
      var noise = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        // Small numbers pass for counts and flags more often.
        generator.chance(50)
          ? UInt8.random(in: 0...3, using: &generator) : .random(in: 0...(.max), using: &generator)
      }
      noise.insert(seed.isMultiple(of: 2) ? 0x20 : 0x1C, at: 0)
      if let state = try? KeyedState(decoding: noise) { #expect(state.encode() == noise, "seed \(seed)") }
      if let state = try? HistoryState(decoding: noise) { #expect(state.encode() == noise, "seed \(seed)") }
    }
  }

  /// Rows: bytes that are no number, and why not.
  @Test(
    arguments: [
      ([], .truncated(at: 0)), ([0x80], .truncated(at: 1)), ([0x80, 0x00], .malformed(at: 2)),
      (Array(repeating: 0xFF, count: 9) + [0x02], .malformed(at: 10)),
      (Array(repeating: 0x80, count: 10), .malformed(at: 10)),
    ] as [([UInt8], StateDecodingError)])
  func numbersHaveOneForm(_ encoded: [UInt8], _ wanted: StateDecodingError) {
    #expect(throws: wanted) {
      try encoded[...].reading { reader throws(StateDecodingError) in try reader.unsigned() }
    }
  }

  @Test func numbersComeBackAsTheyWere() throws {
    for value in [Int64.min, -65, -64, -1, 0, 1, 63, 64, 1 << 40, .max] {
      var writer = StateWriter()
      writer.signed(value)
      let back = try writer.bytes[...].reading { reader throws(StateDecodingError) in
        let value = try reader.signed()
        try reader.finish()
        return value
      }
      #expect(back == value)
    }
  }

  private func forEachFlip(of encoded: [UInt8], _ body: ([UInt8], Int) -> Void) {
    for place in encoded.indices {
      for bit in 0..<8 {
        var flipped = encoded
        flipped[place] ^= 1 << bit
        body(flipped, place)
      }
    }
  }
}
