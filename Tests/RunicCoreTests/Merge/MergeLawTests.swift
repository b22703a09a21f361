import Testing

@testable import RunicCore

@Suite struct MergeLawTests {
  static let scheduleCount: UInt64 = 2000

  @Test func everyLawHoldsOnRandomSchedules() {
    var met: [MergeEvent: Int] = [:]
    for seed in 0..<Self.scheduleCount {
      let schedule = MergeSchedule<KeyedState>(seed: seed)
      #expect(schedule.broken.isEmpty, "seed \(seed)")
      for event in schedule.met { met[event, default: 0] += 1 }
    }
    for event in MergeEvent.allCases {
      #expect(met[event, default: 0] >= 20, "too few schedules met: \(event)")
    }
  }

  @Test func winnerByArrivalIsCaught() {
    #expect(broken(by: WinnerByArrival.self).contains(.arrivalNeverShows))
  }

  @Test func replacedCommitsIgnoredIsCaught() {
    #expect(
      broken(by: ReplacedIgnored.self).isSuperset(of: [
        .editSettlesItsRegisters, .incrementalIsTheDefinition,
      ]))
  }

  @Test func replacedCommitThatComesLateAndStandsIsCaught() {
    #expect(broken(by: LateReplacedStands.self).contains(.arrivalNeverShows))
  }

  @Test func deleteThatAlwaysWinsIsCaught() {
    #expect(broken(by: DeleteAlwaysWins.self).contains(.incrementalIsTheDefinition))
  }

  @Test func settledThatIsIgnoredIsCaught() {
    #expect(broken(by: SettledIgnored.self).contains(.changeSettlesWhatItKnew))
  }

  private func broken<Merge: MergeUnderTest>(by merge: Merge.Type) -> Set<MergeLaw> {
    (0..<200).reduce(into: []) { broken, seed in
      broken.formUnion(MergeSchedule<Merge>(seed: seed).broken)
    }
  }
}
