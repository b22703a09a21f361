import ObjectStore

@testable import RunicCore

/// A digest that sorts as the name does: its bytes, then zeros.
func digest(_ name: String) -> Digest {
  let bytes = Array(name.utf8.prefix(32))
  guard let digest = Digest(bytes: bytes + Array(repeating: 0, count: 32 - bytes.count)) else {
    preconditionFailure("a digest has 32 bytes")
  }
  return digest
}

/// The name that `digest(_:)` was made of.
func name(_ digest: Digest) -> String {
  String(decoding: digest.bytes.prefix { $0 != 0 }, as: UTF8.self)
}

func device(_ number: UInt8) -> DeviceID {
  guard let device = DeviceID(bytes: Array(repeating: number, count: 16)) else {
    preconditionFailure("a device has 16 bytes")
  }
  return device
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func key(_ text: String) -> RegisterKey { .key(Array(text.utf8)) }

func context(_ name: String, device number: UInt8 = 1, stamp: UInt64 = 1, time: Int64 = 0) -> CommitContext {
  CommitContext(hash: digest(name), device: device(number), stamp: Stamp(rawValue: stamp), time: time)
}

/// One change in a commit of its own.
struct MadeChange {
  let context: CommitContext
  let change: Change
}

extension KeyedState {
  /// Applies a keyed change; an `add` is none and is left out.
  mutating func apply(
    _ change: Change, _ context: CommitContext, hasArrived: (Digest) -> Bool = { _ in false }
  ) {
    switch change {
    case .add: break
    case .set(let write): apply(write, context, hasArrived: hasArrived)
    case .delete(let delete): apply(delete, context, hasArrived: hasArrived)
    }
  }
}

/// The pure definition for the one keyed record that all these changes are of.
func definition(of commits: some Sequence<MadeChange>) -> KeyedState {
  let states = state(of: commits.map { (context: $0.context, changes: [$0.change]) }).values
  guard case .keyed(let state)? = states.first else { return KeyedState() }
  return state
}

/// All orders of the numbers below `count`.
func permutations(_ count: Int) -> [[Int]] {
  guard count > 0 else { return [[]] }
  return permutations(count - 1).flatMap { shorter in
    (0...shorter.count).map { place in
      var longer = shorter
      longer.insert(count - 1, at: place)
      return longer
    }
  }
}
