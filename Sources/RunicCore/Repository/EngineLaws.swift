import ObjectStore

/// The laws of the merge, and of what is taken into it, that a simulation breaks, one by one, to see whether it would
/// notice. The product always runs under `standard`.
package struct EngineLaws: Sendable {
  /// What a device makes of a change that it reads or writes, before it applies it; nil: the change as it is.
  package var reading: (@Sendable (Change) -> Change)?
  /// How far ahead of the wall clock a stamp is still followed, in milliseconds.
  package var tolerance = HybridClock.tolerance
  /// Which commits a roll-up takes along; nil: all of them.
  package var keptInRollUp: (@Sendable (CommitName) -> Bool)?
  /// What an edit of a tracked file replaces, of its base and of the record as it is now; nil: what the base says.
  package var replacedByEdit:
    (@Sendable (_ base: [RegisterKey: [Digest]], _ now: KeyedState) -> [RegisterKey: [Digest]])?

  package static let standard = EngineLaws()
}
