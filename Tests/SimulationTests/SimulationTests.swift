import Foundation
import RunicCore
import Synchronization
import Testing
import TestSupport

/// Convergence as a law, on random schedules.
///
/// `RUNIC_SCHEDULES=N` runs that many, from the seed `RUNIC_FIRST_SEED` on; `RUNIC_SEED=S` replays one and prints what
/// happened in it.
@Suite struct SimulationTests {
  static let environment = ProcessInfo.processInfo.environment

  static var scheduleCount: Int {
    if let wanted = environment["RUNIC_SCHEDULES"].flatMap({ Int($0) }) { return wanted }
    #if DEBUG
      return 100
    #else
      return 10_000
    #endif
  }

  static var seeds: ClosedRange<UInt64> {
    let first = environment["RUNIC_FIRST_SEED"].flatMap { UInt64($0) } ?? 1
    return first...first &+ UInt64(max(1, scheduleCount)) - 1
  }

  @Test func allDevicesShowTheSameOnceEverythingHasArrived() async {
    if let seed = Self.environment["RUNIC_SEED"].flatMap({ UInt64($0) }) {
      let result = ScheduleResult(seed: seed, isTraced: true)
      print(result.trace.joined(separator: "\n"))
      #expect(result.failure == nil)
      return
    }
    let report = await SimulationReport.run(seeds: Self.seeds, stopsAfter: 3)
    print(report.line)
    for failure in report.failures { Issue.record("\(failure); RUNIC_SEED replays it") }
    guard Self.scheduleCount >= 1000 else { return }
    for (encounter, name) in Encounters.named {
      #expect(report.counts[encounter.rawValue, default: 0] > 0, "no schedule met \(name)")
    }
  }

  /// A simulation that finds nothing wrong with a wrong engine would prove nothing.
  @Test(arguments: Mutant.allCases) func aBrokenLawIsNoticed(_ mutant: Mutant) async {
    let report = await SimulationReport.run(seeds: 1...300, stopsAfter: 1) { _ in mutant.laws }
    print("simulation: \(mutant.rawValue) was noticed after \(report.schedules) schedules")
    #expect(!report.failures.isEmpty)
    for failure in report.failures {
      #expect(mutant.broken.contains { failure.contains($0) }, "\(failure)")
    }
  }

  @Test func oneSeedGivesOneSchedule() {
    for seed in UInt64(1)...5 {
      let trace = ScheduleResult(seed: seed, isTraced: true).trace
      #expect(!trace.isEmpty)
      #expect(trace == ScheduleResult(seed: seed, isTraced: true).trace)
    }
  }
}
