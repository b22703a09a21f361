import Foundation
import ObjectStore
import Synchronization

@testable import RunicCore

/// How one schedule ended.
struct ScheduleResult {
  let met: Encounters
  let events: Int
  let trace: [String]
  let failure: String?

  init(
    seed: UInt64, isTraced: Bool = false,
    laws: @escaping @Sendable (Int) -> EngineLaws = { _ in .standard }
  ) {
    var simulation: Simulation?
    do {
      let made = try Simulation(seed: seed, isTraced: isTraced, laws: laws)
      simulation = made
      try made.run()
      try made.settle()
      failure = nil
    } catch {
      failure = "seed \(seed): \(error)"
    }
    met = simulation?.met ?? []
    events = simulation?.events ?? 0
    trace = (simulation?.trace ?? []) + (failure.map { [$0] } ?? [])
  }
}

/// How many schedules ended, on all processors.
struct SimulationReport: Sendable {
  private(set) var schedules = 0
  private(set) var events = 0
  /// By the encounter's number, how many schedules met it.
  private(set) var counts: [Int: Int] = [:]
  private(set) var failures: [String] = []

  /// - Parameter stopsAfter: how many failures are enough.
  static func run(
    seeds: ClosedRange<UInt64>, stopsAfter limit: Int,
    laws: @escaping @Sendable (Int) -> EngineLaws = { _ in .standard }
  ) async -> SimulationReport {
    let progress = Progress(next: seeds.lowerBound)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          while let seed = progress.take(below: seeds.upperBound, failures: limit) {
            progress.note(ScheduleResult(seed: seed, laws: laws))
            // Other tests want to run as well.
            await Task.yield()
          }
        }
      }
    }
    return progress.report
  }

  fileprivate mutating func note(_ result: ScheduleResult) {
    schedules += 1
    events += result.events
    for (encounter, _) in Encounters.named where result.met.contains(encounter) {
      counts[encounter.rawValue, default: 0] += 1
    }
    if let failure = result.failure { failures.append(failure) }
  }

  /// For people.
  var line: String {
    let met = Encounters.named.map { "\(counts[$0.rawValue, default: 0]) met \($1)" }
    return "simulation: \(schedules) schedules of \(events) events; " + met.joined(separator: ", ")
  }

  private final class Progress: Sendable {
    private let state: Mutex<(next: UInt64, report: SimulationReport)>

    init(next: UInt64) { state = Mutex((next, SimulationReport())) }

    var report: SimulationReport { state.withLock { $0.report } }

    func take(below last: UInt64, failures: Int) -> UInt64? {
      state.withLock { state in
        guard state.next <= last, state.report.failures.count < failures else { return nil }
        defer { state.next += 1 }
        return state.next
      }
    }

    func note(_ result: ScheduleResult) { state.withLock { $0.report.note(result) } }
  }
}
