/// What a shared folder does to files on their way to the other devices. Chances are from 0 to 1.
///
/// They befall heads and objects only; the marker and the slots arrive as written.
public struct RemoteVices: Equatable, Sendable {
  /// The chance that a file reaches the other devices some operations after it was written.
  public var late = 0.0
  /// The chance that the others see the beginning of a file, under its final name, before all of it.
  public var torn = 0.0
  /// The chance that a file is delivered a second time, and so is there again where it was removed meanwhile.
  public var twice = 0.0
  /// The chance that a conflict copy appears beside a file.
  public var conflictCopies = 0.0
  /// The chance that one bit of a file is wrong from then on, for everyone.
  public var damaged = 0.0
  /// Files overtake those that were written before them, and lists come in any order.
  public var outOfOrder = false
  /// How many operations, of anyone, a delay lasts.
  public var delay = 1...12

  public static let none = RemoteVices()
  /// Everything that heals by itself: all but damaged bytes.
  public static let passing = RemoteVices(
    late: 0.4, torn: 0.2, twice: 0.2, conflictCopies: 0.1, damaged: 0, outOfOrder: true)

  public init(
    late: Double = 0, torn: Double = 0, twice: Double = 0, conflictCopies: Double = 0, damaged: Double = 0,
    outOfOrder: Bool = false, delay: ClosedRange<Int> = 1...12
  ) {
    self.late = late
    self.torn = torn
    self.twice = twice
    self.conflictCopies = conflictCopies
    self.damaged = damaged
    self.outOfOrder = outOfOrder
    self.delay = delay
  }
}

/// How often each vice struck.
public struct RemoteMishaps: Equatable, Sendable {
  public var late = 0
  public var torn = 0
  /// Removed files that came back.
  public var returned = 0
  public var conflictCopies = 0
  public var damaged = 0

  public init() {}
}
