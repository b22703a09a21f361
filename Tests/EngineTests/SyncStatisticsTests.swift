import RunicCore
import Testing

@Suite struct SyncStatisticsTests {
  @Test func theSummaryIsSixLines() throws {
    let last = try #require(Timestamp("2026-09-05T10:00:00Z"))
    let statistics = SyncStatistics(
      totalSyncs: 42, successfulSyncs: 40, totalDuration: 49.2, lastSyncDate: last)
    #expect(
      statistics.summary(now: Timestamp("2026-09-05T10:02:59Z")) == """
        Sync Statistics:
         Total syncs: 42
         Successful: 40 (95.2%)
         Failed: 2
         Average duration: 1.23s
         Last sync: 2 minutes ago
        """)
  }

  @Test func nothingYetReadsAsNever() {
    let statistics = SyncStatistics()
    #expect(statistics.successRate == 0)
    #expect(statistics.averageDuration == 0)
    #expect(statistics.summary.hasSuffix("Average duration: 0.00s\n Last sync: never"))
  }

  @Test(
    arguments: [
      ("2026-09-05T09:59:00Z", "just now"), ("2026-09-05T10:00:00.9Z", "just now"),
      ("2026-09-05T10:00:01Z", "1 second ago"), ("2026-09-05T10:00:59Z", "59 seconds ago"),
      ("2026-09-05T10:01:00Z", "1 minute ago"), ("2026-09-05T11:00:00Z", "1 hour ago"),
      ("2026-09-06T09:59:59Z", "23 hours ago"), ("2026-09-08T10:00:00Z", "3 days ago"),
    ])
  func theLastSyncIsToldInItsLargestUnit(now: String, words: String) throws {
    let last = try #require(Timestamp("2026-09-05T10:00:00Z"))
    let statistics = SyncStatistics(totalSyncs: 1, successfulSyncs: 1, totalDuration: 1, lastSyncDate: last)
    #expect(statistics.summary(now: Timestamp(now)).hasSuffix("Last sync: \(words)"))
  }

  @Test func failuresCountAndLeaveDurationAndDateAlone() throws {
    let first = try #require(Timestamp(seconds: 100))
    let second = try #require(Timestamp(seconds: 200))
    let statistics = SyncStatistics()
      .recording(succeeded: true, duration: 2, at: first)
      .recording(succeeded: false, duration: 90, at: second)
      .recording(succeeded: true, duration: -5, at: second)
    #expect(statistics.totalSyncs == 3)
    #expect(statistics.failedSyncs == 1)
    #expect(statistics.averageDuration == 1)
    #expect(statistics.lastSyncDate == second)
    #expect((66.6...66.7).contains(statistics.successRate))
  }
}
