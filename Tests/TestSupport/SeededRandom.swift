import ObjectStore
import Synchronization

/// SplitMix64: the same numbers for the same seed, on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }
}

extension RandomSource {
  /// Bytes that follow from the seed and from how many were drawn before.
  public static func seeded(_ seed: UInt64) -> RandomSource {
    let generator = Shared(SeededRandom(seed: seed))
    return RandomSource { buffer in
      generator.value.withLock { random in
        for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &random) }
      }
    }
  }
}

private final class Shared: Sendable {
  let value: Mutex<SeededRandom>

  init(_ random: SeededRandom) { value = Mutex(random) }
}
