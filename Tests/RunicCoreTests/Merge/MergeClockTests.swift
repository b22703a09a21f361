import Testing

@testable import RunicCore

@Suite struct MergeClockTests {
  private static let now: Int64 = 1_800_000_000_000
  private static let day = HybridClock.tolerance

  @Test func stampsReadAndWriteSixteenDigits() {
    #expect(Stamp(milliseconds: 0x0123_4567_89AB, counter: 0xCDEF).hex == "0123456789abcdef")
    for text in ["0000000000000000", "0123456789abcdef", "ffffffffffffffff"] {
      #expect(Stamp(hex: text)?.hex == text)
    }
    for text in ["", "0", "0123456789abcdeF", "0123456789abcde ", "+123456789abcdef", "0123456789abcdef0"] {
      #expect(Stamp(hex: text) == nil, "\(text)")
    }
  }

  @Test func stampsStopAtTheEnds() {
    #expect(Stamp(milliseconds: -1) == .zero)
    #expect(Stamp(milliseconds: .max, counter: .max) == .greatest)
    #expect(Stamp.greatest.successor == .greatest)
    #expect(Stamp(milliseconds: 1, counter: .max).successor == Stamp(milliseconds: 2))
  }

  /// Rows: the greatest stamp seen, relative to now in milliseconds, and whether it is followed.
  @Test(arguments: [
    (-day, false), (-1, false), (0, true), (1, true), (day, true), (day + 1, false), (400 * day, false),
  ])
  func tickIsTheWallClockOrOneMoreThanTheGreatestThatIsNear(_ ahead: Int64, _ isFollowed: Bool) {
    let seen = Stamp(milliseconds: Self.now + ahead, counter: 3)
    let wanted = isFollowed ? seen.successor : Stamp(milliseconds: Self.now)
    #expect(HybridClock.tick(now: Self.now, greatest: seen) == wanted)
  }

  @Test func farAheadStampsAreReportedAndNotFollowed() {
    var clock = HybridClock()
    let far = Stamp(milliseconds: Self.now + Self.day + 1)
    let near = Stamp(milliseconds: Self.now + Self.day, counter: 9)
    #expect(clock.follow([far, near, .greatest], now: Self.now) == [far, .greatest])
    #expect(clock.tick(now: Self.now) == near.successor)
  }

  @Test func clockThatWasPutRightStaysMonotonousFromThereOn() {
    var clock = HybridClock()
    #expect(clock.tick(now: Self.now + 400 * Self.day) == Stamp(milliseconds: Self.now + 400 * Self.day))
    let first = clock.tick(now: Self.now)
    #expect(first == Stamp(milliseconds: Self.now))
    #expect(clock.tick(now: Self.now) == first.successor)
    #expect(clock.tick(now: Self.now - 5) == first.successor.successor)
  }

  @Test func extremeTimesTrapNothing() {
    for now in [Int64.min, -1, 0, .max] {
      for greatest in [Stamp.zero, .greatest] {
        var clock = HybridClock(greatest: greatest)
        let far = clock.follow([.zero, .greatest], now: now)
        #expect(far.count <= 2)
        #expect(clock.tick(now: now) >= .zero)
      }
    }
  }

  /// The law that a clock which follows anything breaks.
  private func staysNear(_ tick: (Int64, Stamp) -> Stamp) -> Bool {
    tick(Self.now, Stamp(milliseconds: Self.now + 400 * Self.day)) <= Stamp(milliseconds: Self.now + Self.day)
  }

  @Test func clockThatFollowsAFarOneIsCaught() {
    #expect(staysNear { HybridClock.tick(now: $0, greatest: $1) })
    #expect(!staysNear { max(Stamp(milliseconds: $0), $1.successor) })
  }
}
