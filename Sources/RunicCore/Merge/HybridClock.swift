/// The clock that stamps commits (`docs/merge.md`, "Clocks"). Pure: the wall clock is passed in.
///
/// A stamp is the wall clock, or one more than the greatest stamp seen that is not more than a day ahead of
/// it. A stamp further ahead still orders the write that bears it, but drags nobody along.
public struct HybridClock: Hashable, Sendable {
  /// How far ahead of the wall clock a stamp may be and still be followed, in milliseconds.
  public static let tolerance: Int64 = 24 * 60 * 60 * 1000

  /// The greatest stamp issued or followed so far.
  public private(set) var greatest: Stamp

  private let tolerance: Int64

  /// - Parameter tolerance: how far ahead a stamp may be, in milliseconds.
  public init(greatest: Stamp = .zero, tolerance: Int64 = HybridClock.tolerance) {
    self.greatest = greatest
    self.tolerance = tolerance
  }

  /// Whether a stamp is near enough to the wall clock to be followed. `now` is in milliseconds since 1970.
  public static func follows(_ stamp: Stamp, now: Int64, tolerance: Int64 = tolerance) -> Bool {
    let (limit, overflow) = now.addingReportingOverflow(tolerance)
    return overflow || stamp.milliseconds <= limit
  }

  /// The stamp for a commit made `now`, when `greatest` is the greatest stamp seen.
  ///
  /// A clock that was once set far ahead and then put right falls back here: its old stamps are more than a
  /// day ahead and so not followed.
  public static func tick(now: Int64, greatest: Stamp, tolerance: Int64 = tolerance) -> Stamp {
    let wall = Stamp(milliseconds: now)
    return follows(greatest, now: now, tolerance: tolerance) ? max(wall, greatest.successor) : wall
  }

  /// Issues the stamp of a commit made `now`.
  public mutating func tick(now: Int64) -> Stamp {
    greatest = Self.tick(now: now, greatest: greatest, tolerance: tolerance)
    return greatest
  }

  /// Whether this clock follows a stamp.
  public func follows(_ stamp: Stamp, now: Int64) -> Bool {
    Self.follows(stamp, now: now, tolerance: tolerance)
  }

  /// Takes in the stamps of a whole batch of commits, after the batch was found valid.
  ///
  /// - Returns: the stamps that are too far ahead to be followed, in the order given, to be named in `status`.
  public mutating func follow(_ stamps: some Sequence<Stamp>, now: Int64) -> [Stamp] {
    var farAhead: [Stamp] = []
    for stamp in stamps {
      if !follows(stamp, now: now) {
        farAhead.append(stamp)
      } else if stamp > greatest || !follows(greatest, now: now) {
        greatest = stamp
      }
    }
    return farAhead
  }
}
