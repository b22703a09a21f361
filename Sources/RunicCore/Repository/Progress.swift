/// How far a long step is, for whoever waits for it.
public struct Progress: Equatable, Sendable {
  /// What is counted.
  public enum Step: Equatable, Sendable {
    /// Bytes of input, gathered before anything is done with them.
    case gathering
    /// Lines of input that were recorded or imported.
    case recording
    /// Files that were checked.
    case checking
    /// Objects whose commits were brought into the index.
    case applying
    /// Records of the old repository that a join took along.
    case takingAlong
    /// Objects that a roll-up has read.
    case rollingUp
  }

  public let step: Step
  /// How many are over; for `gathering`, always 0.
  public let done: Int64
  /// Of so many; nil where nobody knows yet.
  public let all: Int64?
  /// Bytes that were read for it.
  public let bytes: Int64

  public init(_ step: Step, done: Int64 = 0, of all: Int64? = nil, bytes: Int64 = 0) {
    self.step = step
    self.done = done
    self.all = all
    self.bytes = bytes
  }
}
