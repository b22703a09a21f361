/// When a failure that may pass is tried again: after 2, 4 and 8 seconds, each with jitter (`docs/remotes.md`,
/// "What holds for every kind"). A pure function of how often was tried.
public struct RetrySchedule: Sendable {
  /// In milliseconds.
  public static let pauses: [Int64] = [2000, 4000, 8000]

  private let jitter: @Sendable () -> UInt8

  public init(random: RandomSource) {
    jitter = { random.bytes(1).first ?? 0 }
  }

  /// The pause after so many failures, counted from 1, in milliseconds; nil: it is not tried again.
  ///
  /// Up to a quarter more than the schedule says, so that machines that lost one line do not all come back at once.
  public func pause(afterFailure count: Int) -> Int64? {
    guard Self.pauses.indices.contains(count - 1) else { return nil }
    let pause = Self.pauses[count - 1]
    return pause + pause / 4 * Int64(jitter()) / 255
  }
}
