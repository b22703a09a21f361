import Testing
import TestSupport

@testable import RunicCore

/// What `watch` does when: a pure function, run through hours in no time.
@Suite struct WatchScheduleTests {
  /// A made-up machine: it does what is due, and writes down when.
  private struct Day {
    var schedule: WatchSchedule
    var now: Int64
    let start: Int64
    /// Whether a sync with a remote goes through at a time, in milliseconds since the start.
    var works: (String, Int64) -> Bool = { _, _ in true }
    private(set) var tasks: [(time: Int64, task: WatchSchedule.Task)] = []

    init(_ remotes: [String] = ["r"], now: Int64 = 1_790_000_000_000) {
      schedule = WatchSchedule(remotes: remotes, now: now)
      (self.now, start) = (now, now)
    }

    /// Runs until so many milliseconds after the start.
    mutating func run(until end: Int64) {
      while true {
        schedule.advance(to: now)
        for task in schedule.due() {
          tasks.append((now - start, task))
          if case .sync(let name) = task { schedule.ended(name, succeeded: works(name, now - start)) }
        }
        let pause = schedule.wait()
        if now - start + pause > end { break }
        now += pause
      }
      now = start + end
      schedule.advance(to: now)
    }

    func times(_ wanted: WatchSchedule.Task) -> [Int64] { tasks.filter { $0.task == wanted }.map(\.time) }
    func syncs(_ name: String = "r") -> [Int64] { times(.sync(name)) }
  }

  private static let minute: Int64 = 60_000
  private static let hour: Int64 = 3_600_000

  @Test func aQuietDaySyncsAtTheIntervals() {
    var day = Day()
    day.run(until: 24 * Self.hour)
    // Active for the first ten minutes, then once an hour.
    #expect(day.syncs().prefix(4) == [0, 5 * Self.minute, 10 * Self.minute, 70 * Self.minute])
    #expect(day.syncs().count == 3 + 23)
    let polls = day.times(.poll)
    #expect(zip(polls, polls.dropFirst()).allSatisfy { $1 - $0 <= 30_000 })
    #expect(polls.count >= 24 * 120)
    #expect(day.times(.capture).isEmpty && day.times(.collect).isEmpty)
  }

  @Test func editsWithinASecondAreOneCapture() {
    var day = Day()
    day.run(until: Self.minute)
    for step in [0, 300, 600, 900] {
      day.now = day.start + Self.minute + Int64(step)
      day.schedule.advance(to: day.now)
      day.schedule.fileChanged()
    }
    day.run(until: 2 * Self.minute)
    #expect(day.times(.capture) == [Self.minute + WatchSchedule.editWindow])
  }

  @Test func whatIsRecordedTravelsAtOnceToAllThatWork() {
    var day = Day(["a", "b"])
    day.works = { name, _ in name == "a" }
    day.run(until: 3 * Self.minute)
    let (a, b) = (day.syncs("a").count, day.syncs("b").count)
    day.schedule.recordsChanged()
    day.run(until: 3 * Self.minute + 1000)
    #expect(day.syncs("a").last == 3 * Self.minute + WatchSchedule.recordWindow)
    #expect(day.syncs("a").count == a + 1)
    #expect(day.syncs("b").count == b)
  }

  @Test func aRemoteThatChangedIsReadAtOnceAndMakesTheWatchActive() {
    var day = Day()
    day.run(until: 2 * Self.hour)
    #expect(!day.schedule.isActive)
    day.schedule.remoteChanged("r")
    #expect(day.schedule.isActive)
    day.run(until: 2 * Self.hour + 11 * Self.minute)
    let later = day.syncs().filter { $0 >= 2 * Self.hour }
    #expect(later == [0, 5, 10].map { 2 * Self.hour + $0 * Self.minute })
  }

  @Test func pausesDoubleUpToTheLongestAndEndWithASuccess() {
    var day = Day()
    day.works = { _, time in time > 4 * Self.hour }
    day.run(until: 8 * Self.hour)
    let times = day.syncs()
    let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(pauses.prefix(7) == [30_000, 60_000, 120_000, 240_000, 480_000, 960_000, 1_800_000])
    let failures = times.filter { $0 <= 4 * Self.hour }
    // 63 half minutes to the longest pause, then one each half hour.
    #expect(failures.count == 7 + 6)
    let good = times.filter { $0 > 4 * Self.hour }
    #expect(zip(good, good.dropFirst()).allSatisfy { $1 - $0 == Self.hour })
  }

  @Test func chanceShortensAPauseByHalfAtMost() {
    for chance in [0, 0.5, 1, -3, 7, .nan] {
      var schedule = WatchSchedule(remotes: ["r"], now: 0)
      let pause = schedule.ended("r", succeeded: false, chance: chance) ?? 0
      #expect((15_000...30_000).contains(pause), "\(chance)")
    }
  }

  @Test func aRemoteThatReturnsIsSyncedAtOnce() {
    var day = Day()
    day.works = { _, time in time > Self.hour }
    day.run(until: Self.hour + 1)
    day.schedule.hasReturned("r")
    day.run(until: Self.hour + 2)
    #expect(day.syncs().last == Self.hour + 1)
    // The next pause is the first again.
    day.works = { _, _ in false }
    day.schedule.hasReturned("r")
    day.run(until: Self.hour + 40_000)
    #expect(day.syncs().suffix(2) == [Self.hour + 2, Self.hour + 30_002])
  }

  @Test func awakeAfterANightEverythingIsDue() {
    var day = Day()
    day.works = { _, time in time > 2 * Self.hour }
    day.run(until: 10 * Self.minute)
    day.now += 8 * Self.hour
    let slept = day.schedule.advance(to: day.now)
    #expect((slept ?? 0) > 7 * Self.hour)
    let tasks = day.schedule.due()
    #expect(tasks == [.poll, .sync("r")])
  }

  @Test func awakeAfterTwoMinutesUsageIsCollectedToo() {
    var day = Day()
    day.schedule.collects = Self.hour
    day.run(until: 10 * Self.minute)
    day.now += 2 * Self.minute
    #expect(day.schedule.advance(to: day.now) != nil)
    #expect(day.schedule.due() == [.poll, .collect, .sync("r")])
  }

  @Test func aClockThatIsSetBackDelaysNothing() {
    var day = Day()
    day.run(until: Self.minute)
    let pause = day.schedule.wait()
    day.now -= 30 * Self.hour
    #expect(day.schedule.advance(to: day.now) == nil)
    #expect(day.schedule.wait() == pause)
  }

  @Test func usageIsCollectedAtItsInterval() {
    var day = Day()
    day.schedule.collects = 600_000
    day.run(until: Self.hour)
    #expect(day.times(.collect) == (1...6).map { $0 * 600_000 })
    day.schedule.collects = nil
    day.run(until: 2 * Self.hour)
    #expect(day.times(.collect).count == 6)
  }

  @Test func aRemovedRemoteIsForgottenAndANewOneIsDue() {
    var day = Day(["a"])
    day.run(until: Self.minute)
    day.schedule.follow(["b"])
    day.run(until: 2 * Self.minute)
    #expect(day.syncs("a") == [0])
    #expect(day.syncs("b") == [Self.minute])
    #expect(day.schedule.ended("a", succeeded: false) == nil)
  }

  /// Whatever happens in whatever order, it polls in time, never asks for a wait below zero, and tries each remote
  /// at least once in the longest interval.
  @Test func nothingMakesItStarve() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      var day = Day(["a", "b"])
      let isBad = Bool.random(using: &random)
      day.works = { name, time in name == "a" || !isBad || time % 7 == 0 }
      var end: Int64 = 0
      while end < 6 * Self.hour {
        end += Int64.random(in: 1...900_000, using: &random)
        day.run(until: end)
        switch Int.random(in: 0...4, using: &random) {
        case 0: day.schedule.fileChanged()
        case 1: day.schedule.recordsChanged()
        case 2: day.schedule.remoteChanged("a")
        case 3: day.schedule.hasReturned("b")
        default: break
        }
        #expect(day.schedule.wait() >= 0, "seed \(seed)")
      }
      for task in [WatchSchedule.Task.poll, .sync("a"), .sync("b")] {
        let times = day.times(task)
        let longest = task == .poll ? 30_000 : Self.hour
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= longest }, "seed \(seed) \(task)")
      }
    }
  }
}
